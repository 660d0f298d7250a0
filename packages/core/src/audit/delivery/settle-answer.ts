import type { JsonObject } from '../../foundation/json.js';
import { storableText } from '../../foundation/storable-text.js';
import type { Random } from '../../foundation/time/random.js';
import type { AuditDelivery, AuditSettlement } from '../../stores/audit-store.js';
import type { SinkAnswer, SinkFailure } from '../sinks/audit-sink.js';
import { truncateText } from '../truncate-text.js';
import { maxAttempts, retryDelayMs } from './retry-schedule.js';

type WithoutLease<S> = S extends unknown ? Omit<S, 'lease'> : never;
/** What to write into the row of a delivery, before it is known under which fence. */
export type SettlementBody = WithoutLease<AuditSettlement>;

/** AUD-9: cap of a stored diagnostic, in UTF-8 bytes. */
const maxMessageBytes = 1_024;
const maxDetailsBytes = 4_096;
/** Delay of a row whose destination is out: nothing of it is claimed meanwhile, so it keeps its place in line. */
const parkedMs = 5_000;
const shortestPollMs = 250;

/** What the decision over one answer needs to know. */
export interface AnswerFacts {
  /** As claimed: the attempt is counted. */
  delivery: AuditDelivery;
  answer: SinkAnswer;
  /** Whether the breaker was open before this answer, and whether it is now. */
  wasOut: boolean;
  isOut: boolean;
  random: Pick<Random, 'next'>;
}

function messageOf({ message }: SinkFailure): string {
  return truncateText(storableText(message), maxMessageBytes);
}

/** A code that every store can hold; what is none is `UNEXPECTED`. */
function codeOf({ code }: SinkFailure): string {
  return /^[A-Za-z][\w.:-]{0,127}$/.test(code) ? code : 'UNEXPECTED';
}

function detailsOf({ details, about }: SinkFailure): JsonObject {
  const text = storableText(JSON.stringify(details ?? {}));
  if (Buffer.byteLength(text) > maxDetailsBytes) return { about, details_omitted: true };
  return { about, ...(JSON.parse(text) as JsonObject) };
}

function deadLetter(failure: SinkFailure): SettlementBody {
  return {
    kind: 'dead-letter',
    errorCode: codeOf(failure),
    errorSummary: messageOf(failure),
    errorDetails: { code: codeOf(failure), ...detailsOf(failure) },
  };
}

function retry({ delivery, random }: AnswerFacts, failure: SinkFailure, retryAfterMs?: number): SettlementBody {
  // Without a failure before this one the earlier attempts ended with their workers, not by an answer.
  const isFirstFailure = delivery.lastErrorCode === null;
  if (delivery.attemptCount >= maxAttempts && !isFirstFailure) return deadLetter(failure);
  const delayMs = retryDelayMs(delivery.attemptCount, random, retryAfterMs);
  return { kind: 'retry', delayMs, errorCode: codeOf(failure), errorMessage: messageOf(failure) };
}

/** The last failure said no as well, by the code that one cause always has. */
function isConfirmed({ lastErrorCode }: AuditDelivery, failure: SinkFailure, refusals: ReadonlySet<string>): boolean {
  return lastErrorCode !== null && (lastErrorCode === codeOf(failure) || refusals.has(lastErrorCode));
}

/** Codes of the failure table that 400, 401, 403, 404, 413 and 422 have: one of them confirms another. */
const refusals: ReadonlySet<string> = new Set(['AUTH_DENIED', 'HTTP_NOT_FOUND', 'HTTP_REJECTED']);

/**
 * What becomes of a delivery (AUD-12, AUD-13, AUD-15). A retryable failure waits by the schedule, 12 attempts in
 * all; a refusal is confirmed by one further attempt, then is a dead letter. While the destination
 * is out the attempt is given back (ruling R9), but for the one whose refusal began the outage: it
 * is confirmed, so that a rejected credential reaches an operator as one dead letter, not as all.
 */
export function settleAnswer(facts: AnswerFacts): SettlementBody {
  const { delivery, answer, wasOut, isOut } = facts;
  switch (answer.kind) {
    case 'delivered':
      return { kind: 'delivered' };
    case 'accepted':
      return { kind: 'accepted', delayMs: Math.max(shortestPollMs, answer.pollAfterMs), receipt: answer.receipt };
    case 'dead-letter':
      return deadLetter(answer.failure);
    case 'retry': {
      const { failure, retryAfterMs } = answer;
      // A row with a receipt spent its attempt before: there is none to give back.
      if (isOut && failure.about === 'destination' && delivery.receipt === null)
        return { kind: 'wait', delayMs: parkedMs, reason: codeOf(failure) };
      return retry(facts, failure, retryAfterMs);
    }
    case 'confirm': {
      const { failure } = answer;
      if (isConfirmed(delivery, failure, refusals)) return deadLetter(failure);
      if (wasOut && isOut && failure.about === 'destination')
        return { kind: 'wait', delayMs: parkedMs, reason: codeOf(failure) };
      return retry(facts, failure);
    }
  }
}

/** Workers that restart in a loop do not spend an event: claims without an answer count a quarter. */
const maxClaims = 4 * maxAttempts;

/**
 * The end of a delivery whose claims were spent without an answer: workers died of it, or their
 * settlements were lost (ruling R11). Null where it may be sent.
 */
export function settleSpent({ attemptCount, receipt, lastErrorCode }: AuditDelivery): SettlementBody | null {
  if (receipt !== null || attemptCount <= maxClaims) return null;
  const details = { attempts: attemptCount - 1, last_error_code: lastErrorCode };
  const message = 'Every attempt was claimed and none was settled: workers died of it, or lost its lease.';
  return deadLetter({ code: 'WORKER_LOST', message, about: 'event', details });
}
