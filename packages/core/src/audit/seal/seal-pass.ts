import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../foundation/time/clock.js';
import type { Random } from '../../foundation/time/random.js';
import { withDeadline } from '../../foundation/time/with-deadline.js';
import type { Stores } from '../../stores/stores.js';
import { metric } from '../../telemetry/names.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import type { CheckpointKeeper } from './checkpoint-keeper.js';
import { sealBatch } from './seal-batch.js';
import { sealAction, toSealEvent } from './seal-event.js';
import { readSealKey, type SealKey } from './seal-keys.js';

/** What one pass sealed. */
export interface AuditSealing {
  seals: number;
  events: number;
}

interface SealPassOptions<Tx> {
  stores: Pick<Stores<Tx>, 'audit' | 'auditSeals' | 'transaction'>;
  key: SealKey;
  destinations?: readonly string[] | undefined;
  batchSize?: number | undefined;
  callMs?: number | undefined;
  keeper: CheckpointKeeper;
  telemetry: Telemetry;
  clock: Clock;
  random: Random;
}

/**
 * How long an event may stay uncommitted after the instant that it carries and still be found by the
 * next pass. One whose transaction runs longer is found by the next look at the whole trail.
 */
const lateMs = 15 * 60_000;
/** Between two looks at the whole trail; the first pass of a process is one. */
const wholeEveryMs = 3_600_000;

/** How one batch ended. */
interface SealedBatch {
  /** 0: nothing to seal. */
  events: number;
  isFull: boolean;
  /** Every event before it is sealed, once this batch is not full. */
  sealedBefore: Date;
}

/** An event that waits for company: the event of a seal, which is sealed with the events after it. */
function earliest(waiting: Date | undefined, now: Date): Date {
  return new Date(Math.min(waiting?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime() - lateMs));
}

// long: the steps of one batch, over what the pass before found
/**
 * Makes the function of one pass: it seals batch after batch until nothing is left. A batch is one
 * transaction with its leaves, its seal and the event that delivers it, so a process killed anywhere
 * leaves no part of one; the file is brought up to date by the next pass. An abort begins no further
 * batch; one under way ends with its line in the file, within twice `callMs`.
 */
export function createSealPass<Tx>(options: SealPassOptions<Tx>): (signal: AbortSignal) => Promise<AuditSealing> {
  const {
    stores,
    key,
    destinations = [],
    batchSize = 500,
    callMs = 60_000,
    keeper,
    telemetry,
    clock,
    random,
  } = options;
  /** Events before it are sealed; null: look at the whole trail. */
  let since: Date | null = null;
  let wholeAt = Number.NEGATIVE_INFINITY;

  /** Null where another process has the chain. */
  async function sealOne(tx: Tx, privateKey: KeyObject): Promise<SealedBatch | null> {
    const claim = await stores.auditSeals.claim({ limit: batchSize, since }, { tx });
    if (claim === null) return null;
    keeper.check(claim.head);
    const { events, head, now } = claim;
    const oldest = events.find(({ action }) => action !== sealAction);
    const ageMs = oldest === undefined ? 0 : now.getTime() - oldest.createdAt.getTime();
    telemetry.gauge(metric.auditUnsealedAge, Math.max(0, ageMs) / 1_000);
    const isFull = events.length === batchSize;
    // A seal makes an event of its own: alone it would be sealed, and make the next one, for ever.
    // A batch that is full of them goes: one takes the place of all, and others may wait behind them.
    if (oldest === undefined && !isFull)
      return { events: 0, isFull, sealedBefore: earliest(events[0]?.createdAt, now) };
    const { seal, leaves } = sealBatch(events, { head, sealedAt: now, privateKey, random });
    await stores.auditSeals.append(seal, leaves, { tx });
    const root = await stores.audit.record(toSealEvent(seal, random.uuid()), destinations, { tx });
    return { events: events.length, isFull, sealedBefore: earliest(root.createdAt, now) };
  }

  return async (signal) => {
    const privateKey = await readSealKey(key, signal);
    /** `ended`: gives the call up; absent: a seal that is committed must reach the file too. */
    const bounded = <T>(call: string, work: Promise<T>, ended?: AbortSignal): Promise<T> =>
      withDeadline({ clock, ms: callMs, call, signal: ended }, work);
    await bounded('auditSeals.list', keeper.catchUp(), signal);
    if (clock.monotonicMs() - wholeAt >= wholeEveryMs) {
      since = null;
      wholeAt = clock.monotonicMs();
    }
    const done: AuditSealing = { seals: 0, events: 0 };
    while (!signal.aborted) {
      const batch = await bounded(
        'auditSeals.append',
        stores.transaction((tx) => sealOne(tx, privateKey)),
      );
      if (batch === null) break;
      if (!batch.isFull) since = batch.sealedBefore;
      if (batch.events === 0) break;
      done.seals += 1;
      done.events += batch.events;
      telemetry.count(metric.auditSealed, batch.events);
      await bounded('auditSeals.list', keeper.catchUp());
      if (!batch.isFull) break;
    }
    return done;
  };
}
