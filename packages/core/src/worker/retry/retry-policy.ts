import type { ClassifiedFailure } from '../../foundation/failures/failure.js';
import type { Random } from '../../foundation/time/random.js';
import type { NewDeadLetter } from '../../stores/dead-letter-store.js';
import { type BackoffPolicy, retryDelayMs } from './backoff.js';

/** Per stage, first attempt included (ERR-5). */
export interface RetryPolicy {
  maxAttemptsPerStage: number;
  /** Leases a stage may lose before the job counts as one that kills its workers (ruling R11). */
  maxLostLeases: number;
  /** How long a parked stage waits before it looks again (INT-4). */
  parkMs: number;
  backoff: BackoffPolicy;
}

export type RetryDecision =
  | { kind: 'retry'; delayMs: number }
  | { kind: 'wait'; delayMs: number; reason: string }
  | { kind: 'dead-letter'; escalation: NewDeadLetter['escalation'] };

/** ERR-7: a bug pages, a policy reject or a credential asks for an operator. */
function escalationOf(failure: ClassifiedFailure): NewDeadLetter['escalation'] {
  if (failure.category === 'bug') return 'page';
  return failure.category === 'policy' || failure.category === 'auth' ? 'operator' : 'none';
}

/**
 * What to do after a failed attempt. `attempt` is the number of the attempt that failed, counted
 * when it started. A parked failure spends nothing (ruling R9); a non-retryable one ends at once
 * (ERR-4); the last attempt's failure goes to the dead letters (ERR-6). A replay that fails again
 * with the same non-retryable class is escalated (ERR-10).
 */
export function decideRetry(
  policy: RetryPolicy,
  failure: ClassifiedFailure,
  attempt: number,
  replayedErrorClass: string | null,
  random: Random,
): RetryDecision {
  if (failure.parks) {
    // Whoever knows when to look again says so; a wish of 0 must not turn the wait into a loop.
    const { retryAfterMs } = failure;
    const delayMs = retryAfterMs === undefined ? policy.parkMs : Math.max(policy.backoff.initialMs, retryAfterMs);
    return { kind: 'wait', delayMs, reason: failure.code };
  }
  if (failure.retryable && attempt < policy.maxAttemptsPerStage)
    return { kind: 'retry', delayMs: retryDelayMs(policy.backoff, attempt, failure.retryAfterMs, random) };
  const again = !failure.retryable && replayedErrorClass === failure.code;
  const escalation = escalationOf(failure);
  return { kind: 'dead-letter', escalation: again && escalation === 'none' ? 'operator' : escalation };
}
