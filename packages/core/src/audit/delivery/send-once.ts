import { CriticizerError, isCriticizerError } from '../../foundation/errors.js';
import { classifyFailure } from '../../foundation/failures/failure.js';
import type { Clock } from '../../foundation/time/clock.js';
import { withDeadline } from '../../foundation/time/with-deadline.js';
import type { ClaimedAuditDelivery } from '../../stores/audit-store.js';
import type { AuditSink, SinkAnswer, SinkContext } from '../sinks/audit-sink.js';

const kinds: ReadonlySet<unknown> = new Set(['delivered', 'retry', 'confirm', 'dead-letter', 'accepted']);

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** True for an answer of the port, whole: one that is not could not be written into its row. */
function isAnswer(answer: SinkAnswer | null | undefined): boolean {
  if (!kinds.has(answer?.kind)) return false;
  switch (answer?.kind) {
    case 'accepted':
      return Number.isFinite(answer.pollAfterMs) && isStorable(answer.receipt);
    case 'retry':
    case 'confirm':
    case 'dead-letter': {
      const { code, message, about, details = {} } = answer.failure ?? {};
      const retryAfterMs = answer.kind === 'retry' ? (answer.retryAfterMs ?? 0) : 0;
      const isWhole = isText(code) && isText(message) && (about === 'event' || about === 'destination');
      return isWhole && isStorable(details) && !Number.isNaN(retryAfterMs);
    }
    default:
      return true;
  }
}

/** True for an object that JSON can carry. */
function isStorable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  try {
    return typeof JSON.stringify(value) === 'string';
  } catch {
    return false; // a cycle, a bigint
  }
}

/** Codes of the failure table that say something about one event; all others are about the destination. */
const eventCodes: ReadonlySet<string> = new Set(['HTTP_TOO_LARGE', 'UNEXPECTED']);

/** What a sink threw, as an answer. Nothing of the error's text is kept: it may quote the event. */
export function answerFromError(error: unknown, nowMs: number): SinkAnswer {
  const { code, retryable, parks, retryAfterMs } = classifyFailure(error, { nowMs });
  const isOurs = isCriticizerError(error);
  const message = isOurs ? error.message : 'The sink failed in a way that it does not declare.';
  // An answer that is too long says nothing of the event: every one would have it.
  const isLongAnswer = isOurs && error.details['maxResponseBytes'] !== undefined;
  const about = eventCodes.has(code) && !isLongAnswer ? ('event' as const) : ('destination' as const);
  const failure = { code, message, about, details: isOurs ? error.details : {} };
  // A fault of the sink's own code is retried: a new release may cure it.
  return retryable || parks || code === 'UNEXPECTED'
    ? { kind: 'retry', failure, retryAfterMs }
    : { kind: 'confirm', failure };
}

/** One call of a sink, and how long it may take. */
export interface SendOptions {
  sink: AuditSink;
  claimed: ClaimedAuditDelivery;
  /** Aborts when the lease is lost or the worker stops. */
  signal: AbortSignal;
  timeoutMs: number;
  clock: Clock;
}

function callSink({ sink, claimed: { delivery, event } }: SendOptions, context: SinkContext): Promise<SinkAnswer> {
  if (delivery.receipt === null || sink.poll === undefined) return sink.send(event, context);
  return sink.poll(delivery.receipt, context);
}

/**
 * Sends the event, or asks for its confirmation where the row has a receipt. Always gives an answer:
 * what the sink throws is classified, and one that does not answer in time is a retry. Rejects only
 * with the reason of `signal`.
 */
export async function sendOnce(options: SendOptions): Promise<SinkAnswer> {
  const { sink, claimed, signal, timeoutMs, clock } = options;
  const late = (): CriticizerError =>
    new CriticizerError('NETWORK_TIMEOUT', `The sink gave no answer within ${timeoutMs} ms.`, { category: 'network' });
  const calling = new AbortController();
  const stop = (): void => calling.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const context = { idempotencyKey: claimed.delivery.idempotencyKey, signal: calling.signal };
    const call = Promise.resolve().then(() => callSink(options, context));
    const answer = await withDeadline({ clock, ms: timeoutMs, call: `${sink.id}.send`, signal, late }, call);
    if (isAnswer(answer)) return answer;
    throw new TypeError('the sink gave no answer of the port');
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return answerFromError(error, clock.nowMs());
  } finally {
    signal.removeEventListener('abort', stop);
    calling.abort(late()); // ends a call that is late
  }
}
