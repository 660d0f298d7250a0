import type { JobStore } from '../jobs/job-store.js';
import type { RetryPolicy } from '../jobs/retry-policy.js';
import { createPeriodic } from '../leasing/periodic.js';
import { resolveSettings, type Settings, type SettingsInput } from '../settings.js';
import { type Logger, silentLogger } from '../telemetry/logger.js';
import type { RedactText } from '../telemetry/sanitize-error.js';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.js';
import type { Clock } from '../time/clock.js';
import type { Random } from '../time/random.js';
import { systemClock } from '../time/system-clock.js';
import { systemRandom } from '../time/system-random.js';
import { createJobWorker } from './job-worker.js';
import type { JobEvent, JobKind } from './stage.js';

export interface QueueWorkerOptions {
  jobs: JobStore<never>;
  /** What this process runs; other kinds on the same queue are left to others. */
  kinds: readonly JobKind<unknown>[];
  /** Applied to the message and stack of every failure before it is stored or logged (ERR-8): the session of a redactor, or your own. */
  redactText: RedactText;
  settings?: Pick<SettingsInput, 'worker' | 'retry'> | undefined;
  onEvent?: ((event: JobEvent) => void) | undefined;
  logger?: Logger | undefined;
  telemetry?: Telemetry | undefined;
  clock?: Clock | undefined;
  random?: Random | undefined;
}

/** A worker of the queue alone: no review, no mail. */
export interface QueueWorker extends AsyncDisposable {
  start(): Promise<void>;
  /** Claims nothing more, lets running jobs finish within the grace, gives the rest back. Idempotent. */
  stop(options?: { graceMs?: number | undefined }): Promise<void>;
  /** Claim at once: something was just enqueued in this process. */
  wake(): void;
}

/** The settings' flat numbers as the policy that decides. */
export function retryPolicyOf({ initialMs, multiplier, maxMs, ...budgets }: Settings['retry']): RetryPolicy {
  return { ...budgets, backoff: { initialMs, multiplier, maxMs } };
}

/** Runs the host's own kinds of job: claims, heartbeats, retries, dead letters and shutdown as for reviews. Throws `TypeError` for wrong settings. */
export function createQueueWorker(options: QueueWorkerOptions): QueueWorker {
  const { jobs, kinds, redactText, onEvent } = options;
  if (kinds.length === 0) throw new TypeError('createQueueWorker: kinds: expected at least one kind');
  const { worker: settings, retry } = resolveSettings(options.settings);
  const { logger = silentLogger, telemetry = noTelemetry, clock = systemClock, random = systemRandom } = options;
  const observers = { logger, telemetry, clock, random };
  const { concurrency, prefetch, leaseMs, pollMinMs: minMs, pollMaxMs: maxMs } = settings;
  const worker = createJobWorker({
    jobs,
    kinds,
    redactText,
    onEvent,
    retry: retryPolicyOf(retry),
    concurrency,
    prefetch,
    leaseMs,
    poll: { minMs, maxMs },
    ...observers,
  });
  const duty = async (): Promise<void> => void (await jobs.requeueExpired());
  const sweeper = createPeriodic({ name: 'sweep', everyMs: settings.sweepEveryMs, duty, ...observers });
  const stop: QueueWorker['stop'] = async ({ graceMs = settings.shutdownGraceMs } = {}) => {
    await Promise.all([worker.stop({ graceMs }), sweeper.stop()]);
  };
  return {
    async start() {
      await worker.start();
      sweeper.start();
    },
    stop,
    wake: worker.wake,
    [Symbol.asyncDispose]: () => stop(),
  };
}
