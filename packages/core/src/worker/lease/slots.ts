import { errorFacts } from '../../telemetry/error-facts.js';
import type { Logger } from '../../telemetry/logger.js';

/** The lease a handler works under, as its loop knows it. */
export interface Hold {
  /** Aborts when the lease is lost or the loop stops. Made when first asked for: most short works never do. */
  readonly signal: AbortSignal;
  /** Why the signal is or would be aborted. */
  readonly reason: Error | undefined;
  /** The work is over but for the writing of its settlement: another may start in its place. Idempotent. */
  free(): void;
  /** The settlement waits for a store that is out: the lease is renewed until it is written. Idempotent. */
  holdUp(): void;
}

/** Work under a lease of this process. A class, because there is one for each of many short works. */
export class HeldWork<Work> implements Hold {
  readonly work: Work;
  /** Monotonic instant of the last renewal known to have succeeded. */
  renewedAt: number;
  /** The lease that claim or renewal asked for, in milliseconds from `renewedAt`. */
  leaseMs: number;
  /** `waiting` for a slot, `running` in one, `settling` without one. */
  state: 'waiting' | 'running' | 'settling' = 'waiting';
  reason: Error | undefined = undefined;
  /** Its settlement waits for a store that is out. */
  isHeldUp = false;
  private readonly freeSlot: (held: HeldWork<Work>) => void;
  private controller: AbortController | undefined = undefined;

  constructor(work: Work, lease: { askedMs: number; leaseMs: number }, freeSlot: (held: HeldWork<Work>) => void) {
    this.work = work;
    this.renewedAt = lease.askedMs;
    this.leaseMs = lease.leaseMs;
    this.freeSlot = freeSlot;
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.reason !== undefined) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  abort(reason: Error): void {
    this.reason ??= reason;
    this.controller?.abort(this.reason);
  }

  free(): void {
    this.freeSlot(this);
  }

  holdUp(): void {
    this.isHeldUp = true;
  }
}

export interface SlotsOptions<Work> {
  name: string;
  handle(work: Work, held: HeldWork<Work>): Promise<void>;
  /** Works at a time. */
  concurrency: number;
  /** Works held beyond those. */
  prefetch: number;
  logger: Logger;
  /** A slot or a place was freed. */
  onFree(): void;
}

/** The works one loop holds: those that wait, those that run in a slot, those whose settlement is being written. */
export interface Slots<Work> {
  /** How many more to claim now. With prefetch half of what may be held: one half is claimed while the other runs. */
  room(): number;
  /**
   * Keeps the work until it has a slot. `askedMs` is when the claim was asked for: its lease cannot
   * have begun earlier. With `refusal` its handler gets a signal that is aborted already, at once.
   */
  take(work: Work, lease: { askedMs: number; leaseMs: number }, refusal?: Error): void;
  /** Runs what waits and has a slot. */
  fill(): void;
  /**
   * Works whose lease must be kept up: not those that were aborted, nor those whose settlement is
   * being written, unless it waits for a store that is out.
   */
  kept(): HeldWork<Work>[];
  /** Hands every waiting work to its handler, slot or not: for a stop, after their signals were aborted. */
  startWaiting(): void;
  /** Hands a waiting work, whose signal was aborted, to its handler, slot or not: to be given back. */
  handOver(held: HeldWork<Work>): void;
  /** Drops a work that never started. */
  drop(held: HeldWork<Work>): void;
  running(): number;
  /** Resolves when no work is held. */
  emptied(): Promise<void>;
}

/**
 * Settlements under way at most: beyond them nothing is claimed, so a slow store is not flooded.
 * Some more than run, to share commits.
 */
const mostSettling = (most: number): number => Math.max(32, 4 * most);

// long: the moves of a work between waiting, running and gone, each short, over one set
export function createSlots<Work>(options: SlotsOptions<Work>): Slots<Work> {
  const { concurrency, prefetch } = options;
  const all = new Set<HeldWork<Work>>();
  let onEmpty: (() => void)[] = [];
  let waiting: HeldWork<Work>[] = [];
  let busy = 0;
  let settling = 0;

  function freeSlot(held: HeldWork<Work>): void {
    if (held.state !== 'running') return;
    held.state = 'settling';
    busy--;
    settling++;
    fill();
    options.onFree();
  }

  function leave(held: HeldWork<Work>): void {
    all.delete(held);
    if (all.size === 0) {
      for (const tell of onEmpty) tell();
      onEmpty = [];
    }
    options.onFree();
  }

  function end(held: HeldWork<Work>): void {
    freeSlot(held);
    settling--;
    leave(held);
  }

  function start(held: HeldWork<Work>): void {
    held.state = 'running';
    busy++;
    all.add(held);
    options.handle(held.work, held).then(
      () => end(held),
      (error: unknown) => {
        if (held.reason === undefined)
          options.logger.error(
            { event: 'lease.settle_failed', loop: options.name, ...errorFacts(error) },
            'handler failed to settle its work',
          );
        end(held);
      },
    );
  }

  function fill(): void {
    while (busy < concurrency) {
      const next = waiting.shift();
      if (next === undefined) return;
      start(next);
    }
  }

  return {
    room() {
      const most = concurrency + prefetch;
      const surplus = waiting.length - (concurrency - busy); // what waits and is not about to get a slot
      if (settling > mostSettling(most) || surplus * 2 > prefetch) return 0;
      return Math.max(0, Math.min(most - busy - waiting.length, prefetch === 0 ? most : Math.ceil(most / 2)));
    },
    take(work, lease, refusal) {
      const held = new HeldWork(work, lease, freeSlot);
      if (refusal !== undefined) {
        held.abort(refusal);
        start(held);
        return;
      }
      all.add(held);
      waiting.push(held);
    },
    fill,
    kept: () =>
      [...all].filter(({ reason, state, isHeldUp }) => reason === undefined && (state !== 'settling' || isHeldUp)),
    startWaiting() {
      const left = waiting;
      waiting = [];
      for (const held of left) start(held);
    },
    handOver(held) {
      if (held.state !== 'waiting') return;
      waiting = waiting.filter((other) => other !== held);
      start(held);
    },
    drop(held) {
      if (held.state !== 'waiting') return;
      waiting = waiting.filter((other) => other !== held);
      leave(held);
    },
    running: () => all.size,
    emptied: () => new Promise((resolve) => (all.size === 0 ? resolve() : onEmpty.push(resolve))),
  };
}
