import type { ComparedEvent } from './compared-event.js';
import type { EventPair } from './event-matcher.js';

/** Events of both sides in one place of a distribution. */
export interface SidesCount {
  primary: number;
  trail: number;
}

/** One action in one span of time, where the two sides have different counts. */
export interface ActionCount extends SidesCount {
  action: string;
  /** Begin of the span; it is `bucketMs` long. */
  from: Date;
}

/** Payload hashes that begin with the same two hex digits, where the two sides have different counts. */
export interface HashPrefixCount extends SidesCount {
  prefix: string;
}

/** How the payload hashes of the two sides are spread. */
export interface HashDistribution {
  /** Half the sum of the differences between the shares of the 256 prefixes: 0 is equal, 1 has nothing in common. */
  distance: number;
  /** Prefixes with different counts, by prefix. */
  prefixes: readonly HashPrefixCount[];
}

/** Beyond, actions of a host that makes them up are counted as one. */
const maxCells = 100_000;
const otherActions = '(other)';
/** Cells that a report shows. */
const maxShown = 1_000;

/**
 * Counts events by action and time, and by the first two digits of the payload's hash. Both events of a
 * pair count at the trail's time, so that a clock a second ahead moves none into another span.
 */
export class ComparisonCounts {
  readonly total: SidesCount = { primary: 0, trail: 0 };
  matched = 0;
  private readonly cells = new Map<string, SidesCount & { action: string; bucket: number }>();
  private readonly prefixes = new Map<string, SidesCount>();
  private readonly span: { sinceMs: number; untilMs: number; bucketMs: number };

  constructor(span: { sinceMs: number; untilMs: number; bucketMs: number }) {
    this.span = span;
  }

  pair({ primary, trail }: EventPair): void {
    if (!this.isInSpan(trail.atMs)) return;
    this.matched += 1;
    this.count(primary, trail.atMs);
    this.count(trail, trail.atMs);
  }

  alone(event: ComparedEvent): void {
    if (this.isInSpan(event.atMs)) this.count(event, event.atMs);
  }

  isInSpan(atMs: number): boolean {
    return atMs >= this.span.sinceMs && atMs < this.span.untilMs;
  }

  /** Cells with different counts, by time and action, at most 1,000; how many there are in all. */
  differingCells(): { counts: readonly ActionCount[]; differingCells: number } {
    const found = [...this.cells.values()].filter(({ primary, trail }) => primary !== trail);
    const sorted = found.sort((a, b) => a.bucket - b.bucket || (a.action < b.action ? -1 : 1));
    const { sinceMs, bucketMs } = this.span;
    const counts = sorted.slice(0, maxShown).map(({ action, bucket, primary, trail }) => ({
      ...{ action, from: new Date(sinceMs + bucket * bucketMs), primary, trail },
    }));
    return { counts, differingCells: found.length };
  }

  distribution(): HashDistribution {
    const share = (count: number, all: number): number => (all === 0 ? 0 : count / all);
    let distance = 0;
    const prefixes: HashPrefixCount[] = [];
    for (const [prefix, { primary, trail }] of this.prefixes) {
      distance += Math.abs(share(primary, this.total.primary) - share(trail, this.total.trail)) / 2;
      if (primary !== trail) prefixes.push({ prefix, primary, trail });
    }
    const isOneEmpty = (this.total.primary === 0) !== (this.total.trail === 0);
    return { distance: isOneEmpty ? 1 : distance, prefixes: prefixes.sort((a, b) => (a.prefix < b.prefix ? -1 : 1)) };
  }

  private count({ side, sample }: ComparedEvent, atMs: number): void {
    const bucket = Math.floor((atMs - this.span.sinceMs) / this.span.bucketMs);
    const isFull = this.cells.size >= maxCells;
    const key = `${bucket} ${sample.action}`;
    const action = isFull && !this.cells.has(key) ? otherActions : sample.action;
    const cell = this.cells.get(`${bucket} ${action}`) ?? { action, bucket, primary: 0, trail: 0 };
    this.cells.set(`${bucket} ${action}`, cell);
    const prefix = sample.payloadSha256.slice(0, 2);
    const hashes = this.prefixes.get(prefix) ?? { primary: 0, trail: 0 };
    this.prefixes.set(prefix, hashes);
    for (const counted of [cell, hashes, this.total]) counted[side] += 1;
  }
}
