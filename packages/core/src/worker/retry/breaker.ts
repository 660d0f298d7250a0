import { CriticizerError, isCriticizerError } from '../../foundation/errors.js';
import { type ClassifiedFailure, classifyFailure, type FailureClassifier } from '../../foundation/failures/failure.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { Random } from '../../foundation/time/random.js';
import { type BackoffPolicy, growingDelayMs } from './backoff.js';
import type { Dependency, Outages } from './outages.js';

export interface BreakerPolicy {
  /**
   * Failures in a row, of whatever jobs, that count as an outage where one alone may be the
   * request's own; null: never.
   */
  outageAfter: number | null;
  /** Longest time between two looks at what is out. */
  parkMs: number;
  backoff: BackoffPolicy;
}

export interface BreakerOptions {
  dependency: Dependency;
  policy: BreakerPolicy;
  outages: Outages;
  classify?: FailureClassifier | undefined;
  clock: Clock;
  random: Random;
}

/**
 * Stands before one thing that stages depend on. While it is out, work for it is refused with an
 * error that parks (INT-4, ruling R9): no attempt is spent and nothing waits on a dead connection.
 * One piece of work a look tries whether it is back; the first that is answered ends the outage.
 * State is the process's own.
 */
export interface Breaker {
  /** Throws what parks while the dependency is out and no look is due; counts as the look where one is. */
  admit(): void;
  /**
   * Runs work that was admitted and judges how it ended: rejects with what parks where the
   * dependency is out, else as the work did.
   */
  observe<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** What no peer says of one request: nobody answers there, or it says itself that it is down. One is enough. */
const absence: ReadonlySet<string> = new Set([
  'NETWORK_REFUSED',
  'NETWORK_DNS',
  'NETWORK_UNREACHABLE',
  'P4_UNREACHABLE',
  'P4_MAINTENANCE',
]);
/** Of the category `upstream` these are the peer's state; the others are about one answer, or about this host. */
const overload: ReadonlySet<string> = new Set(['UPSTREAM_ERROR', 'UPSTREAM_OVERLOADED']);

/**
 * What a failure says of the dependency: `absent` for sure, `suspect` when it comes again and
 * again, or `present`: it answered.
 */
function judge({ code, category }: ClassifiedFailure): 'absent' | 'suspect' | 'present' {
  if (absence.has(code)) return 'absent';
  return category === 'network' || category === 'rate_limit' || overload.has(code) ? 'suspect' : 'present';
}

interface OpenState {
  code: string;
  category: ClassifiedFailure['category'];
  /** Looks that found it still out. */
  looks: number;
  nextLookAt: number;
}

// long: the moves of one breaker, each short, over its one state
/** See `Breaker`. */
export function createBreaker({ dependency, policy, outages, classify, clock, random }: BreakerOptions): Breaker {
  let failures = 0;
  let open: OpenState | undefined;

  /**
   * The instant of the next look, by the monotonic clock: back-off that grows to `parkMs`, or later
   * where the peer asked for it.
   */
  function lookAfter(looks: number, retryAfterMs = 0): number {
    const delayMs = growingDelayMs({ ...policy.backoff, maxMs: policy.parkMs }, looks + 1);
    return clock.monotonicMs() + Math.max(delayMs, retryAfterMs);
  }

  /**
   * The one error that parks, with the code that opened the outage, so that it is one outage
   * however each job met it.
   */
  function parked({ code, category, nextLookAt }: OpenState, cause?: unknown): CriticizerError<string> {
    const leftMs = Math.max(0, nextLookAt - clock.monotonicMs());
    return new CriticizerError(code, `Work for ${describe(dependency)} waits: it is out of reach.`, {
      category,
      parks: true,
      // Spread after the look, so that what waits for it comes when its answer is known.
      retryAfterMs: Math.ceil(leftMs + (0.1 + 0.2 * random.next()) * Math.max(leftMs, policy.backoff.initialMs)),
      details: { dependency: { ...dependency } },
      cause,
    });
  }

  function failed(error: unknown): unknown {
    const failure = classifyFailure(error, { classify, nowMs: clock.nowMs() });
    const verdict = failure.parks ? 'present' : judge(failure);
    if (verdict === 'present') {
      passed();
      return error;
    }
    failures += 1;
    const isOut =
      open !== undefined || verdict === 'absent' || (policy.outageAfter !== null && failures >= policy.outageAfter);
    if (!isOut || policy.outageAfter === null) return error;
    const looks = open === undefined ? 0 : open.looks + 1;
    const { code, category } = open ?? failure;
    open = { code, category, looks, nextLookAt: lookAfter(looks, failure.retryAfterMs) };
    return parked(open, error);
  }

  function passed(): void {
    failures = 0;
    if (open === undefined) return;
    open = undefined;
    outages.recovered(dependency);
  }

  return {
    admit() {
      if (open === undefined) return;
      if (clock.monotonicMs() < open.nextLookAt) throw parked(open);
      // This one looks. Whatever becomes of it, the next look is not before this.
      open.nextLookAt = lookAfter(open.looks);
    },
    async observe(work, signal) {
      try {
        const result = await work();
        passed();
        return result;
      } catch (error) {
        // What was broken off says nothing of whoever was asked.
        if (signal.aborted || (isCriticizerError(error) && error.code === 'ABORTED')) throw error;
        throw failed(error);
      }
    },
  };
}

function describe(dependency: Dependency): string {
  if (dependency.stage === 'audit') return `the audit sink "${dependency.sink}"`;
  return dependency.stage === 'llm'
    ? `the model provider "${dependency.provider}"`
    : `the Perforce server "${dependency.serverId}"`;
}
