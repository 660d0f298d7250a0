import { checkFields, type OptionShape } from '../../foundation/check-options.js';
import { CriticizerError } from '../../foundation/errors.js';
import { optional } from '../../foundation/option-checks.js';
import { checkMs } from '../../foundation/store-input.js';
import { errorFacts } from '../../telemetry/error-facts.js';
import type { Logger } from '../../telemetry/logger.js';

/** Started once, stopped once. */
export interface Lifecycle {
  /**
   * One start, however often it is called; one that failed may be called again. Throws `STOPPED`
   * after or during a stop, besides what the steps throw.
   */
  start(): Promise<void>;
  /** Idempotent; the grace of the first call counts. */
  stop(options?: { graceMs?: number | undefined }): Promise<void>;
  /**
   * Does `work` in place of a start, so that the two never overlap. Throws `ALREADY_RUNNING` after a
   * start and while another is under way, `STOPPED` after a stop; a stop waits for its end.
   */
  runInstead<T>(work: () => Promise<T>): Promise<T>;
}

export interface LifecycleOptions {
  /** For messages: `Criticizer`. */
  name: string;
  /** Run in order; none begins once a stop was asked for. All run again when one failed, so each bears it. */
  begin: readonly (() => unknown)[];
  end(graceMs: number): Promise<void>;
  /** The grace of a stop that names none. */
  graceMs: number;
  /** Aborting it stops as `stop()` does. */
  signal: AbortSignal | undefined;
  logger: Logger;
}

interface StopOptions {
  graceMs?: number | undefined;
}
const stopShape: OptionShape<StopOptions> = { graceMs: optional((option, value) => checkMs(option, value)) };

/** The start and stop that a Criticizer and a queue worker share. A signal that is aborted already stops at once. */
// long: start, stop and what runs instead exclude each other through shared state
export function createLifecycle({
  name,
  begin,
  end,
  graceMs: usualGraceMs,
  signal,
  logger,
}: LifecycleOptions): Lifecycle {
  let started: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;
  let instead: Promise<unknown> | undefined;

  function refuseRunning(isRunning: boolean): void {
    if (!isRunning) return;
    const message = `The ${name} was started, or runs what is due: the two exclude each other.`;
    throw new CriticizerError('ALREADY_RUNNING', message, { category: 'conflict' });
  }

  function refuseStopped(): void {
    if (stopped !== undefined)
      throw new CriticizerError('STOPPED', `A stopped ${name} does not start again; make a new one.`);
  }

  async function run(): Promise<void> {
    for (const step of begin) {
      await step();
      refuseStopped();
    }
  }

  async function stop(options?: StopOptions): Promise<void> {
    checkFields('stop: options', options, stopShape);
    const { graceMs = usualGraceMs } = options ?? {};
    signal?.removeEventListener('abort', onAbort);
    stopped ??= end(graceMs);
    await instead?.catch(() => undefined);
    return stopped;
  }

  function onAbort(): void {
    stop().catch((error: unknown) =>
      logger.error({ event: 'service.stop_failed', ...errorFacts(error) }, `stopping the ${name} on its signal failed`),
    );
  }

  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });

  return {
    async start() {
      refuseStopped();
      refuseRunning(instead !== undefined);
      started ??= run().catch((error: unknown) => {
        started = undefined;
        throw error;
      });
      return started;
    },
    stop,
    async runInstead(work) {
      refuseStopped();
      refuseRunning(started !== undefined || instead !== undefined);
      const running = work().finally(() => {
        instead = undefined;
      });
      instead = running;
      return running;
    },
  };
}
