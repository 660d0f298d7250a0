import { CriticizerError } from '../foundation/errors.js';
import type { Clock } from '../foundation/time/clock.js';
import type { Random } from '../foundation/time/random.js';
import { withDeadline } from '../foundation/time/with-deadline.js';
import { errorFacts } from '../telemetry/error-facts.js';
import type { Logger } from '../telemetry/logger.js';
import { attribute, metric } from '../telemetry/names.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { createBeats, leaseLost } from './beats.js';
import { createSlots, type HeldWork, type Hold } from './slots.js';
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
}

const shutdown = (): CriticizerError =>
  new CriticizerError('SHUTDOWN', 'The worker is stopping.', { category: 'conflict' });

const givenBack = (): CriticizerError =>
  new CriticizerError('GIVEN_BACK', 'Other work must run alone in this process; this was given back.', {
    category: 'conflict',
  });

/** How long a stop waits for handlers after it aborted their signals, in milliseconds. */
const abortGraceMs = 5_000;

/**
 * Claims work, renews its leases, aborts what lost its lease and drains on a stop. The workers of
 * jobs and of mail run in it. `deliver-due` of the mail outbox renews leases of its own; the mail
 * reconciler and the sweeps hold theirs for one short turn and renew none.
 */
export function createLeaseLoop<Work>(options: LeaseLoopOptions<Work>): LeaseLoop {
  const { name, source, concurrency, leaseMs, clock, random, logger, telemetry } = options;
  const owner = `${name}-${random.uuid()}`;
  const wakeSignal = createWakeSignal(clock);
  const wake = (): void => wakeSignal.wake();
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
  const { handle, prefetch = 0, runsAlone = () => false } = options;
  const slots = createSlots<Work>({ name, handle, concurrency, prefetch, logger, onFree });
  const heartbeat: LeaseSource<Work>['heartbeat'] = (work, ms) => source.heartbeat(work, ms);
  const beats = createBeats<Work>({ name, leaseMs, slots, heartbeat, onRecovered: wake, clock, logger, telemetry });
  const stopping = new AbortController();
  const labels = { [attribute.loop]: name };
  const warn = (error: unknown, message: string): void => logger.warn({ loop: name, ...errorFacts(error) }, message);
  let started: Promise<void> | undefined;
  let claiming: Promise<void> = Promise.resolve();
  let stopped: Promise<void> | undefined;
  let unsubscribe: (() => Promise<void>) | undefined;
  /** Work that runs alone runs, or waits in the store until this loop holds nothing. */
  let isDraining = false;

  /** With prefetch, once the next claim is sent, where one follows: the store works on that one while these run. */
  function fill(isClaimNext: boolean): void {
    if (isClaimNext && prefetch > 0) setImmediate(slots.fill);
    else slots.fill();
  }

  function takeAll(claimed: readonly Work[], asked: number, refusal?: Error): void {
    for (const work of claimed) slots.take(work, asked, refusal);
  }

  const refusalOf = (asked: number): Error | undefined => {
    if (stopping.signal.aborted) return shutdown(); // its handler gives it back
    return clock.monotonicMs() - asked >= leaseMs ? leaseLost() : undefined;
  };

  /**
   * Takes the first work that runs alone once this loop holds nothing else; a process that dies of
   * it then takes no other with it. While it holds something, such work goes back to the store,
   * where no lease of it can be lost, and nothing is claimed until what runs is over.
   */
  async function isolate(claimed: readonly Work[], asked: number): Promise<void> {
    isDraining = true;
    const alone = slots.running() === 0 ? claimed.find(runsAlone) : undefined;
    if (alone === undefined) {
      takeAll(
        claimed.filter((work) => !runsAlone(work)),
        asked,
      );
      takeAll(claimed.filter(runsAlone), asked, givenBack());
      return;
    }
    takeAll(
      claimed.filter((work) => work !== alone),
      asked,
      givenBack(),
    );
    await slots.emptied();
    takeAll([alone], asked, refusalOf(asked));
  }

  /** How many to claim now. */
  function room(): number {
    if (!beats.mayClaim()) return 0;
    if (isDraining && slots.running() > 0) return 0;
    isDraining = false;
    return slots.room();
  }

  async function claim(limit: number): Promise<number> {
    wakeSignal.clear(); // what wakes during the claim must not be lost
    const asked = clock.monotonicMs();
    try {
      const answer = source.claim({ owner, token: random.uuid(), leaseMs, limit });
      const claimed = await withDeadline({ clock, ms: leaseMs, call: 'claim' }, answer).catch((error: unknown) => {
        // The loop goes on without it. What it takes after all may be another's by the time it answers.
        answer.then(
          (late) => takeAll(late, asked, leaseLost()),
          () => undefined,
        );
        throw error;
      });
      // A call that took a whole lease, an outage survived, say: what it brought may be another's.
      const refusal = refusalOf(asked);
      if (refusal === undefined && claimed.some(runsAlone)) await isolate(claimed, asked);
      else takeAll(claimed, asked, refusal);
      fill(claimed.length >= limit);
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
      const most = room();
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
    await end?.().catch((error: unknown) => warn(error, 'wake-up subscription did not end'));
  }

  function abortAll(which: (held: HeldWork<Work>) => boolean): void {
    for (const held of slots.kept()) if (which(held)) held.abort(shutdown());
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
        { loop: name, running: slots.running() },
        'handlers ignore their aborted signal; their leases will run out',
      );
    };
    await Promise.race([drained(), timers().catch(() => undefined)]);
    over.abort();
    beats.stop();
  }

  return {
    owner,
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
  };
}
