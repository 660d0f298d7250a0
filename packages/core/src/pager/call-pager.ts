import { CriticizerError, isCriticizerError } from '../foundation/errors.js';
import { classifyFailure } from '../foundation/failures/failure.js';
import type { OutboundGate } from '../foundation/outbound.js';
import type { Clock } from '../foundation/time/clock.js';
import { withDeadline } from '../foundation/time/with-deadline.js';
import type { Alert } from './alert.js';
import type { Pager, PagerAnswer, PagerContext, PagerFailure } from './pager.js';

/** What is done with an alert at a pager. */
export type PagerAction = 'trigger' | 'resolve';

/** One call of a pager. */
export interface PagerCall {
  pager: Pager;
  action: PagerAction;
  alert: Alert;
  /** See `PagerContext.isRepeat`. */
  isRepeat: boolean;
  /** The kill switch and the egress record of what leaves. */
  outbound: Pick<OutboundGate, 'check' | 'pass'>;
  /** Aborts when the process stops. */
  signal: AbortSignal;
  /** By the monotonic clock, in milliseconds: no byte leaves after it, and the call is given up. */
  deadlineMs: number;
  clock: Clock;
}

/**
 * `held`: nothing left and no attempt is spent, as the kill switch is on, the egress record cannot be
 * committed, or the credential is out. `mayBeTaken`: bytes left, so the far end may have the message.
 */
export type PagerResult =
  | { kind: 'taken' }
  | { kind: 'retry'; failure: PagerFailure; retryAfterMs?: number | undefined; mayBeTaken: boolean }
  | { kind: 'refused'; failure: PagerFailure }
  | { kind: 'held'; failure: PagerFailure };

function toResult(answer: PagerAnswer, hasLeft: boolean): PagerResult {
  switch (answer?.kind) {
    case 'taken':
      return { kind: 'taken' };
    case 'refused':
      return answer;
    case 'retry':
      return { ...answer, mayBeTaken: hasLeft };
    default:
      throw new TypeError('the pager gave no answer of the port');
  }
}

function fromError(error: unknown, hasLeft: boolean, nowMs: number): PagerResult {
  const { code, retryable, parks, retryAfterMs } = classifyFailure(error, { nowMs });
  const isOurs = isCriticizerError(error);
  const message = isOurs ? error.message : 'The pager failed in a way that it does not declare.';
  const failure: PagerFailure = { code, message, details: isOurs ? error.details : {} };
  if (parks && !hasLeft) return { kind: 'held', failure };
  // A fault of the pager's own code is retried: a page that is lost is worse than one that is late.
  if (retryable || parks || hasLeft || code === 'UNEXPECTED')
    return { kind: 'retry', failure, retryAfterMs, mayBeTaken: hasLeft };
  return { kind: 'refused', failure };
}

/**
 * Calls a pager once, behind the outbound gate (EGR-1, EGR-4, ruling R21) and a deadline. Always gives
 * a result: what the pager throws is classified, and one that does not answer in time is a retry.
 * Rejects only with the reason of `signal`.
 */
export async function callPager(call: PagerCall): Promise<PagerResult> {
  const { pager, action, alert, isRepeat, outbound, signal, deadlineMs, clock } = call;
  const timeoutMs = Math.max(0, deadlineMs - clock.monotonicMs());
  const destination = { kind: 'pager', id: pager.id } as const;
  const late = (): CriticizerError =>
    new CriticizerError('NETWORK_TIMEOUT', `The pager gave no answer within its deadline.`, { category: 'network' });
  const calling = new AbortController();
  const stop = (): void => calling.abort(signal.reason);
  let hasLeft = false;
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  const context: PagerContext = {
    signal: calling.signal,
    isRepeat,
    async beforeSend({ host, bytes }) {
      await outbound.pass({
        ...{ destination, recipient: null, content: 'none', jobId: null, host, bytes },
        ...{ changelistId: `alert:${alert.key}`, reviewVersion: alert.episode },
        messageKey: `${alert.key}:${alert.episode}:${action}`,
      });
      calling.signal.throwIfAborted();
      // A process that was frozen: another one may have sent since, and a late trigger would page again.
      if (clock.monotonicMs() >= deadlineMs) throw late();
      hasLeft = true;
    },
  };
  try {
    const work = outbound.check(destination).then(() => pager[action](alert, context));
    const answer = await withDeadline({ clock, ms: timeoutMs, call: `${pager.id}.${action}`, signal, late }, work);
    return toResult(answer, hasLeft);
  } catch (error) {
    if (signal.aborted && !hasLeft) throw signal.reason;
    return fromError(error, hasLeft, clock.nowMs());
  } finally {
    signal.removeEventListener('abort', stop);
    calling.abort(late()); // ends a call that is late
  }
}
