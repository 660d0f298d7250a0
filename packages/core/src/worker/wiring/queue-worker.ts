import { checkFields, checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { checkContract } from '../../foundation/contract.js';
import type { FailureClassifier } from '../../foundation/failures/failure.js';
import {
  checkAbortSignal,
  checkedElsewhere,
  checkFunction,
  observerShape,
  oneOf,
  optional,
} from '../../foundation/option-checks.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { Random } from '../../foundation/time/random.js';
import { resolveSettings, type SettingsInput } from '../../settings/settings.js';
import { requireModules } from '../../stores/modules.js';
import type { Stores } from '../../stores/stores.js';
import type { Logger } from '../../telemetry/logger.js';
import type { RedactText } from '../../telemetry/sanitize-error.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import type { JobEvent, JobKind, JobOutcome, RunDueOptions } from '../run/stage.js';
import { checkKinds } from './check-kinds.js';
import { wireWorker } from './wire-worker.js';

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
  settings?: Pick<SettingsInput, 'worker' | 'retry' | 'retention' | 'clock' | 'telemetry'> | undefined;
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
  /**
   * For tests of the host: runs in this process, in place of `start`, what is due now and what that
   * makes due, until nothing is; jobs that wait for later are left. With stores and worker on one
   * manual clock, advance it and call again; PostgreSQL's own clock decides what is due there. A
   * stage that sleeps on the clock needs it advanced. Leaves no timer. Throws `ALREADY_RUNNING`
   * after `start` and while another run is under way, else as `start` does; rejects with the
   * store's error where it cannot claim.
   */
  runDue(options?: RunDueOptions): Promise<{ jobs: readonly JobOutcome[] }>;
}

const runDueShape: OptionShape<RunDueOptions> = { until: optional(oneOf('idle')) };

/** Throws `TypeError` for what `runDue` does not take. */
export function checkRunDue(options: RunDueOptions | undefined): void {
  checkFields('runDue: options', options, runDueShape);
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
  const { kinds, ...shared } = options;
  const settings = resolveSettings(options.settings);
  const { start, stop, wake, runDue } = wireWorker({ ...shared, name: 'queue worker', settings }, () => ({ kinds }));
  return {
    start,
    stop,
    wake,
    async runDue(due) {
      checkRunDue(due);
      return { jobs: await runDue() };
    },
    [Symbol.asyncDispose]: () => stop(),
  };
}
