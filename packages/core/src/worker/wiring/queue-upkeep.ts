import type { Clock } from '../../foundation/time/clock.js';
import type { Random } from '../../foundation/time/random.js';
import { withDeadline } from '../../foundation/time/with-deadline.js';
import type { Settings } from '../../settings/settings.js';
import type { QueueDepth } from '../../stores/job-store.js';
import type { Stores } from '../../stores/stores.js';
import { errorFacts } from '../../telemetry/error-facts.js';
import type { Logger } from '../../telemetry/logger.js';
import { attribute, metric } from '../../telemetry/names.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import { createPeriodic, type Periodic } from './periodic.js';
import { createStartChecks } from './start-checks.js';

/** Something a sweep does; the signal aborts when the process stops, and once it took too long. */
export type Duty = (signal: AbortSignal) => Promise<unknown>;

/** What a process does for the queue beside working on it. */
export interface QueueUpkeep {
  /** See `StartChecks.check`. */
  check(): Promise<void>;
  /** Starts sweeping and measuring. */
  start(): void;
  stop(): Promise<void>;
}

export interface QueueUpkeepOptions {
  stores: Pick<Stores<never>, 'jobs' | 'limits' | 'now' | 'migrationPlan'>;
  settings: Pick<Settings, 'worker' | 'retention' | 'clock'>;
  /** Done at each sweep after the queue's own. */
  duties?: readonly Duty[] | undefined;
  /** Done with each measurement of the queue's depth. */
  measures?: readonly Duty[] | undefined;
  clock: Clock;
  random: Random;
  logger: Logger;
  telemetry: Telemetry;
}

/**
 * One transaction prunes no more than this, and one sweep no more than so many of them: a backlog
 * goes in steps, beside the work.
 */
const pruneBatch = 1_000;
const pruneBatches = 10;

/** The longest that one duty may take, mail look-ups of a hundred rows among them; then the others have their turn. */
const longestDutyMs = 10 * 60_000;

/**
 * Runs the duties one after the other. One that fails or outlasts its deadline is logged; the others
 * still run.
 */
async function runDuties(
  duties: readonly Duty[],
  signal: AbortSignal,
  { clock, logger, telemetry }: Pick<QueueUpkeepOptions, 'clock' | 'logger' | 'telemetry'>,
): Promise<void> {
  for (const duty of duties) {
    const late = new AbortController();
    try {
      await withDeadline({ clock, ms: longestDutyMs, call: 'a sweep' }, duty(AbortSignal.any([signal, late.signal])));
    } catch (error) {
      late.abort(error);
      if (!signal.aborted) telemetry.count(metric.sweepFailed, 1, { [attribute.errorType]: errorFacts(error).code });
      logger.warn({ event: 'sweep.failed', ...errorFacts(error) }, 'a sweep failed; the next one tries again');
    }
  }
}

function recordDepth(telemetry: Telemetry, { due, scheduled, running, oldestDueMs }: QueueDepth): void {
  telemetry.gauge(metric.queueDue, due);
  telemetry.gauge(metric.queueScheduled, scheduled);
  telemetry.gauge(metric.queueRunning, running);
  telemetry.gauge(metric.queueOldestDue, oldestDueMs / 1_000);
}

// long: the duties of one process, each short
/** The same upkeep in every process that runs a worker; no leader, the store makes it safe. */
export function createQueueUpkeep(options: QueueUpkeepOptions): QueueUpkeep {
  const { stores, settings, clock, random, logger, telemetry } = options;
  const { jobs } = stores;
  const { sweepEveryMs, statsEveryMs } = settings.worker;
  const checks = createStartChecks({ stores, settings, clock, logger, telemetry });
  const duties: readonly Duty[] = [requeueExpired, checks.measureSkew, prune, ...(options.duties ?? [])];
  const observers = { clock, random, logger };
  const periodics: Periodic[] = [
    createPeriodic({
      name: 'sweep',
      everyMs: sweepEveryMs,
      duty: (signal) => runDuties(duties, signal, { clock, logger, telemetry }),
      ...observers,
    }),
  ];
  if (statsEveryMs !== null)
    periodics.push(createPeriodic({ name: 'depth', everyMs: statsEveryMs, duty: measure, ...observers }));

  /** A store that gives no answer for a whole lease is not waited for: the next turn asks again. */
  const bounded = <T>(call: string, work: Promise<T>): Promise<T> =>
    withDeadline({ clock, ms: settings.worker.leaseMs, call }, work);

  async function requeueExpired(): Promise<void> {
    for (const { kind } of await bounded('jobs.requeueExpired', jobs.requeueExpired()))
      telemetry.count(metric.leaseRequeued, 1, { [attribute.kind]: kind });
  }

  async function prune(signal: AbortSignal): Promise<void> {
    const olderThanMs = settings.retention.finishedJobsMs;
    if (olderThanMs === null) return;
    for (let batch = 0; batch < pruneBatches && !signal.aborted; batch++) {
      const pruned = await bounded('jobs.prune', jobs.prune({ olderThanMs, limit: pruneBatch }));
      if (pruned > 0) telemetry.count(metric.jobsPruned, pruned);
      if (pruned < pruneBatch) return;
    }
  }

  async function measure(signal: AbortSignal): Promise<void> {
    await runDuties([measureDepth, ...(options.measures ?? [])], signal, { clock, logger, telemetry });
  }

  async function measureDepth(): Promise<void> {
    recordDepth(telemetry, await bounded('jobs.depth', jobs.depth()));
  }

  return {
    check: checks.check,
    start() {
      for (const periodic of periodics) periodic.start();
    },
    stop: async () => void (await Promise.all(periodics.map((periodic) => periodic.stop()))),
  };
}
