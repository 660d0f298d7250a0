import { CriticizerError } from '../errors.js';
import type { Logger } from '../telemetry/logger.js';
import { attribute, metric } from '../telemetry/names.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { Clock } from '../time/clock.js';
import type { Random } from '../time/random.js';
import { createWakeSignal } from './wake-signal.js';

/** Work that is held under a lease: jobs, mail rows, audit deliveries. */
export interface LeaseSource<Work> {
  claim(request: { owner: string; token: string; leaseMs: number; limit: number }): Promise<readonly Work[]>;
  /** In the order given. */
  heartbeat(work: readonly Work[], leaseMs: number): Promise<readonly ('renewed' | 'lease-lost')[]>;
  /** A hint that work may be due; polling stays the truth. */
  subscribe?(listener: () => void): Promise<() => Promise<void>>;
}

export interface LeaseLoopOptions<Work> {
  /** For telemetry and logs: `jobs`, `mail`, `audit`. */
  name: string;
  source: LeaseSource<Work>;
  /**
   * Does the work and settles it. The signal aborts with `LEASE_LOST` when the lease is gone: nothing owned may be written after that (WQ-6);
   * with `SHUTDOWN` when the grace of `stop` is over. What it throws is logged; the lease then expires by itself.
   */
  handle(work: Work, signal: AbortSignal): Promise<void>;
  /** Works at a time; also the most leases held. */
  concurrency: number;
  leaseMs: number;
  /** Sleep after an empty claim: from `minMs`, doubling to `maxMs`, with jitter (WQ-11). */
  poll: { minMs: number; maxMs: number };
  clock: Clock;
  random: Random;
  logger: Logger;
  telemetry: Telemetry;
}

export interface LeaseLoop {
  /** Unique per loop and process start. */
  readonly owner: string;
  /** Starts claiming; resolves once the wake-up subscription stands. */
  start(): Promise<void>;
  /** Claims nothing more, waits for what runs, aborts it after `graceMs`, resolves when all of it ended. Idempotent. */
  stop(options?: { graceMs?: number | undefined }): Promise<void>;
  /** Works under way. */
  running(): number;
  /** Claim at once: something was just enqueued in this process. */
  wake(): void;
}

interface InFlight {
  controller: AbortController;
  /** Monotonic instant of the last renewal known to have succeeded. */
  renewedAt: number;
  ended: Promise<void>;
}

/** Codes of the reasons a handler's signal aborts with. */
export const leaseLost = (): CriticizerError =>
  new CriticizerError('LEASE_LOST', 'The lease was lost; nothing more may be written.', { category: 'conflict' });
const shutdown = (): CriticizerError => new CriticizerError('SHUTDOWN', 'The worker is stopping.', { category: 'conflict' });

/** The one loop of the house: claim, beat, abort, drain. Everything that works under leases runs in it. */
export function createLeaseLoop<Work>(options: LeaseLoopOptions<Work>): LeaseLoop {
  const { name, source, concurrency, leaseMs, clock, random, logger, telemetry } = options;
  const owner = `${name}-${random.uuid()}`;
  const inFlight = new Map<Work, InFlight>();
  const wakeSignal = createWakeSignal(clock);
  const stopped = new AbortController();
  const labels = { [attribute.loop]: name };
  let unsubscribe: (() => Promise<void>) | undefined;
  let loops: Promise<unknown> | undefined;

  function begin(work: Work): void {
    const controller = new AbortController();
    const run = async (): Promise<void> => {
      try {
        await options.handle(work, controller.signal);
      } catch (error) {
        if (!controller.signal.aborted) logger.error({ loop: name, err: error }, 'handler failed to settle its work');
      } finally {
        inFlight.delete(work);
        wakeSignal.wake(); // a slot is free
      }
    };
    const entry: InFlight = { controller, renewedAt: clock.monotonicMs(), ended: Promise.resolve() };
    inFlight.set(work, entry);
    entry.ended = run();
  }

  function lose(entry: InFlight): void {
    if (entry.controller.signal.aborted) return;
    telemetry.count(metric.leaseLost, 1, labels);
    entry.controller.abort(leaseLost());
  }

  async function claimLoop(): Promise<void> {
    let idleMs = options.poll.minMs;
    while (!stopped.signal.aborted) {
      const free = concurrency - inFlight.size;
      let claimed: readonly Work[] = [];
      if (free > 0) {
        wakeSignal.clear(); // what wakes during the claim must not be lost
        try {
          claimed = await source.claim({ owner, token: random.uuid(), leaseMs, limit: free });
        } catch (error) {
          telemetry.count(metric.claimFailed, 1, labels);
          logger.warn({ loop: name, err: error }, 'claim failed; trying again later');
        }
        for (const work of claimed) begin(work);
      }
      if (claimed.length > 0) {
        idleMs = options.poll.minMs;
        continue;
      }
      const jittered = idleMs * (0.5 + random.next() * 0.5);
      const woken = await wakeSignal.wait(jittered, stopped.signal);
      idleMs = woken ? options.poll.minMs : Math.min(options.poll.maxMs, idleMs * 2);
    }
  }

  async function beatLoop(): Promise<void> {
    const everyMs = leaseMs / 3;
    while (!stopped.signal.aborted || inFlight.size > 0) {
      await clock.sleep(everyMs, beating.signal).catch(() => undefined);
      if (beating.signal.aborted) return;
      await beat();
    }
  }

  async function beat(): Promise<void> {
    const held = [...inFlight].filter(([, entry]) => !entry.controller.signal.aborted);
    if (held.length === 0) return;
    const asked = clock.monotonicMs();
    try {
      const outcomes = await source.heartbeat(
        held.map(([work]) => work),
        leaseMs,
      );
      for (const [i, [, entry]] of held.entries()) {
        if (outcomes[i] === 'renewed') entry.renewedAt = asked;
        else lose(entry);
      }
    } catch (error) {
      logger.warn({ loop: name, err: error }, 'heartbeat failed');
      // Ownership that cannot be proven is not owned: an unreachable store must not let a zombie go on.
      for (const [, entry] of held) if (clock.monotonicMs() - entry.renewedAt >= leaseMs) lose(entry);
    }
  }

  const beating = new AbortController();
  return {
    owner,
    async start() {
      if (loops !== undefined) return;
      if (source.subscribe !== undefined) unsubscribe = await source.subscribe(() => wakeSignal.wake());
      loops = Promise.all([claimLoop(), beatLoop()]);
    },
    async stop({ graceMs = 10_000 } = {}) {
      stopped.abort();
      await unsubscribe?.();
      unsubscribe = undefined;
      const drained = Promise.all([...inFlight.values()].map((entry) => entry.ended));
      const grace = new AbortController();
      const late = clock.sleep(graceMs, grace.signal).then(
        () => {
          for (const entry of inFlight.values()) entry.controller.abort(shutdown());
        },
        () => undefined,
      );
      await drained;
      grace.abort();
      await late;
      beating.abort();
      await loops;
    },
    running: () => inFlight.size,
    wake: () => wakeSignal.wake(),
  };
}
