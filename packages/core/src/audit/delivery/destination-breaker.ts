import type { Clock } from '../../foundation/time/clock.js';
import type { SinkAnswer } from '../sinks/audit-sink.js';

/** When a destination counts as out, how often it is probed, and how fast its backlog leaves after. */
export interface BreakerPolicy {
  /**
   * Failures in a row that count as an outage where one alone proves none. A refused connection and a
   * refused credential count at once. Null: no breaker, the plain schedule of AUD-12 alone.
   */
  outageAfter: number | null;
  /** Longest time between two probes, in milliseconds; they begin at 5 s and double. */
  parkMs: number;
  /** Events a second that leave after an outage, until the backlog is gone. */
  drainPerSecond: number;
}

/**
 * Guards one destination (ruling R9). While it is out nothing of it is claimed, so an outage
 * of days spends no attempt and writes nothing; one delivery at a time probes whether it is back.
 * After that its backlog leaves through a token bucket, so that it is not met by all of it at once.
 * State is the process's own.
 */
export interface DestinationBreaker {
  /** How many deliveries may be claimed now, at most `wanted`: 0 while it is out, 1 for a probe. */
  admit(wanted: number): number;
  /** Tells how many of those that were admitted the claim brought. */
  claimed(count: number): void;
  /** Judges one answer. Gives `out` where the destination is out now, `recovered` where this ended an outage. */
  observe(answer: SinkAnswer): 'present' | 'out' | 'recovered';
  isOpen(): boolean;
}

const firstProbeMs = 5_000;

/** No peer says this of one request: nobody answers there. */
const absence: ReadonlySet<string> = new Set(['NETWORK_REFUSED', 'NETWORK_DNS', 'NETWORK_UNREACHABLE', 'NETWORK_TLS']);

type Verdict = 'present' | 'suspect' | 'absent';

function judge(answer: SinkAnswer): Verdict {
  if (!('failure' in answer) || answer.failure.about === 'event') return 'present';
  if (answer.kind !== 'retry') return 'absent'; // a refused credential refuses every event
  return absence.has(answer.failure.code) ? 'absent' : 'suspect';
}

/** A bucket that holds one second's worth, empty at first. */
function createBucket(perSecond: number, clock: Pick<Clock, 'monotonicMs'>) {
  let tokens = 0;
  let filledAt = clock.monotonicMs();
  return {
    take(wanted: number): number {
      const now = clock.monotonicMs();
      tokens = Math.min(Math.max(1, perSecond), tokens + ((now - filledAt) / 1_000) * perSecond);
      filledAt = now;
      const taken = Math.min(wanted, Math.floor(tokens));
      tokens -= taken;
      return taken;
    },
  };
}

interface OpenState {
  probes: number;
  nextProbeAt: number;
  /** A probe is under way: until its answer, or until this instant where there is none. */
  probingUntil: number | undefined;
}

// long: the moves of one breaker, each short, over its one state
/** See `DestinationBreaker`. `probeMs` is the longest that a probe may take. */
export function createDestinationBreaker(
  policy: BreakerPolicy,
  { clock, probeMs }: { clock: Pick<Clock, 'monotonicMs'>; probeMs: number },
): DestinationBreaker {
  let failures = 0;
  let open: OpenState | undefined;
  let draining: ReturnType<typeof createBucket> | undefined;
  let admitted = 0;

  function park(probes: number, retryAfterMs: number): void {
    const delayMs = Math.min(policy.parkMs, firstProbeMs * 2 ** Math.min(probes, 20));
    const waitMs = Math.max(delayMs, Math.min(retryAfterMs, 3_600_000));
    open = { probes, nextProbeAt: clock.monotonicMs() + waitMs, probingUntil: undefined };
  }

  function failed(verdict: Verdict, retryAfterMs: number): 'present' | 'out' {
    if (policy.outageAfter === null) return 'present';
    failures += 1;
    if (open === undefined && verdict !== 'absent' && failures < policy.outageAfter) return 'present';
    // What was under way when the outage began says nothing new: only a probe moves the next one.
    if (open === undefined || open.probingUntil !== undefined)
      park(open === undefined ? 0 : open.probes + 1, retryAfterMs);
    draining = undefined;
    return 'out';
  }

  function passed(): 'present' | 'recovered' {
    failures = 0;
    if (open === undefined) return 'present';
    open = undefined;
    draining = createBucket(policy.drainPerSecond, clock);
    return 'recovered';
  }

  return {
    admit(wanted) {
      const now = clock.monotonicMs();
      if (open !== undefined) {
        const isProbing = open.probingUntil !== undefined && now < open.probingUntil;
        if (isProbing || now < open.nextProbeAt) return 0;
        open.probingUntil = now + probeMs;
        return 1;
      }
      admitted = draining?.take(wanted) ?? wanted;
      return admitted;
    },
    claimed(count) {
      if (open !== undefined) {
        if (count === 0) open.probingUntil = undefined; // nothing is due that could probe
        return;
      }
      if (draining === undefined || admitted === 0) return;
      if (count < admitted) draining = undefined; // the backlog is gone
    },
    observe(answer) {
      const verdict = judge(answer);
      if (verdict === 'present') return passed();
      return failed(verdict, answer.kind === 'retry' ? (answer.retryAfterMs ?? 0) : 0);
    },
    isOpen: () => open !== undefined,
  };
}
