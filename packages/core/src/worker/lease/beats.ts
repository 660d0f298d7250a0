import { CriticizerError } from '../../foundation/errors.js';
import type { Clock } from '../../foundation/time/clock.js';
import { errorFacts } from '../../telemetry/error-facts.js';
import type { Logger } from '../../telemetry/logger.js';
import { attribute, metric } from '../../telemetry/names.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import type { Heartbeat } from './lease-source.js';
import type { HeldWork, Slots } from './slots.js';

/** Keeps up the leases of the works that one loop holds. */
export interface Beats {
  /** May be called again after `stop`. */
  start(): void;
  stop(): void;
  /**
   * False while a beat is more than half a lease late, and then until one has succeeded: a process
   * whose event loop is blocked, or that was frozen, could not keep up what it claimed.
   */
  mayClaim(): boolean;
}

export interface BeatsOptions<Work> {
  name: string;
  /** The shortest lease, which sets the pace of the beats. */
  leaseMs: number;
  /** The lease that the next heartbeat asks for; never below `leaseMs`. */
  nextLeaseMs(): number;
  slots: Pick<Slots<Work>, 'kept' | 'drop' | 'handOver'>;
  heartbeat(work: readonly Work[], leaseMs: number): Promise<readonly Heartbeat[]>;
  /** `mayClaim` turned true again. */
  onRecovered(): void;
  clock: Clock;
  logger: Logger;
  telemetry: Telemetry;
}

/** The reason a handler's signal aborts with. */
export const leaseLost = (): CriticizerError =>
  new CriticizerError('LEASE_LOST', 'The lease was lost; nothing more may be written.', { category: 'conflict' });

/** The reason a handler's signal aborts with where an operator asked for the end of its work. */
const cancelled = (): CriticizerError =>
  new CriticizerError('CANCELLED', 'An operator asked for the end of this work; it is given back.', {
    category: 'conflict',
  });

// long: the steps of one heartbeat, each short, over the same leases
/**
 * Renews leases every third of the shortest lease. A heartbeat that hangs holds nothing up: ownership that was
 * not proven for a whole lease is given up on time.
 */
export function createBeats<Work>(options: BeatsOptions<Work>): Beats {
  const { name, leaseMs, slots, clock, logger, telemetry } = options;
  const labels = { [attribute.loop]: name };
  const everyMs = leaseMs / 3;
  let stopping = new AbortController();
  let beatAt = clock.monotonicMs() + everyMs;
  let beatingSince: number | undefined;
  let isStalled = false;

  /** Asked anew where it matters: after a block the claim's timer may run before the beat's. */
  const lateMs = (): number => clock.monotonicMs() - beatAt;
  const isLate = (): boolean => lateMs() > leaseMs / 2;

  function lose(held: HeldWork<Work>): void {
    if (held.reason !== undefined) return;
    telemetry.count(metric.leaseLost, 1, labels);
    held.abort(leaseLost());
    slots.drop(held);
  }

  /** An end that is being written already counts. */
  function cancel(held: HeldWork<Work>): void {
    if (held.state === 'settling') return;
    held.abort(cancelled());
    slots.handOver(held);
  }

  function recover(): void {
    if (!isStalled) return;
    isStalled = false;
    options.onRecovered();
  }

  async function beat(): Promise<void> {
    const beaten = slots.kept();
    if (beaten.length === 0) return;
    const asked = clock.monotonicMs();
    const nextLeaseMs = options.nextLeaseMs();
    try {
      const works = beaten.map(({ work }) => work);
      const outcomes = await options.heartbeat(works, nextLeaseMs);
      for (const [i, held] of beaten.entries()) {
        const outcome = outcomes[i];
        if (outcome === 'renewed' || outcome === 'cancel-requested') {
          Object.assign(held, { renewedAt: asked, leaseMs: nextLeaseMs });
          if (outcome === 'cancel-requested') cancel(held);
        } else if (held.state !== 'settling') lose(held); // one that was settled meanwhile has no lease to renew
      }
      recover();
    } catch (error) {
      logger.warn({ event: 'lease.heartbeat_failed', loop: name, ...errorFacts(error) }, 'heartbeat failed');
    }
  }

  function tick(): void {
    const now = clock.monotonicMs();
    for (const held of slots.kept()) if (now - held.renewedAt >= held.leaseMs) lose(held);
    if (now < beatAt) return;
    if (isLate()) {
      isStalled = true;
      telemetry.count(metric.beatLate, 1, labels);
      logger.warn(
        { event: 'lease.heartbeat_late', loop: name, lateMs: Math.round(lateMs()) },
        'a heartbeat came late: the event loop was blocked or the process frozen',
      );
    }
    beatAt = now + everyMs;
    if (slots.kept().length === 0) recover(); // nothing to keep up
    // One that gave no answer until the next is due is left to itself: the works need their leases
    // renewed, over another connection.
    if (beatingSince !== undefined)
      logger.warn(
        { event: 'lease.heartbeat_silent', loop: name, ms: Math.round(now - beatingSince) },
        'a heartbeat gave no answer; the next one is sent',
      );
    const mine = now;
    beatingSince = mine;
    void beat().finally(() => {
      if (beatingSince === mine) beatingSince = undefined;
    });
  }

  async function run({ signal }: AbortController): Promise<void> {
    beatAt = clock.monotonicMs() + everyMs;
    while (!signal.aborted) {
      const ends = slots.kept().map((held) => held.renewedAt + held.leaseMs);
      await clock.sleep(Math.min(beatAt, ...ends) - clock.monotonicMs(), signal).catch(() => undefined);
      if (!signal.aborted) tick();
    }
  }

  return {
    start() {
      stopping.abort();
      stopping = new AbortController();
      isStalled = false;
      void run(stopping);
    },
    stop: () => stopping.abort(),
    mayClaim: () => !isStalled && !isLate(),
  };
}
