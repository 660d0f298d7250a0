import type { OutboxRow, OutboxSettlement } from '../stores/notify-outbox.js';
import type { AttemptResult } from './deliver-attempt.js';
import type { DeliveryPolicy } from './delivery-decision.js';
import type { Sender } from './senders/sender.js';

type WithoutLease<S> = S extends unknown ? Omit<S, 'lease'> : never;
/** A settlement of a delivery without its lease: what to write, before it is known under which fence. */
export type SettlementBody = WithoutLease<
  Extract<OutboxSettlement, { kind: 'sent' | 'retry' | 'wait' | 'failed' | 'unknown' | 'cancelled' }>
>;

/** When a delivery is tried again, looked up or given up. Times are in milliseconds. */
export interface DeliverySettings extends DeliveryPolicy {
  /** Delay after a counted attempt, by its number from 1 (NOT-9). */
  backoffMs(attempt: number): number;
  /** A server that asks for longer than this is waited for; the attempt is given back (ruling R9). */
  maxBackoffMs: number;
  /** Delay while the transport or the credential is out, by the row's age: an outage costs no attempts. */
  outageWaitMs(ageMs: number): number;
  /**
   * Further delay after a lost answer where neither look-up nor key can tell, by the attempt's
   * number from 1: each such attempt may make a copy, so it counts, and the few that there are must
   * outlast an outage.
   */
  lostAnswerWaitMs(attempt: number): number;
  /** Rows older than this count every attempt, whatever the server asks for. */
  patienceMs: number;
}

/**
 * 5 attempts, a second to a minute apart. Where nothing can tell whether a mail was accepted, it is
 * sent again, flagged: after a second, then after 5, 10, 20 and 30 minutes. An outage is checked
 * again after a quarter of the row's age, within 5 s and 5 min. Patience is 3 days. `backoffMs` has
 * no jitter here: wiring passes the queue's own.
 */
export const defaultDeliverySettings: DeliverySettings = {
  ambiguity: 'resend',
  maxAttempts: 5,
  replayMarginMs: 60_000,
  lookupRetryMs: 30_000,
  backoffMs: (attempt) => Math.min(60_000, 1_000 * 2 ** (attempt - 1)),
  maxBackoffMs: 60_000,
  outageWaitMs: (ageMs) => Math.min(300_000, Math.max(5_000, Math.floor(ageMs / 4))),
  lostAnswerWaitMs: (attempt) => (attempt < 2 ? 0 : Math.min(1_800_000, 300_000 * 2 ** (attempt - 2))),
  patienceMs: 3 * 86_400_000,
};

/**
 * Why a mail is sent. `certain`: no copy exists. `replay`: the provider knows the repeat. `resend`: a
 * look-up found no copy, and one may still lie in the server's own queue. `flagged`: nothing can
 * tell, and the policy accepts a second copy.
 */
export type SendReason = 'certain' | 'replay' | 'resend' | 'flagged';

/** True where the attempt may make a second copy. */
export function makesCopy(how: SendReason): boolean {
  return how === 'flagged' || how === 'resend';
}

export interface SettlementFacts {
  row: OutboxRow;
  sender: Pick<Sender, 'id' | 'capabilities'>;
  how: SendReason;
}

/** The longest that a server is left alone at its own wish: it may mean a year, or no time that there is. */
const longestAskedMs = 3_600_000;

const askedMs = ({ retryAfterMs = 0 }: { retryAfterMs?: number | undefined }): number =>
  Math.min(retryAfterMs, longestAskedMs);

const ageMs = (row: OutboxRow): number => Math.max(0, row.updatedAt.getTime() - row.createdAt.getTime());

function rejected(
  facts: SettlementFacts,
  result: AttemptResult & { kind: 'rejected' },
  settings: DeliverySettings,
): SettlementBody {
  const { row, how } = facts;
  // An earlier attempt may have been accepted: a clear no to this one says nothing about it.
  const unresolved = how === 'flagged' || how === 'replay';
  const { failure } = result;
  const retryAfterMs = askedMs(result);
  // With the phase kept, the next attempt looks up again before it sends.
  const phase = how === 'certain' ? 'none' : 'data';
  if (failure.scope === 'transport') {
    return {
      kind: 'wait',
      delayMs: Math.max(settings.outageWaitMs(ageMs(row)), retryAfterMs),
      reason: failure.code,
      phase,
    };
  }
  const waits = !result.permanent && retryAfterMs > settings.maxBackoffMs && ageMs(row) < settings.patienceMs;
  if (waits) return { kind: 'wait', delayMs: retryAfterMs, reason: failure.code, phase };
  if (result.permanent || row.attempts >= settings.maxAttempts) {
    return unresolved ? { kind: 'unknown', failure } : { kind: 'failed', failure };
  }
  return { kind: 'retry', delayMs: Math.max(settings.backoffMs(row.attempts), retryAfterMs), failure, phase };
}

/**
 * True where a look-up or the provider's key decides before the next byte leaves: repeating the
 * attempt makes no further copy.
 */
function isResolvable({ row, sender, how }: SettlementFacts): boolean {
  if (how === 'flagged') return false; // nothing could tell before this attempt, so nothing can after it
  const { idempotency, lookup } = sender.capabilities;
  return idempotency !== 'none' || lookup === 'key' || (lookup === 'id' && row.notificationId !== null);
}

/**
 * A server that says 354 and then goes away, or a gateway that answers 503, is an outage: it spends
 * no attempt where something can tell what became of the mail (ruling R9). Elsewhere every attempt
 * counts, since each may be one more copy.
 */
function lostAnswer(
  facts: SettlementFacts,
  result: AttemptResult & { kind: 'ambiguous' },
  settings: DeliverySettings,
): SettlementBody {
  const { row, sender } = facts;
  const leastMs = Math.max(settings.backoffMs(row.attempts), sender.capabilities.settleMs, askedMs(result));
  if (!isResolvable(facts) || ageMs(row) >= settings.patienceMs) {
    const delayMs = Math.max(leastMs, isResolvable(facts) ? 0 : settings.lostAnswerWaitMs(row.attempts));
    return { kind: 'retry', delayMs, failure: result.failure, phase: 'data' };
  }
  // The first one is resolved soon; those after it keep the pace of an outage.
  const delayMs = row.dataAt === null ? leastMs : Math.max(leastMs, settings.outageWaitMs(ageMs(row)));
  return { kind: 'wait', delayMs, reason: result.failure.code, phase: 'data' };
}

/**
 * What to write after an attempt (NOT-7, NOT-9). Only a recipient's or a message's fault fails a
 * row, and never while an earlier attempt may have been accepted: then it is held as `unknown`. A
 * transport outage spends no attempt.
 */
export function settlementFor(
  facts: SettlementFacts,
  result: Exclude<AttemptResult, { kind: 'lease-lost' }>,
  settings: DeliverySettings,
): SettlementBody {
  const { row, sender } = facts;
  switch (result.kind) {
    case 'accepted': {
      const possibleDuplicate = makesCopy(facts.how) || row.possibleDuplicate;
      return { kind: 'sent', notificationId: result.id, provider: sender.id, recovered: false, possibleDuplicate };
    }
    case 'ambiguous':
      return lostAnswer(facts, result, settings);
    case 'not-sent': {
      const delayMs = Math.max(settings.outageWaitMs(ageMs(row)), askedMs(result));
      return { kind: 'wait', delayMs, reason: result.code, phase: facts.how === 'certain' ? 'none' : 'data' };
    }
    case 'rejected':
      return rejected(facts, result, settings);
  }
}
