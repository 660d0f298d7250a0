import { classifyStatus, isSuccess } from '../../foundation/failures/http-failure.js';
import { parseRetryAfter } from '../../foundation/failures/retry-after.js';
import type { HttpResponse } from '../../http/http-client.js';
import type { SinkAnswer, SinkFailure, SinkTest } from './audit-sink.js';

/** Statuses that say the same to every event: wrong address, credential, method or media type. */
const aboutDestination: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 410, 415]);

/** The failure of an answer with this status. The body stays out: it may quote the event. */
export function statusFailure(status: number, over: Partial<SinkFailure> = {}): SinkFailure {
  const isOutage = status === 408 || status === 429 || status >= 500;
  return {
    code: classifyStatus(status).code,
    message: `The sink answered with HTTP status ${status}.`,
    about: isOutage || status < 400 || aboutDestination.has(status) ? 'destination' : 'event',
    details: { status },
    ...over,
  };
}

/**
 * What a status alone says (AUD-13, AUD-15): 2xx delivered; 408, 425, 429 and 5xx a retry, not before
 * `Retry-After`; all else is confirmed once. A redirect is not followed: it would carry the event and
 * its signature elsewhere.
 */
export function answerStatus({ status, headers }: Omit<HttpResponse, 'body'>, nowMs: number): SinkAnswer {
  if (isSuccess(status)) return { kind: 'delivered' };
  const failure = statusFailure(status);
  if (status === 408 || status === 425 || status === 429 || status >= 500)
    return { kind: 'retry', failure, retryAfterMs: parseRetryAfter(headers, nowMs) };
  return { kind: 'confirm', failure };
}

/** An answer that says success and is not of the protocol: a proxy's page, say. Safe to send again under its key. */
export function unreadableAnswer(status: number): SinkAnswer {
  const message = 'The sink answered with success and a body that is not of its protocol: is there a proxy between?';
  return { kind: 'retry', failure: { code: 'HTTP_MALFORMED', message, about: 'destination', details: { status } } };
}

/** What a test message's answer says of the connection. */
export function toSinkTest(answer: SinkAnswer): SinkTest {
  return 'failure' in answer ? { ok: false, failure: answer.failure } : { ok: true };
}
