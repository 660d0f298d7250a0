import { CriticizerError } from '../../foundation/errors.js';
import { classifyFailure } from '../../foundation/failures/failure.js';
import { describeIssues } from '../../foundation/schema-issues.js';
import type { Job } from '../../stores/job.js';
import type { ClaimedJob } from '../../stores/job-store.js';
import { attemptsOf } from '../../stores/job-transitions.js';
import { attribute, metric, stageSpan } from '../../telemetry/names.js';
import { runInSpan } from '../../telemetry/telemetry.js';
import type { Hold } from '../lease/slots.js';
import type { OutagePlace } from '../retry/outages.js';
import type { RetryPolicy } from '../retry/retry-policy.js';
import {
  createJobRun,
  type JobRun,
  type JobRunnerOptions,
  throwIfLeaseLost,
  type UnfencedSettlement,
} from './job-run.js';
import { createSettleBatcher } from './settle-batcher.js';
import { locateOutage, redactFailure, refuseJob, settleFailure } from './settle-failure.js';
import type { JobKind, Stage, StageEnd, StageOutcome } from './stage.js';
import { createStageContext } from './stage-context.js';
import { readStageOutcome, unstorableOutcome } from './stage-outcome.js';

/** Where settlements wait while the store takes none. */
const storePlace: OutagePlace = { stage: 'store' };

// long: one run from its payload to its settlement
/**
 * Runs a claimed job stage by stage until it is settled. Never throws for what a stage did; throws
 * what the store throws.
 */
export function createJobRunner(options: JobRunnerOptions): (claimed: ClaimedJob, hold: Hold) => Promise<void> {
  const kinds = new Map(options.kinds.map((kind) => [kind.kind, kind]));
  const { jobs, leaseMs, clock, outages } = options;
  const settle = createSettleBatcher({
    jobs,
    leaseMs,
    clock,
    onOutage: (code) => outages.parked(storePlace, code),
    onHealed: () => outages.passed(storePlace),
  });
  // One asynchronous function for all of it: each more would be kept for every job that waits for its settlement.
  return async (claimed, hold) => {
    const run = createJobRun(options, settle, claimed, hold);
    const admitted = admit(claimed.job, kinds, options.retry);
    if ('refusal' in admitted) return refuseJob(options, run, admitted.refusal);
    const { kind, payload } = admitted;
    for (let goesOn = true; goesOn; ) {
      const stage = kind.stages.find((s) => s.name === run.job.stage);
      if (stage === undefined)
        return refuseJob(
          options,
          run,
          new CriticizerError('STAGE_UNKNOWN', `The kind "${kind.kind}" has no stage "${run.job.stage}".`),
        );
      const measured = startMeasure(options, run, kind.kind, stage.name);
      goesOn = false;
      let settlement: Ending | undefined;
      try {
        throwIfLeaseLost(run);
        const { span } = measured;
        const context = createStageContext(run, payload, options, span);
        const returned = await (span === undefined ? stage.run(context) : runInSpan(span, () => stage.run(context)));
        throwIfLeaseLost(run);
        const outcome = readStageOutcome(stage.name, returned);
        if (outcome.kind !== 'wait') options.outages.passed(locateOutage(run.job));
        settlement = settlementOf(options, kind, stage, outcome);
        let settled = await run.settle(settlement);
        if (settled === 'not-all-notified') {
          // A mail was reopened between the stage's look and this write: look again soon.
          settlement = { kind: 'wait', delayMs: options.retry.backoff.initialMs, reason: 'not-all-notified' };
          settled = await run.settle(settlement);
        }
        const code = settlement.kind === 'fail' ? settlement.failure.code : undefined;
        measured.ended(
          settled === 'settled' ? endOf[settlement.kind] : 'lease-lost',
          settled === 'settled' ? code : undefined,
        );
        if (settled !== 'settled' || settlement.kind !== 'advance') continue;
        advance(run, settlement);
        goesOn = true;
      } catch (error) {
        const cause = settlement === undefined ? error : unstorableOutcome(stage.name, error);
        const failed = await settleFailure(options, run, cause).catch((unsettled: unknown) => {
          measured.unsettled(classifyFailure(unsettled).code);
          throw unsettled;
        });
        measured.ended(failed.outcome, failed.code);
      }
    }
  };
}

interface Admitted {
  kind: JobKind<unknown>;
  payload: unknown;
}

/** What a claimed job is run as; the reason why it must not run at all. */
function admit(
  job: Job,
  kinds: ReadonlyMap<string, JobKind<unknown>>,
  retry: RetryPolicy,
): Admitted | { refusal: unknown } {
  const kind = kinds.get(job.kind);
  if (kind === undefined)
    return { refusal: new CriticizerError('KIND_UNKNOWN', `No job kind "${job.kind}" is registered.`) };
  const exhausted = exhaustion(job, retry);
  if (exhausted !== undefined) return { refusal: exhausted };
  try {
    const parsed = kind.payload.safeParse(job.payload);
    if (parsed.success) return { kind, payload: parsed.data };
    const message = `The payload does not fit the kind "${job.kind}".`;
    const details = describeIssues(parsed.error.issues);
    return { refusal: new CriticizerError('SCHEMA_INVALID', message, { category: 'validation', details }) };
  } catch (error) {
    return { refusal: error }; // the host's schema throws instead of answering
  }
}

/**
 * A job that kills its workers, or whose budget was used up by workers that died, must not run
 * again (ruling R11, ERR-6).
 */
function exhaustion(job: Job, retry: RetryPolicy): CriticizerError<string> | undefined {
  const attempt = attemptsOf(job, job.stage);
  const details = { attempt, lostLeases: job.lostLeases };
  if (job.lostLeases >= retry.maxLostLeases)
    return new CriticizerError('WORKER_LOST', `The stage "${job.stage}" lost its worker ${job.lostLeases} times.`, {
      details,
    });
  if (attempt <= retry.maxAttemptsPerStage) return undefined;
  const code = job.lastFailure?.code ?? 'WORKER_LOST';
  return new CriticizerError(code, `The stage "${job.stage}" has no attempts left.`, {
    category: job.lastFailure?.category,
    details,
  });
}

/**
 * Tells and measures one run of a stage. Spans and metrics only where there is something that takes
 * them: short jobs run by the ten thousand a second.
 */
function startMeasure({ clock, telemetry }: JobRunnerOptions, run: JobRun, kind: string, stage: string) {
  const began = clock.monotonicMs();
  const labels = { [attribute.kind]: kind, [attribute.stage]: stage };
  const parent = run.span;
  const described = { ...labels, [attribute.attempt]: attemptsOf(run.job, stage) };
  const span = parent === undefined ? undefined : telemetry.startSpan(stageSpan, described, { parent });
  run.tell({ type: 'stage.started' });
  return {
    span,
    ended(outcome: StageEnd, code?: string): void {
      const ms = clock.monotonicMs() - began;
      if (span !== undefined) {
        const errorType = code ?? (outcome === 'lease-lost' ? 'LEASE_LOST' : undefined);
        const failed = errorType === undefined ? {} : { [attribute.errorType]: errorType };
        telemetry.record(metric.stageDuration, ms / 1_000, { ...labels, [attribute.outcome]: outcome, ...failed });
        span.setAttributes({ [attribute.outcome]: outcome });
        span.end(errorType);
      }
      run.ended({ outcome, ms, code });
    },
    unsettled(code: string): void {
      span?.end(code);
      run.unsettled(code);
    },
  };
}

type Ending = Extract<UnfencedSettlement, { kind: 'advance' | 'done' | 'wait' | 'fail' }>;

const endOf: Readonly<Record<Ending['kind'], StageEnd>> = {
  advance: 'next',
  done: 'done',
  wait: 'wait',
  fail: 'failed',
};

/** What an outcome is written as. */
function settlementOf(
  { leaseMs, redactText }: JobRunnerOptions,
  kind: JobKind<unknown>,
  stage: Stage<unknown>,
  outcome: StageOutcome,
): Ending {
  if (outcome.kind === 'fail') return { ...outcome, failure: redactFailure(outcome.failure, redactText) };
  if (outcome.kind === 'wait') return { kind: 'wait', delayMs: outcome.delayMs, reason: outcome.reason };
  const { effects } = outcome;
  const following = outcome.kind === 'next' ? kind.stages[kind.stages.indexOf(stage) + 1] : undefined;
  if (following !== undefined) return { kind: 'advance', stage: following.name, leaseMs, effects };
  const { result, requireNotified = false } = outcome.kind === 'done' ? outcome : { result: {} };
  const deleteRow = kind.deleteCompleted === true && !requireNotified && effects === undefined;
  return { kind: 'done', result, requireNotified, effects, deleteRow };
}

function advance(run: JobRun, { stage, effects }: Extract<Ending, { kind: 'advance' }>): void {
  run.outputs = { ...run.outputs, ...effects?.outputs };
  const attempts = { ...run.job.attempts, [stage]: attemptsOf(run.job, stage) + 1 };
  run.job = { ...run.job, stage, attempts, outputs: run.outputs, lostLeases: 0 };
}
