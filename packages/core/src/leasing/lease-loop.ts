import { CriticizerError } from '../errors.js';
import { errorFacts } from '../telemetry/error-facts.js';
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
  /**
   * Claims nothing more, waits for what runs, aborts it after `graceMs`, resolves when all of it ended or, for handlers that ignore their
   * signal, 5 s later. Idempotent.
   */
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

/** Handlers that ignore their aborted signal are not waited for longer than this. */
const stubbornMs = 5_000;

/** The one loop of the house: claim, beat, abort, drain. Everything that works under leases runs in it. */
export function createLeaseLoop<Work>(options: LeaseLoopOptions<Work>): LeaseLoop {
  const { name, source, concurrency, leaseMs, clock, random, logger, telemetry } = options;
  const owner = `${name}-${random.uuid()}`;
  const inFlight = new Map<Work, InFlight>();
  const wakeSignal = createWakeSignal(clock);
  const stopping = new AbortController();
  const beating = new AbortController();
  const labels = { [attribute.loop]: name };
  const warn = (error: unknown, message: string): void => logger.warn({ loop: name, ...errorFacts(error) }, message);
  let started: Promise<void> | undefined;
  let claiming: Promise<void> = Promise.resolve();
  let stopped: Promise<void> | undefined;
  let unsubscribe: (() => Promise<void>) | undefined;

  /** `asked` is when the claim was asked for: the lease cannot have begun earlier, so it cannot end later than we think. */
  function begin(work: Work, asked: number): void {
    const controller = new AbortController();
    // Claimed while stopping: its handler gives it back.
    if (stopping.signal.aborted) controller.abort(shutdown());
    const run = async (): Promise<void> => {
      try {
        await options.handle(work, controller.signal);
      } catch (error) {
        if (!controller.signal.aborted) logger.error({ loop: name, ...errorFacts(error) }, 'handler failed to settle its work');
      } finally {
        inFlight.delete(work);
        wakeSignal.wake(); // a slot is free
      }
    };
    const entry: InFlight = { controller, renewedAt: asked, ended: Promise.resolve() };
    inFlight.set(work, entry);
    entry.ended = run();
  }

  async function claim(limit: number): Promise<number> {
    wakeSignal.clear(); // what wakes during the claim must not be lost
    const asked = clock.monotonicMs();
    try {
      const claimed = await source.claim({ owner, token: random.uuid(), leaseMs, limit });
      for (const work of claimed) begin(work, asked);
      return claimed.length;
    } catch (error) {
      telemetry.count(metric.claimFailed, 1, labels);
      warn(error, 'claim failed; trying again later');
      return 0;
    }
  }

  async function claimLoop(): Promise<void> {
    let idleMs = options.poll.minMs;
    while (!stopping.signal.aborted) {
      const free = concurrency - inFlight.size;
      if (free > 0 && (await claim(free)) > 0) {
        idleMs = options.poll.minMs;
        continue;
      }
      const jittered = idleMs * (0.5 + random.next() * 0.5);
      const woken = await wakeSignal.wait(jittered, stopping.signal);
      idleMs = woken ? options.poll.minMs : Math.min(options.poll.maxMs, idleMs * 2);
    }
  }

  const held = (): [Work, InFlight][] => [...inFlight].filter(([, entry]) => !entry.controller.signal.aborted);

  function lose(entry: InFlight): void {
    if (entry.controller.signal.aborted) return;
    telemetry.count(metric.leaseLost, 1, labels);
    entry.controller.abort(leaseLost());
  }

  async function beat(): Promise<void> {
    const beaten = held();
    if (beaten.length === 0) return;
    const asked = clock.monotonicMs();
    try {
      const work = beaten.map(([one]) => one);
      const outcomes = await source.heartbeat(work, leaseMs);
      for (const [i, [, entry]] of beaten.entries()) {
        if (outcomes[i] === 'renewed') entry.renewedAt = asked;
        else lose(entry);
      }
    } catch (error) {
      warn(error, 'heartbeat failed');
    }
  }

  /** Beats every third of a lease. A beat that hangs holds nothing up: ownership that was not proven for a whole lease is given up on time. */
  async function beatLoop(): Promise<void> {
    const everyMs = leaseMs / 3;
    let isBeating = false;
    let beatAt = clock.monotonicMs() + everyMs;
    while (!beating.signal.aborted) {
      const ends = held().map(([, entry]) => entry.renewedAt + leaseMs);
      await clock.sleep(Math.min(beatAt, ...ends) - clock.monotonicMs(), beating.signal).catch(() => undefined);
      const now = clock.monotonicMs();
      for (const [, entry] of held()) if (now - entry.renewedAt >= leaseMs) lose(entry);
      if (now < beatAt) continue;
      beatAt = now + everyMs;
      if (isBeating) continue;
      isBeating = true;
      void beat().finally(() => {
        isBeating = false;
      });
    }
  }

  async function start(): Promise<void> {
    if (source.subscribe !== undefined) unsubscribe = await source.subscribe(() => wakeSignal.wake());
    if (stopping.signal.aborted) return endSubscription();
    claiming = claimLoop();
    void beatLoop();
  }

  async function endSubscription(): Promise<void> {
    const end = unsubscribe;
    unsubscribe = undefined;
    await end?.().catch((error: unknown) => warn(error, 'wake-up subscription did not end'));
  }

  /** Resolves once nothing is claimed or handled any more. */
  async function drained(): Promise<void> {
    await claiming;
    while (inFlight.size > 0) await Promise.all([...inFlight.values()].map((entry) => entry.ended));
  }

  async function stop(graceMs: number): Promise<void> {
    stopping.abort();
    await endSubscription();
    const over = new AbortController();
    const timers = async (): Promise<void> => {
      await clock.sleep(graceMs, over.signal);
      for (const [, entry] of held()) entry.controller.abort(shutdown());
      await clock.sleep(stubbornMs, over.signal);
      logger.error({ loop: name, running: inFlight.size }, 'handlers ignore their aborted signal; their leases will run out');
    };
    await Promise.race([drained(), timers().catch(() => undefined)]);
    over.abort();
    beating.abort();
  }

  return {
    owner,
    start: () => {
      started ??= start();
      return started;
    },
    stop: ({ graceMs = 10_000 } = {}) => {
      stopped ??= stop(graceMs);
      return stopped;
    },
    running: () => inFlight.size,
    wake: () => wakeSignal.wake(),
  };
}
