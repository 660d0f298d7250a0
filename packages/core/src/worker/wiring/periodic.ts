import type { Clock } from '../../foundation/time/clock.js';
import type { Random } from '../../foundation/time/random.js';
import { errorFacts } from '../../telemetry/error-facts.js';
import type { Logger } from '../../telemetry/logger.js';

/** A duty that recurs: sweepers, skew measurement. No leader: every process does it, the store makes it safe. */
export interface Periodic {
  start(): void;
  /** Resolves when a run under way has ended. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Runs `duty` every `everyMs` with up to 20 % jitter, never two at once; a failure is logged and
 * the next turn comes.
 */
export function createPeriodic(options: {
  name: string;
  everyMs: number;
  duty(signal: AbortSignal): Promise<void>;
  clock: Clock;
  random: Random;
  logger: Logger;
}): Periodic {
  const { name, everyMs, clock, random, logger } = options;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(everyMs * (0.9 + random.next() * 0.2), stopping.signal).catch(() => undefined);
      if (stopping.signal.aborted) return;
      try {
        await options.duty(stopping.signal);
      } catch (error) {
        logger.warn({ event: 'duty.failed', duty: name, ...errorFacts(error) }, 'periodic duty failed');
      }
    }
  }
  return {
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
