import { checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { checkAbortSignal, checkFunction, optional, withMethods } from '../../foundation/option-checks.js';
import type { PayloadRedactor } from '../../foundation/redactor.js';
import { checkDate, checkMs, checkWhole } from '../../foundation/store-input.js';
import type { AuditEvent, AuditStore, NewAuditEvent } from '../../stores/audit-store.js';
import { refuseAbsentFacet } from '../../stores/modules.js';
import { type AuditEntry, toAuditEvent } from '../audit-entry.js';
import {
  type AuditComparisonSample,
  type ComparedEvent,
  listDifferingFields,
  toComparedEvent,
} from './compared-event.js';
import { type ActionCount, ComparisonCounts, type HashDistribution } from './comparison-counts.js';
import { EventMatcher, type Unmatched } from './event-matcher.js';
import { readTrailInOrder } from './read-trail-in-order.js';

/** An entry of the host's own log: what the host gave to `record`, and when. */
export interface PrimaryAuditEntry extends AuditEntry {
  occurredAt: Date;
}

/** An action that both logs know, where something about it differs. */
export interface AuditDifference {
  primary: AuditComparisonSample;
  trail: AuditComparisonSample;
  /** Columns, and `payload`. */
  fields: readonly string[];
}

/** Two logs of the same actions, compared. Lists hold the oldest 100; counts are of all. */
export interface AuditComparison {
  /**
   * `same`: every event of either log has its equal in the other. `different`: some have not, or the
   * host's log has entries that no trail takes. `empty`: no events. `unknown`: more than
   * `maxUnmatched` events waited for their equal, and the counts agree.
   */
  verdict: 'same' | 'different' | 'empty' | 'unknown';
  since: Date;
  until: Date;
  bucketMs: number;
  /** False where more than `maxUnmatched` events had no equal: nothing is listed then, counts stand. */
  isComplete: boolean;
  primaryCount: number;
  trailCount: number;
  matchedCount: number;
  /** In the host's log, not in the trail. Null unless `isComplete`; so are the two below. */
  missingCount: number | null;
  /** In the trail, not in the host's log. */
  extraCount: number | null;
  differentCount: number | null;
  /** Entries of the host's log that the trail refuses: an action, an actor type or a result that is none. */
  invalidCount: number;
  missing: readonly AuditComparisonSample[];
  extra: readonly AuditComparisonSample[];
  different: readonly AuditDifference[];
  /** Why entries are invalid, the first 10. */
  invalid: readonly string[];
  /** Actions and spans of `bucketMs` with different counts, by time, at most 1,000. */
  counts: readonly ActionCount[];
  /** How many there are. */
  differingCells: number;
  hashes: HashDistribution;
}

/** Which events of the two logs are compared, and by what. */
export interface CompareAuditTrailsOptions<Tx> {
  /** `Stores.audit`: the trail. */
  store: Pick<AuditStore<Tx>, 'list'>;
  /** The trail's own, so that both sides have the same redaction. */
  redactor: PayloadRedactor;
  /** The host's log, about in the order of time. Entries outside the span are skipped. */
  primary: AsyncIterable<PrimaryAuditEntry> | Iterable<PrimaryAuditEntry>;
  /** Events of this instant or later. */
  since: Date;
  /** Events before this instant. */
  until: Date;
  /** Milliseconds of a span in `counts`; default 300,000. At most 100,000 spans. */
  bucketMs?: number | undefined;
  /** Milliseconds by which the times of one action may differ between the logs; default 60,000. */
  toleranceMs?: number | undefined;
  /** Which events count: those of tenants that the trail records, say. Default: all but `audit.flag.*`. */
  covers?: ((event: { action: string; tenantId: string | null }) => boolean | Promise<boolean>) | undefined;
  /** Events without an equal that are held at a time, about 1 kB each; default 50,000. */
  maxUnmatched?: number | undefined;
  /** Aborts the comparison, which rejects with its reason. */
  signal?: AbortSignal | undefined;
}

const optionShape: OptionShape<CompareAuditTrailsOptions<unknown>> = {
  store: withMethods('list'),
  redactor: withMethods('redact'),
  primary(option, value) {
    const members = value as { [Symbol.asyncIterator]?: unknown; [Symbol.iterator]?: unknown } | null | undefined;
    if (typeof (members?.[Symbol.asyncIterator] ?? members?.[Symbol.iterator]) !== 'function')
      throw new TypeError(`${option}: expected an iterable of entries, asynchronous or not`);
  },
  since: checkDate,
  until: checkDate,
  bucketMs: optional((option, value) => checkMs(option, value, 1)),
  toleranceMs: optional((option, value) => checkMs(option, value)),
  covers: optional(checkFunction),
  maxUnmatched: optional((option, value) => checkWhole(option, value, 1)),
  signal: optional(checkAbortSignal),
};

/** Entries that a report lists. */
const maxListed = 100;
const maxInvalidListed = 10;
const maxBuckets = 100_000;

/** The flags' own events: a trail records them whatever the flags say, no host's log knows them. */
const isOfRollout = (action: string): boolean => action.startsWith('audit.flag.');

/** One comparison, from its first event to its report. */
class Comparison<Tx> {
  private readonly options: CompareAuditTrailsOptions<Tx>;
  private readonly bucketMs: number;
  private readonly toleranceMs: number;
  private readonly counts: ComparisonCounts;
  private readonly matcher: EventMatcher;
  private readonly invalid: string[] = [];
  private invalidCount = 0;

  constructor(options: CompareAuditTrailsOptions<Tx>) {
    const { since, until, bucketMs = 300_000, toleranceMs = 60_000, maxUnmatched = 50_000 } = options;
    const [sinceMs, untilMs] = [since.getTime(), until.getTime()];
    if (untilMs <= sinceMs) throw new TypeError('compareAuditTrails: until: expected an instant after since');
    if ((untilMs - sinceMs) / bucketMs > maxBuckets)
      throw new TypeError(`compareAuditTrails: bucketMs: expected at most ${maxBuckets} spans between since and until`);
    this.options = options;
    this.bucketMs = bucketMs;
    this.toleranceMs = toleranceMs;
    this.counts = new ComparisonCounts({ sinceMs, untilMs, bucketMs });
    this.matcher = new EventMatcher(
      { toleranceMs, maxUnmatched },
      { pair: (pair) => this.counts.pair(pair), alone: (event) => this.counts.alone(event) },
    );
  }

  async run(): Promise<AuditComparison> {
    const { store, primary, since, until, signal } = this.options;
    // The equal of an event at the edge may lie beyond it.
    const sinceMs = since.getTime() - this.toleranceMs;
    const untilMs = until.getTime() + this.toleranceMs;
    const trail = readTrailInOrder(store, { sinceMs, untilMs, windowMs: this.bucketMs });
    let next = await trail.next();
    for await (const entry of primary) {
      signal?.throwIfAborted();
      const atMs = readTimeMs(entry);
      if (atMs === null) this.refuse('occurredAt: expected a Date');
      if (atMs === null || atMs < sinceMs || atMs >= untilMs) continue;
      for (; next.done !== true && next.value.occurredAt.getTime() <= atMs; next = await trail.next())
        await this.addStored(next.value);
      await this.addEntry(entry, new Date(atMs));
    }
    for (; next.done !== true; next = await trail.next()) {
      signal?.throwIfAborted();
      await this.addStored(next.value);
    }
    return this.report(this.matcher.finish());
  }

  private async addStored(event: AuditEvent): Promise<void> {
    if (await this.covers(event)) this.matcher.add(toComparedEvent(event, event.occurredAt));
  }

  private async addEntry(entry: PrimaryAuditEntry, occurredAt: Date): Promise<void> {
    const event = this.tryEvent(entry);
    if (event !== null && (await this.covers(event))) this.matcher.add(toComparedEvent(event, occurredAt));
  }

  /** The event that the trail would store; null where it refuses the entry. */
  private tryEvent(entry: PrimaryAuditEntry): NewAuditEvent | null {
    try {
      return toAuditEvent(entry, this.options.redactor, '');
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.refuse(error.message);
      return null;
    }
  }

  private refuse(why: string): void {
    this.invalidCount += 1;
    if (this.invalid.length < maxInvalidListed) this.invalid.push(why);
  }

  private async covers({ action, tenantId }: { action: string; tenantId: string | null }): Promise<boolean> {
    if (isOfRollout(action)) return false;
    return (await this.options.covers?.({ action, tenantId })) ?? true;
  }

  private report({ different, alone }: Unmatched): AuditComparison {
    const { isComplete } = this.matcher;
    const { counts } = this;
    const inSpan = (event: ComparedEvent): boolean => counts.isInSpan(event.atMs);
    const pairs = different.filter(({ primary, trail }) => inSpan(primary) || inSpan(trail));
    const left = (side: ComparedEvent['side']): AuditComparisonSample[] =>
      alone.filter((event) => event.side === side && inSpan(event)).map(({ sample }) => sample);
    const [missing, extra] = [left('primary'), left('trail')];
    const cells = counts.differingCells();
    const hashes = counts.distribution();
    // Without pairs an event at the edge of a span may count in the next one: the hashes have no edges.
    const isEqual = isComplete ? pairs.length + missing.length + extra.length === 0 : hashes.prefixes.length === 0;
    const isEmpty = counts.total.primary + counts.total.trail + this.invalidCount === 0;
    const agreed = isEmpty ? 'empty' : isComplete ? 'same' : 'unknown';
    return {
      verdict: isEqual && this.invalidCount === 0 ? agreed : 'different',
      since: this.options.since,
      until: this.options.until,
      bucketMs: this.bucketMs,
      isComplete,
      primaryCount: counts.total.primary,
      trailCount: counts.total.trail,
      matchedCount: counts.matched,
      missingCount: isComplete ? missing.length : null,
      extraCount: isComplete ? extra.length : null,
      differentCount: isComplete ? pairs.length : null,
      invalidCount: this.invalidCount,
      missing: missing.slice(0, maxListed),
      extra: extra.slice(0, maxListed),
      different: pairs.slice(0, maxListed).map(({ primary, trail }) => ({
        ...{ primary: primary.sample, trail: trail.sample, fields: listDifferingFields(primary, trail) },
      })),
      invalid: this.invalid,
      ...cells,
      hashes,
    };
  }
}

function readTimeMs({ occurredAt }: PrimaryAuditEntry): number | null {
  const atMs = occurredAt instanceof Date ? occurredAt.getTime() : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}

/**
 * Compares the trail with the log that the host keeps already (AUD-19, phase B): redacts and truncates
 * each entry of that log as the trail does, then looks for the equal of every event on the other side,
 * by columns, payload hash and time; counts both by action and time, and by the first digits of the
 * payload's hash. Reads the trail by pages and the log once; holds what has no equal yet. Throws
 * `TypeError` for a missing or unknown option, and what the log, the store or `covers` throws.
 */
export async function compareAuditTrails<Tx>(options: CompareAuditTrailsOptions<Tx>): Promise<AuditComparison> {
  checkOptions<CompareAuditTrailsOptions<Tx>>('compareAuditTrails', options, optionShape);
  refuseAbsentFacet('compareAuditTrails: store', options.store);
  return new Comparison(options).run();
}
