import type { ComparedEvent } from './compared-event.js';

/** Two events, one of each side. */
export interface EventPair {
  primary: ComparedEvent;
  trail: ComparedEvent;
}

/** Events that wait for one of the other side, oldest first. */
interface Waiting {
  events: ComparedEvent[];
  /** Events before this place are gone. */
  head: number;
}

const pairOf = (one: ComparedEvent, other: ComparedEvent): EventPair =>
  one.side === 'primary' ? { primary: one, trail: other } : { primary: other, trail: one };

/**
 * Pairs events of both sides that have one name and lie within `toleranceMs`, the oldest first: with one tolerance
 * for all that leaves the fewest alone. Takes events in the order of their times. What waits longer than
 * the tolerance goes to `onAlone`.
 */
class PairingByTime {
  private readonly waiting = new Map<string, Waiting>();
  private readonly nameOf: (event: ComparedEvent) => string;
  private readonly toleranceMs: number;
  private readonly onPair: (pair: EventPair) => void;
  private readonly onAlone: (event: ComparedEvent) => void;

  constructor(
    nameOf: (event: ComparedEvent) => string,
    toleranceMs: number,
    on: { pair(pair: EventPair): void; alone(event: ComparedEvent): void },
  ) {
    this.nameOf = nameOf;
    this.toleranceMs = toleranceMs;
    this.onPair = on.pair;
    this.onAlone = on.alone;
  }

  add(event: ComparedEvent): void {
    const name = this.nameOf(event);
    const found = this.waiting.get(name);
    if (found === undefined) {
      this.waiting.set(name, { events: [event], head: 0 });
      return;
    }
    // Events of one side alone wait under a name: the first of the other side takes one away.
    for (let first = found.events[found.head]; first !== undefined; first = found.events[found.head]) {
      if (first.side === event.side) break;
      if (first.atMs > event.atMs + this.toleranceMs) {
        this.onAlone(event);
        return;
      }
      found.head += 1;
      if (first.atMs >= event.atMs - this.toleranceMs) {
        this.onPair(pairOf(first, event));
        this.tidy(name, found);
        return;
      }
      this.onAlone(first);
    }
    found.events.push(event);
    this.tidy(name, found);
  }

  /** Everything that still waits. */
  *rest(): Generator<ComparedEvent> {
    for (const { events, head } of this.waiting.values()) yield* events.slice(head);
  }

  private tidy(name: string, found: Waiting): void {
    if (found.head === found.events.length) this.waiting.delete(name);
    else if (found.head > 32 && found.head * 2 > found.events.length) {
      found.events.splice(0, found.head);
      found.head = 0;
    }
  }
}

/** What no event of the other side is equal to. */
export interface Unmatched {
  /** Events that are recognised on the other side, where something about them differs. */
  different: readonly EventPair[];
  /** Events that the other side does not know. */
  alone: readonly ComparedEvent[];
}

const byTime = (one: ComparedEvent, other: ComparedEvent): number => one.atMs - other.atMs;

/** Pairs what is there, in the order of time, and gives what stays alone. */
function pairAll(
  events: readonly ComparedEvent[],
  nameOf: (event: ComparedEvent) => string,
  toleranceMs: number,
  onPair: (pair: EventPair) => void,
): ComparedEvent[] {
  const alone: ComparedEvent[] = [];
  const pairing = new PairingByTime(nameOf, toleranceMs, { pair: onPair, alone: (event) => void alone.push(event) });
  for (const event of [...events].sort(byTime)) pairing.add(event);
  return [...alone, ...pairing.rest()].sort(byTime);
}

/**
 * The difference of two multisets of events, in memory bounded by `maxUnmatched` events that have no
 * equal yet. Beyond, `isComplete` turns false and every event goes to `onAlone`: totals still count.
 */
export class EventMatcher {
  isComplete = true;
  private held = 0;
  private pairing: PairingByTime;
  private aside: ComparedEvent[] = [];
  private readonly options: { toleranceMs: number; maxUnmatched: number };
  private readonly on: { pair(pair: EventPair): void; alone(event: ComparedEvent): void };

  constructor(
    options: { toleranceMs: number; maxUnmatched: number },
    on: { pair(pair: EventPair): void; alone(event: ComparedEvent): void },
  ) {
    this.options = options;
    this.on = on;
    this.pairing = new PairingByTime(({ fingerprint }) => fingerprint, options.toleranceMs, {
      pair: (pair) => {
        this.held -= 2;
        on.pair(pair);
      },
      alone: (event) => void this.aside.push(event),
    });
  }

  add(event: ComparedEvent): void {
    if (!this.isComplete) {
      this.on.alone(event);
      return;
    }
    this.held += 1;
    this.pairing.add(event);
    if (this.held > this.options.maxUnmatched) this.giveUp();
  }

  /** Pairs once more what came out of order, then what is recognised though it differs. */
  finish(): Unmatched {
    const { toleranceMs } = this.options;
    const left = [...this.aside, ...this.pairing.rest()];
    this.aside = [];
    const unequal = pairAll(left, ({ fingerprint }) => fingerprint, toleranceMs, this.on.pair);
    const different: EventPair[] = [];
    const alone = pairAll(
      unequal,
      ({ identity }) => identity,
      toleranceMs,
      (pair) => void different.push(pair),
    );
    for (const { primary, trail } of different) {
      this.on.alone(primary);
      this.on.alone(trail);
    }
    for (const event of alone) this.on.alone(event);
    return { different, alone };
  }

  private giveUp(): void {
    this.isComplete = false;
    for (const event of [...this.aside, ...this.pairing.rest()]) this.on.alone(event);
    this.aside = [];
    this.pairing = new PairingByTime(() => '', 0, this.on);
  }
}
