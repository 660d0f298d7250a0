import type { FailureClassifier } from '../../foundation/failures/failure.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { Random } from '../../foundation/time/random.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import { systemRandom } from '../../foundation/time/system-random.js';
import type { Settings } from '../../settings/settings.js';
import type { Stores } from '../../stores/stores.js';
import { type Logger, silentLogger } from '../../telemetry/logger.js';
import type { RedactText } from '../../telemetry/sanitize-error.js';
import { noTelemetry, type Telemetry } from '../../telemetry/telemetry.js';
import { zeroQueueCounters } from '../../telemetry/zero-counters.js';
import type { LeaseLoop } from '../lease/lease-loop.js';
import { runDue } from '../lease/run-due.js';
import { createOutages, type OutageFields, type Outages } from '../retry/outages.js';
import type { RetryPolicy } from '../retry/retry-policy.js';
import { createJobWorker } from '../run/job-worker.js';
import type { JobEvent, JobKind, JobOutcome } from '../run/stage.js';
import { createLifecycle, type Lifecycle } from './lifecycle.js';
import { createQueueUpkeep, type Duty } from './queue-upkeep.js';

export interface WireWorkerOptions {
  /** For messages: `Criticizer`. */
  name: string;
  stores: Pick<Stores<never>, 'jobs' | 'limits' | 'now' | 'migrationPlan'>;
  settings: Pick<Settings, 'worker' | 'retry' | 'retention' | 'clock' | 'telemetry'>;
  redactText: RedactText;
  classify?: FailureClassifier | undefined;
  signal?: AbortSignal | undefined;
  onEvent?: ((event: JobEvent) => void) | undefined;
  /** Receives each outage whenever it parks work, and as it ends. */
  onOutage?: ((outage: OutageFields, isOpen: boolean) => void) | undefined;
  logger?: Logger | undefined;
  telemetry?: Telemetry | undefined;
  clock?: Clock | undefined;
  random?: Random | undefined;
}

/** What all parts of one worker share. */
export interface WorkerShares {
  observers: { clock: Clock; random: Random; logger: Logger; telemetry: Telemetry };
  outages: Outages;
  retry: RetryPolicy;
  /** Sleep after an empty claim (WQ-11). */
  poll: { minMs: number; maxMs: number };
}

/** What one kind of worker adds. */
export interface WorkerParts {
  kinds: readonly JobKind<unknown>[];
  /** Loops besides that of the jobs. They stop after it: a job may wait for their work. */
  loops?: readonly LeaseLoop[] | undefined;
  /** Done at each sweep after the queue's own. */
  duties?: readonly Duty[] | undefined;
  /** Done with each measurement of the queue's depth. */
  measures?: readonly Duty[] | undefined;
  /** Done at each start, before anything is claimed. */
  begin?: (() => void) | undefined;
  /** Done last, when nothing runs any more. */
  close?: (() => Promise<void>) | undefined;
}

export interface WiredWorker extends Pick<Lifecycle, 'start' | 'stop'> {
  /** Claim jobs at once. */
  wake(): void;
  /**
   * Runs what is due in all loops; gives how each stage that ran ended. Calls `begin` once it may run.
   * Throws as `start` and `Lifecycle.runInstead` do.
   */
  runDue(begin?: () => void): Promise<readonly JobOutcome[]>;
}

/** The settings' flat numbers as the policy that decides. */
export function toRetryPolicy({ maxAttemptsPerStage, maxLostLeases, parkMs, ...wait }: Settings['retry']): RetryPolicy {
  const { initialMs, multiplier, maxMs } = wait;
  return { maxAttemptsPerStage, maxLostLeases, parkMs, backoff: { initialMs, multiplier, maxMs } };
}

/** The one wiring of loops, upkeep, outages, start and stop: of the queue worker and of the Criticizer. */
// long: a wiring
export function wireWorker(options: WireWorkerOptions, build: (shares: WorkerShares) => WorkerParts): WiredWorker {
  const { name, stores, settings, redactText, classify, onEvent, onOutage, signal } = options;
  const { logger = silentLogger, telemetry = noTelemetry, clock = systemClock, random = systemRandom } = options;
  const observers = { clock, random, logger, telemetry };
  const { concurrency, prefetch, leaseMs, pollMinMs, pollMaxMs, shutdownGraceMs } = settings.worker;
  const poll = { minMs: pollMinMs, maxMs: pollMaxMs };
  const outages = createOutages({ ...observers, onChange: onOutage });
  const retry = toRetryPolicy(settings.retry);
  const {
    kinds,
    loops = [],
    duties = [],
    measures,
    begin: beginParts,
    close,
  } = build({ observers, outages, retry, poll });
  let isRunningDue = false;
  let outcomes: JobOutcome[] = [];
  let checked: Promise<void> | undefined;

  /** Events are for the host; outcomes are kept while somebody waits for them. */
  function observe(event: JobEvent): void {
    if (event.type === 'stage.ended' && isRunningDue) outcomes.push(toOutcome(event));
    onEvent?.(event);
  }

  const jobs = createJobWorker({
    jobs: stores.jobs,
    kinds,
    retry,
    leaseMs,
    concurrency,
    prefetch,
    poll,
    redactText,
    classify,
    outages,
    onEvent: observe,
    oneTrace: settings.telemetry.oneTrace,
    ...observers,
  });
  const upkeep = createQueueUpkeep({ stores, settings, duties, measures, ...observers });
  const lifecycle = createLifecycle({
    name,
    begin: [upkeep.check, beginCounters, () => Promise.all([jobs, ...loops].map((loop) => loop.start())), upkeep.start],
    end,
    graceMs: shutdownGraceMs,
    signal,
    logger,
  });

  function beginCounters(): void {
    zeroQueueCounters(telemetry, kinds);
    beginParts?.();
  }

  async function end(graceMs: number): Promise<void> {
    const endsAt = clock.monotonicMs() + graceMs;
    const kept = upkeep.stop();
    await jobs.stop({ graceMs });
    for (const loop of loops) await loop.stop({ graceMs: Math.max(0, endsAt - clock.monotonicMs()) });
    await kept;
    await close?.();
  }

  async function runAll(begin?: () => void): Promise<readonly JobOutcome[]> {
    begin?.();
    checked ??= upkeep.check().catch((error: unknown) => {
      checked = undefined;
      throw error;
    });
    await checked;
    isRunningDue = true;
    try {
      await runDue([jobs, ...loops]);
      return outcomes;
    } finally {
      isRunningDue = false;
      outcomes = [];
    }
  }

  const { start, stop, runInstead } = lifecycle;
  return { start, stop, wake: jobs.wake, runDue: (begin) => runInstead(() => runAll(begin)) };
}

function toOutcome({
  jobId,
  kind,
  stage,
  attempt,
  outcome,
  code,
}: Extract<JobEvent, { type: 'stage.ended' }>): JobOutcome {
  return { jobId, kind, stage, attempt, outcome, ...(code === undefined ? {} : { code }) };
}
