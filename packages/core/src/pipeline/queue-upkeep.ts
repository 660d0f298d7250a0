import { createPeriodic } from '../leasing/periodic.js';
import type { Settings } from '../settings.js';
import type { Stores } from '../stores.js';
import { errorFacts } from '../telemetry/error-facts.js';
import type { Logger } from '../telemetry/logger.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { Clock } from '../time/clock.js';
import type { Random } from '../time/random.js';
import { createStartChecks } from './start-checks.js';

/** Something a sweep does; the signal aborts when the process stops. */
export type Duty = (signal: AbortSignal) => Promise<unknown>;

/** What a process does for the queue beside working on it. */
export interface QueueUpkeep {
  /** See `StartChecks.check`. */
  check(): Promise<void>;
  /** Starts sweeping. */
  start(): void;
  stop(): Promise<void>;
}

export interface QueueUpkeepOptions {
  stores: Pick<Stores<never>, 'jobs' | 'limits' | 'now' | 'migrationPlan'>;
  settings: Pick<Settings, 'worker' | 'clock'>;
  /** Done at each sweep after the queue's own. */
  duties?: readonly Duty[] | undefined;
  clock: Clock;
  random: Random;
  logger: Logger;
  telemetry: Telemetry;
}

/** The same upkeep in every process that runs a worker; no leader, the store makes it safe. */
export function createQueueUpkeep(options: QueueUpkeepOptions): QueueUpkeep {
  const { stores, settings, clock, random, logger, telemetry } = options;
  const checks = createStartChecks({ stores, settings, clock, logger, telemetry });
  const duties: readonly Duty[] = [() => stores.jobs.requeueExpired(), checks.measureSkew, ...(options.duties ?? [])];

  /** Each duty for itself: one that fails keeps none of the others from being done. */
  async function sweep(signal: AbortSignal): Promise<void> {
    for (const duty of duties) {
      try {
        await duty(signal);
      } catch (error) {
        logger.warn(errorFacts(error), 'a sweep failed; the next one tries again');
      }
    }
  }

  const sweeper = createPeriodic({ name: 'sweep', everyMs: settings.worker.sweepEveryMs, duty: sweep, clock, random, logger });
  return { check: checks.check, start: sweeper.start, stop: sweeper.stop };
}
