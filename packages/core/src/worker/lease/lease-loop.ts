import type { Clock } from '../../foundation/time/clock.js';
import type { Random } from '../../foundation/time/random.js';
import { errorFacts } from '../../telemetry/error-facts.js';
import type { Logger } from '../../telemetry/logger.js';
import { attribute, metric } from '../../telemetry/names.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import { createBeats } from './beats.js';
import { abortGraceMs, boundWork } from './bound-work.js';
import { createClaimer, shutdown } from './claimer.js';
import type { LeaseSource } from './lease-source.js';
import { createSlots, type HeldWork, type Hold } from './slots.js';
import { createWakeSignal } from './wake-signal.js';

export interface LeaseLoopOptions<Work> {
  /** For telemetry and logs: `jobs`, `mail`, `audit`. */
  name: string;
  source: LeaseSource<Work>;
  /**
   * Does the work and settles it. The hold's signal aborts with `LEASE_LOST` when the lease is
   * gone: nothing owned may be written after that (WQ-6); with `SHUTDOWN` when the grace of `stop`
   * is over. What it throws is logged; the lease then expires by itself. A handler that ends its
   * work frees its slot before it writes the settlement.
   */
  handle(work: Work, hold: Hold): Promise<void>;
  /**
   * True for work that must run with no other in this process: the others that a claim brought are
   * given back, and nothing is claimed until it is over. Without this function all work runs
   * together.
   */
  runsAlone?: ((work: Work) => boolean) | undefined;
  /** Works at a time. */
  concurrency: number;
  /**
   * Works claimed beyond those that run, under leases that are kept up until they start or are
   * given back. Default 0.
   */
  prefetch?: number | undefined;
  leaseMs: number;
  /**
   * The lease that the next claim or heartbeat asks for, in milliseconds, where it depends on what
   * was measured; below `leaseMs` that counts. Heartbeats keep the pace of `leaseMs`. Default:
   * `leaseMs`.
   */
  nextLeaseMs?: (() => number) | undefined;
  /**
   * Milliseconds that a handler may take: then its signal aborts with `WORK_TIMEOUT`, and one that
   * ignores it is let go. Default: no limit; stages of jobs set limits of their own.
   */
  deadlineMs?: number | undefined;
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
  /** Starts claiming; resolves once the wake-up subscription stands. One that failed may be called again. */
  start(): Promise<void>;
  /**
   * Claims nothing more, waits for what runs, aborts it after `graceMs`, resolves when all of it
   * ended or, for handlers that ignore their signal, 5 s later. Idempotent.
   */
  stop(options?: { graceMs?: number | undefined }): Promise<void>;
  /** Works under way. */
  running(): number;
  /** Claim at once: something was just enqueued in this process. */
  wake(): void;
  /** Hands the claiming of a loop that was not started to the caller; see `runDue`. */
  drive(onWake: () => void, signal?: AbortSignal): LoopDrive;
}

/** A loop that claims when told. It renews the leases of what runs until `end`. */
export interface LoopDrive {
  /**
   * Claims what has room, at most `limit`, and starts it. Gives the number, null where the loop
   * cannot claim now. Rejects with what the store's `claim` rejects with.
   */
  claim(limit: number): Promise<number | null>;
  end(): void;
}

// long: the wiring of one loop: claims, beats, slots, stop, each step short
/**
 * Claims work, renews its leases, aborts what lost its lease and drains on a stop. Jobs, outbox rows,
 * the mail reconciler and the artifact sweep run in it.
 */
export function createLeaseLoop<Work>(options: LeaseLoopOptions<Work>): LeaseLoop {
  const { name, source, concurrency, leaseMs, clock, random, logger, telemetry } = options;
  const wakeSignal = createWakeSignal(clock);
  let onDriveWake: (() => void) | undefined;
  const wake = (): void => {
    wakeSignal.wake();
    onDriveWake?.();
  };
  let isFreeing = false;
  /** Once what runs in this turn is over: works that end together are replaced by one claim. */
  const onFree = (): void => {
    if (isFreeing) return;
    isFreeing = true;
    setImmediate(() => {
      isFreeing = false;
      wake();
    });
  };
  const { prefetch = 0, runsAlone = () => false, deadlineMs } = options;
  const handle =
    deadlineMs === undefined ? options.handle : boundWork(options.handle, { name, deadlineMs, clock, logger });
  const slots = createSlots<Work>({ name, handle, concurrency, prefetch, logger, onFree });
  const heartbeat: LeaseSource<Work>['heartbeat'] = (work, ms) => source.heartbeat(work, ms);
  const nextLeaseMs = (): number => Math.max(leaseMs, options.nextLeaseMs?.() ?? leaseMs);
  const leases = { leaseMs, nextLeaseMs };
  const beats = createBeats<Work>({ name, ...leases, slots, heartbeat, onRecovered: wake, clock, logger, telemetry });
  const stopping = new AbortController();
  const { mayClaim } = beats;
  const claims = { name, source, slots, mayClaim, runsAlone, prefetch, stopping: stopping.signal };
  const claimer = createClaimer<Work>({ ...claims, leaseMs: nextLeaseMs, clock, random });
  const labels = { [attribute.loop]: name };
  let started: Promise<void> | undefined;
  let claiming: Promise<void> = Promise.resolve();
  let stopped: Promise<void> | undefined;
  let unsubscribe: (() => Promise<void>) | undefined;

  async function claim(limit: number): Promise<number> {
    wakeSignal.clear(); // what wakes during the claim must not be lost
    try {
      return await claimer.claim(limit);
    } catch (error) {
      telemetry.count(metric.claimFailed, 1, labels);
      logger.warn(
        { event: 'lease.claim_failed', loop: name, ...errorFacts(error) },
        'claim failed; trying again later',
      );
      return 0;
    }
  }

  async function claimLoop(): Promise<void> {
    let idleMs = options.poll.minMs;
    while (!stopping.signal.aborted) {
      const most = claimer.room();
      const claimed = most > 0 ? await claim(most) : 0;
      if (claimed > 0) idleMs = options.poll.minMs;
      if (claimed > 0 && claimed >= most) continue; // as many as asked for: more may be due
      const jittered = idleMs * (0.5 + random.next() * 0.5);
      const woken = await wakeSignal.wait(jittered, stopping.signal);
      idleMs = woken ? options.poll.minMs : Math.min(options.poll.maxMs, idleMs * 2);
    }
  }

  async function start(): Promise<void> {
    if (source.subscribe !== undefined) unsubscribe = await source.subscribe(wake);
    if (stopping.signal.aborted) return endSubscription();
    beats.start();
    claiming = claimLoop();
  }

  async function endSubscription(): Promise<void> {
    const end = unsubscribe;
    unsubscribe = undefined;
    await end?.().catch((error: unknown) => {
      const facts = { event: 'lease.wake_ups_open', loop: name, ...errorFacts(error) };
      logger.warn(facts, 'wake-up subscription did not end');
    });
  }

  function abortAll(which: (held: HeldWork<Work>) => boolean, reason: Error = shutdown()): void {
    for (const held of slots.kept()) if (which(held)) held.abort(reason);
  }

  /** What has not started is given back at once: its handler sees the aborted signal. */
  function giveBackWaiting(): void {
    abortAll(({ state }) => state === 'waiting');
    slots.startWaiting();
  }

  /** Resolves once nothing is claimed or handled any more. */
  async function drained(): Promise<void> {
    await Promise.all([endSubscription(), claiming]);
    await slots.emptied();
  }

  async function stop(graceMs: number): Promise<void> {
    stopping.abort();
    giveBackWaiting();
    const over = new AbortController();
    const timers = async (): Promise<void> => {
      await clock.sleep(graceMs, over.signal);
      abortAll(() => true);
      await clock.sleep(abortGraceMs, over.signal);
      logger.error(
        { event: 'lease.handlers_let_go', loop: name, running: slots.running() },
        'handlers ignore their aborted signal; their leases will run out',
      );
    };
    await Promise.race([drained(), timers().catch(() => undefined)]);
    over.abort();
    beats.stop();
  }

  function drive(onWake: () => void, signal?: AbortSignal): LoopDrive {
    const abort = (): void => {
      abortAll(() => true, signal?.reason);
      onWake();
    };
    onDriveWake = onWake;
    signal?.addEventListener('abort', abort, { once: true });
    beats.start();
    return {
      async claim(limit) {
        if (stopping.signal.aborted) return 0;
        const most = Math.min(limit, claimer.room());
        return most > 0 ? claimer.claim(most, signal) : null;
      },
      end() {
        signal?.removeEventListener('abort', abort);
        onDriveWake = undefined;
        beats.stop();
      },
    };
  }

  return {
    owner: claimer.owner,
    start: () => {
      started ??= start().catch((error: unknown) => {
        started = undefined;
        throw error;
      });
      return started;
    },
    stop: ({ graceMs = 10_000 } = {}) => {
      stopped ??= stop(graceMs);
      return stopped;
    },
    running: () => slots.running(),
    wake,
    drive,
  };
}
