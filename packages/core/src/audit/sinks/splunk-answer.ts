import { isSuccess } from '../../foundation/failures/http-failure.js';
import { parseRetryAfter } from '../../foundation/failures/retry-after.js';
import type { HttpResponse } from '../../http/http-client.js';
import { answerStatus, statusFailure, unreadableAnswer } from './answer-status.js';
import type { SinkAnswer, SinkFailure } from './audit-sink.js';

/** What HEC says in an answer's body. */
export interface SplunkReply {
  code: number;
  ackId?: number | undefined;
  /** 0-based number of the event that it did not take; those before it were taken, those after it not. */
  invalidEvent?: number | undefined;
}

/** Null for what is no answer of HEC. */
export function readSplunkReply({ body }: Pick<HttpResponse, 'body'>): SplunkReply | null {
  try {
    const read = JSON.parse(Buffer.from(body).toString()) as Record<string, unknown> | null;
    const number = (name: string): number | undefined =>
      Number.isSafeInteger(read?.[name]) ? (read?.[name] as number) : undefined;
    const code = number('code');
    return code === undefined ? null : { code, ackId: number('ackId'), invalidEvent: number('invalid-event-number') };
  } catch {
    return null;
  }
}

/** Taken: 24 and 25 say besides that a queue is nearly full. */
const takenCodes: ReadonlySet<number> = new Set([0, 24, 25]);
/** One event's fault: format, no event, blank event, time or fields; 7 is its index. */
const eventCodes: ReadonlySet<number> = new Set([6, 7, 12, 13, 15]);
const wrongIndex = 7;

/** What an answer says of a batch: all alike, or each by its place. */
export type SplunkVerdict =
  | { kind: 'all'; answer: SinkAnswer }
  | { kind: 'taken'; ackId: number | undefined }
  /** Events before `at` were taken, the one at it refused, those behind it not looked at. */
  | { kind: 'prefix'; at: number; ackId: number | undefined; failure: SinkFailure }
  | { kind: 'too-large' };

function failureOf(response: HttpResponse, reply: SplunkReply | null, over: Partial<SinkFailure> = {}): SinkFailure {
  const details = { status: response.status, ...(reply === null ? {} : { splunk_code: reply.code }) };
  return statusFailure(response.status, { ...over, details });
}

/** Reads the answer to a batch of `count` events (`facts` of HEC: prefix failures, queue warnings). */
export function judgeSplunkAnswer(response: HttpResponse, count: number, nowMs: number): SplunkVerdict {
  const { status, headers } = response;
  const reply = readSplunkReply(response);
  if (isSuccess(status)) {
    if (reply !== null && takenCodes.has(reply.code)) return { kind: 'taken', ackId: reply.ackId };
    return { kind: 'all', answer: unreadableAnswer(status) };
  }
  if (status === 413) return { kind: 'too-large' };
  if (status === 400 && reply !== null && eventCodes.has(reply.code)) {
    // The number of a wrong index counts from 1.
    const named = reply.invalidEvent ?? (count === 1 ? 0 : -1);
    const at = reply.code === wrongIndex && reply.invalidEvent !== undefined ? named - 1 : named;
    const failure = failureOf(response, reply, { code: 'HTTP_REJECTED', about: 'event' });
    if (at >= 0 && at < count) return { kind: 'prefix', at, ackId: reply.ackId, failure };
    return { kind: 'too-large' }; // which event is unknown: smaller batches tell
  }
  // No data, no channel, acknowledgement off: the token's or the sink's set-up.
  if (status === 400)
    return { kind: 'all', answer: { kind: 'confirm', failure: failureOf(response, reply, { about: 'destination' }) } };
  const answer = answerStatus({ status, headers }, nowMs);
  if (answer.kind === 'retry') {
    const retryAfterMs = parseRetryAfter(headers, nowMs);
    return { kind: 'all', answer: { ...answer, failure: failureOf(response, reply), retryAfterMs } };
  }
  return { kind: 'all', answer: { kind: 'confirm', failure: failureOf(response, reply) } };
}
