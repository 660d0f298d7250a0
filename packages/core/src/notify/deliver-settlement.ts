import type { AttemptResult } from './deliver-attempt.js';
import type { DeliveryPolicy } from './delivery-decision.js';
import type { Mailer } from './mailer.js';
import type { OutboxRow, OutboxSettlement } from './notify-outbox.js';

type WithoutLease<S> = S extends unknown ? Omit<S, 'lease'> : never;
/** A settlement of a delivery without its lease: what to write, before it is known under which fence. */
export type SettlementBody = WithoutLease<Extract<OutboxSettlement, { kind: 'sent' | 'retry' | 'wait' | 'failed' | 'unknown' }>>;

export interface DeliverySettings extends DeliveryPolicy {
  /** Delay after a counted attempt, by its number from 1 (NOT-9). */
  backoffMs(attempt: number): number;
  /** A server that asks for longer than this is waited for; the attempt is given back (ruling R9). */
  maxBackoffMs: number;
  /** Delay while the transport or the credential is out, by the row's age: an outage costs no attempts. */
  outageWaitMs(ageMs: number): number;
  /** Rows older than this count every attempt, whatever the server asks for. */
  patienceMs: number;
}

/**
 * 5 attempts, a second to a minute apart; sent again, flagged, where nothing can tell; an outage is looked at again after a quarter of the row's age, within
 * 5 s and 5 min; patience 3 days. `backoffMs` has no jitter here: wiring passes the queue's own.
 */
export const defaultDeliverySettings: DeliverySettings = {
  ambiguity: 'resend',
  maxAttempts: 5,
  replayMarginMs: 60_000,
  lookupRetryMs: 30_000,
  backoffMs: (attempt) => Math.min(60_000, 1_000 * 2 ** (attempt - 1)),
  maxBackoffMs: 60_000,
  outageWaitMs: (ageMs) => Math.min(300_000, Math.max(5_000, Math.floor(ageMs / 4))),
  patienceMs: 3 * 86_400_000,
};

export interface SettlementFacts {
  row: OutboxRow;
  mailer: Pick<Mailer, 'id' | 'capabilities'>;
  /** An earlier attempt may have been accepted: a clear no to this one says nothing about it. */
  unresolved: boolean;
  /** The policy accepted a second copy. */
  possibleDuplicate: boolean;
}

const ageMs = (row: OutboxRow): number => Math.max(0, row.updatedAt.getTime() - row.createdAt.getTime());

function rejected(facts: SettlementFacts, result: AttemptResult & { kind: 'rejected' }, settings: DeliverySettings): SettlementBody {
  const { row, unresolved } = facts;
  const { failure, retryAfterMs = 0 } = result;
  const phase = unresolved ? 'data' : 'none';
  if (failure.scope === 'transport') {
    return { kind: 'wait', delayMs: Math.max(settings.outageWaitMs(ageMs(row)), retryAfterMs), reason: failure.code, phase };
  }
  const waits = !result.permanent && retryAfterMs > settings.maxBackoffMs && ageMs(row) < settings.patienceMs;
  if (waits) return { kind: 'wait', delayMs: retryAfterMs, reason: failure.code, phase };
  if (result.permanent || row.attempts >= settings.maxAttempts) {
    return unresolved ? { kind: 'unknown', failure } : { kind: 'failed', failure };
  }
  return { kind: 'retry', delayMs: Math.max(settings.backoffMs(row.attempts), retryAfterMs), failure, phase };
}

/**
 * What to write after an attempt (NOT-7, NOT-9). Only a recipient's or a message's fault fails a row, and never while an earlier attempt
 * may have been accepted: then it is held as `unknown`. A transport outage spends no attempt.
 */
export function settlementFor(
  facts: SettlementFacts,
  result: Exclude<AttemptResult, { kind: 'lease-lost' }>,
  settings: DeliverySettings,
): SettlementBody {
  const { row, mailer } = facts;
  switch (result.kind) {
    case 'accepted': {
      const possibleDuplicate = facts.possibleDuplicate || row.possibleDuplicate;
      return { kind: 'sent', notificationId: result.id, provider: mailer.id, recovered: false, possibleDuplicate };
    }
    case 'ambiguous': {
      const delayMs = Math.max(settings.backoffMs(row.attempts), mailer.capabilities.settleMs);
      return { kind: 'retry', delayMs, failure: result.failure, phase: 'data' };
    }
    case 'not-sent': {
      const delayMs = Math.max(settings.outageWaitMs(ageMs(row)), result.retryAfterMs ?? 0);
      return { kind: 'wait', delayMs, reason: result.code, phase: facts.unresolved ? 'data' : 'none' };
    }
    case 'rejected':
      return rejected(facts, result, settings);
  }
}
