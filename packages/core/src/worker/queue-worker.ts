import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { checkContract } from '../foundation/contract.js';
import type { FailureClassifier } from '../foundation/failure.js';
import {
  checkAbortSignal,
  checkedElsewhere,
  checkFunction,
  observerShape,
  optional,
} from '../foundation/option-checks.js';
import type { Clock } from '../foundation/time/clock.js';
import type { Random } from '../foundation/time/random.js';
import { systemClock } from '../foundation/time/system-clock.js';
import { systemRandom } from '../foundation/time/system-random.js';
import { resolveSettings, type Settings, type SettingsInput } from '../settings.js';
import { requireModules } from '../stores/modules.js';
import type { Stores } from '../stores/stores.js';
import { type Logger, silentLogger } from '../telemetry/logger.js';
import type { RedactText } from '../telemetry/sanitize-error.js';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.js';
import { checkKinds } from './check-kinds.js';
import { createJobWorker } from './job-worker.js';
import { createLifecycle } from './lifecycle.js';
import { createOutages } from './outages.js';
import { createQueueUpkeep } from './queue-upkeep.js';
import type { RetryPolicy } from './retry-policy.js';
import type { JobEvent, JobKind } from './stage.js';

/** What `createQueueWorker` needs: stores, kinds, and a redactor for messages of errors. */
export interface QueueWorkerOptions {
  /** Any `Stores`; this much of it is used. */
  stores: Pick<Stores<never>, 'contract' | 'modules' | 'jobs' | 'limits' | 'now' | 'migrationPlan'>;
  /** What this process runs; other kinds on the same queue are left to others. */
  kinds: readonly JobKind<unknown>[];
  /**
   * Applied to the message and stack of every failure before it is stored or logged (ERR-8): the
   * session of a redactor, or your own.
   */
  redactText: RedactText;
  /**
   * Your own rows of the failure table, for errors of your stages that the SDK does not know
   * (ERR-1). Default: the built-in table alone.
   */
  classify?: FailureClassifier | undefined;
  settings?: Pick<SettingsInput, 'worker' | 'retry' | 'retention' | 'clock'> | undefined;
  /** Aborting it stops the worker as `stop()` does. */
  signal?: AbortSignal | undefined;
  onEvent?: ((event: JobEvent) => void) | undefined;
  logger?: Logger | undefined;
  telemetry?: Telemetry | undefined;
  clock?: Clock | undefined;
  random?: Random | undefined;
}

/** A worker of the queue alone: no review, no mail. */
export interface QueueWorker extends AsyncDisposable {
  /** Starts claiming. Throws as `Criticizer.start` does. */
  start(): Promise<void>;
  /** Claims nothing more, lets running jobs finish within the grace, gives the rest back. Idempotent. */
  stop(options?: { graceMs?: number | undefined }): Promise<void>;
  /** Claim at once: something was just enqueued in this process. */
  wake(): void;
}

/** The settings' flat numbers as the policy that decides. */
export function retryPolicyOf({
  initialMs,
  multiplier,
  maxMs,
  maxAttemptsPerStage,
  maxLostLeases,
  parkMs,
}: Settings['retry']): RetryPolicy {
  return { maxAttemptsPerStage, maxLostLeases, parkMs, backoff: { initialMs, multiplier, maxMs } };
}

const optionShape: OptionShape<QueueWorkerOptions> = {
  stores: checkedElsewhere,
  kinds: checkedElsewhere,
  redactText: checkFunction,
  classify: optional(checkFunction),
  settings: checkedElsewhere,
  signal: optional(checkAbortSignal),
  onEvent: optional(checkFunction),
  logger: observerShape.logger,
  telemetry: observerShape.telemetry,
  clock: observerShape.clock,
  random: observerShape.random,
};

function checkWorkerOptions(options: QueueWorkerOptions): void {
  checkOptions('createQueueWorker', options, optionShape);
  const { stores, kinds } = options;
  if (typeof stores?.jobs?.claim !== 'function' || typeof stores.migrationPlan !== 'function')
    throw new TypeError('createQueueWorker: stores: expected stores made by a factory such as createSqliteStores');
  checkContract('createQueueWorker: stores', stores);
  requireModules('createQueueWorker', stores, ['queue']);
  checkKinds('createQueueWorker', kinds);
  if (kinds.length === 0) throw new TypeError('createQueueWorker: kinds: expected at least one kind');
}

/**
 * Runs the host's own kinds of job: claims, heartbeats, retries, dead letters and shutdown as for
 * reviews. Throws `TypeError` for wrong settings.
 */
export function createQueueWorker(options: QueueWorkerOptions): QueueWorker {
  checkWorkerOptions(options);
  const { stores, kinds, redactText, classify, onEvent, signal } = options;
  const { jobs } = stores;
  const settings = resolveSettings(options.settings);
  const { logger = silentLogger, telemetry = noTelemetry, clock = systemClock, random = systemRandom } = options;
  const observers = { logger, telemetry, clock, random };
  const { concurrency, prefetch, leaseMs, pollMinMs: minMs, pollMaxMs: maxMs, shutdownGraceMs } = settings.worker;
  const worker = createJobWorker({
    jobs,
    kinds,
    redactText,
    classify,
    outages: createOutages(observers),
    onEvent,
    retry: retryPolicyOf(settings.retry),
    concurrency,
    prefetch,
    leaseMs,
    poll: { minMs, maxMs },
    ...observers,
  });
  const upkeep = createQueueUpkeep({ stores, settings, ...observers });
  const { start, stop } = createLifecycle({
    name: 'queue worker',
    begin: [upkeep.check, worker.start, upkeep.start],
    end: async (graceMs) => void (await Promise.all([worker.stop({ graceMs }), upkeep.stop()])),
    graceMs: shutdownGraceMs,
    signal,
    logger,
  });
  return { start, stop, wake: worker.wake, [Symbol.asyncDispose]: () => stop() };
}
