import type { OutboxRow } from '../stores/notify-outbox.js';
import type { LookupOutcome } from './senders/mailer.js';
import type { Sender } from './senders/sender.js';

/** What a decision is made from; nothing is read or written here. */
export interface DeliveryFacts {
  /** As re-read in the claim (NOT-6). */
  row: Pick<
    OutboxRow,
    | 'status'
    | 'attempts'
    | 'lastFailure'
    | 'phase'
    | 'dataAt'
    | 'updatedAt'
    | 'notificationId'
    | 'notifiedAt'
    | 'provider'
    | 'providerKeyExpiresAt'
  >;
  sender: Pick<Sender, 'id' | 'capabilities'>;
  /** The store's clock. */
  nowMs: number;
}

/** The operator's choices that a decision needs. */
export interface DeliveryPolicy {
  /**
   * What to do with a mail that may have been sent where nothing can tell: send again, flagged, or
   * hold for an operator.
   */
  ambiguity: 'resend' | 'hold';
  /**
   * Attempts a row may start; four times as many where none left a failure behind, since workers
   * that die spend attempts too. The last one is still reconciled before the row fails (NOT-7).
   */
  maxAttempts: number;
  /** A provider's idempotency window counts as closed this long before its end: a send takes time. */
  replayMarginMs: number;
  /** Pause between look-ups that could not tell. */
  lookupRetryMs: number;
}

/** What to do with a claimed row. `certain`: no copy of the mail can exist yet. */
export type DeliveryDecision =
  | { do: 'skip'; why: 'notified' | 'closed' }
  | { do: 'send'; certain: true }
  /** The policy accepts a second copy. */
  | { do: 'send'; certain: false }
  /** A look-up found no copy. One may still lie in the server's own queue, so the row is flagged. */
  | { do: 'resend' }
  /** Same key, same bytes: the provider knows the repeat. */
  | { do: 'replay' }
  | { do: 'lookup' }
  | { do: 'wait'; delayMs: number; why: 'not-settled' | 'lookup-failed' }
  | { do: 'recover'; id: string }
  | { do: 'hold' }
  /** Attempts are spent and no copy exists. */
  | { do: 'exhausted' };

const isSameProvider = (facts: DeliveryFacts): boolean => facts.row.provider === facts.sender.id;

/** Milliseconds since the data phase by the store's clock, never negative. */
export function sinceDataMs(facts: DeliveryFacts): number {
  return Math.max(0, facts.nowMs - (facts.row.dataAt ?? facts.row.updatedAt).getTime());
}

function canReplay(facts: DeliveryFacts, policy: DeliveryPolicy): boolean {
  const { idempotency } = facts.sender.capabilities;
  if (idempotency === 'none' || !isSameProvider(facts) || facts.row.attempts > policy.maxAttempts) return false;
  if (idempotency === 'receiver') return true;
  const expiresAt = facts.row.providerKeyExpiresAt;
  return expiresAt !== null && facts.nowMs + policy.replayMarginMs < expiresAt.getTime();
}

function canLookUp(facts: DeliveryFacts): boolean {
  const { lookup, retentionMs } = facts.sender.capabilities;
  if (lookup === 'none' || (lookup === 'id' && facts.row.notificationId === null)) return false;
  return sinceDataMs(facts) <= retentionMs;
}

/**
 * Attempts that ended without any word, because their worker died, prove little about the mail: so
 * many times more are allowed.
 */
const DEATHS_FACTOR = 4;

/** No copy exists, and the attempts are spent. A mail that kills its workers comes to its end too. */
function isSpent({ row }: DeliveryFacts, { maxAttempts }: DeliveryPolicy): boolean {
  return row.attempts > (row.lastFailure === null ? DEATHS_FACTOR * maxAttempts : maxAttempts);
}

/** Nothing can tell whether the mail went out. */
function byPolicy(facts: DeliveryFacts, policy: DeliveryPolicy): DeliveryDecision {
  if (policy.ambiguity === 'hold' || facts.row.attempts > policy.maxAttempts) return { do: 'hold' };
  return { do: 'send', certain: false };
}

/**
 * The first decision on a claimed row (NOT-4, NOT-6, ruling R6): a notified row is never sent
 * again; a row whose send never reached the data phase is sent; any other is replayed inside the
 * provider's idempotency window, looked up, or left to the policy, in that order. An id without
 * `notifiedAt` is looked up before anything else.
 */
export function decideDelivery(facts: DeliveryFacts, policy: DeliveryPolicy): DeliveryDecision {
  const { row } = facts;
  if (row.notifiedAt !== null) return { do: 'skip', why: 'notified' };
  if (row.status !== 'pending' && row.status !== 'sending') return { do: 'skip', why: 'closed' };
  if (row.phase !== 'data' && row.notificationId === null) {
    return isSpent(facts, policy) ? { do: 'exhausted' } : { do: 'send', certain: true };
  }
  if (row.notificationId !== null && canLookUp(facts)) return { do: 'lookup' };
  if (canReplay(facts, policy)) return { do: 'replay' };
  return canLookUp(facts) ? { do: 'lookup' } : byPolicy(facts, policy);
}

/**
 * The second decision, after a look-up (NOT-7). Absence sends again, flagged, only when it is
 * conclusive and comes from the provider that had the mail; until then the row waits. A look-up that
 * failed never leads to a send.
 */
export function decideAfterLookup(
  facts: DeliveryFacts,
  policy: DeliveryPolicy,
  found: LookupOutcome | 'failed',
): DeliveryDecision {
  if (found === 'failed') return { do: 'wait', delayMs: policy.lookupRetryMs, why: 'lookup-failed' };
  if (found.kind === 'found') return { do: 'recover', id: found.id };
  if (!isSameProvider(facts)) return byPolicy(facts, policy);
  if (!found.conclusive) {
    const settleMs = facts.sender.capabilities.settleMs - sinceDataMs(facts);
    return { do: 'wait', delayMs: Math.max(settleMs, policy.lookupRetryMs), why: 'not-settled' };
  }
  return isSpent(facts, policy) ? { do: 'exhausted' } : { do: 'resend' };
}
