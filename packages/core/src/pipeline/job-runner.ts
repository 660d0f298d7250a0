import { CriticizerError } from '../errors.js';
import { classifyFailure } from '../failure.js';
import type { Job } from '../jobs/job.js';
import type { ClaimedJob } from '../jobs/job-store.js';
import type { RetryPolicy } from '../jobs/retry-policy.js';
import { createSettleTogether } from '../jobs/settle-together.js';
import type { Hold } from '../leasing/slots.js';
import { attribute, metric, span as spanName } from '../telemetry/names.js';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.js';
import { createJobRun, type JobRun, type JobRunnerOptions, throwIfEnded } from './job-run.js';
import { placeOf, refuseJob, settleFailure } from './settle-failure.js';
import type { JobKind, Stage, StageEnd, StageOutcome } from './stage.js';
import { createStageContext } from './stage-context.js';

/** Runs a claimed job stage by stage until it is settled. Never throws for what a stage did; throws what the store throws. */
export function createJobRunner(options: JobRunnerOptions): (claimed: ClaimedJob, hold: Hold) => Promise<void> {
  const kinds = new Map(options.kinds.map((kind) => [kind.kind, kind]));
  const settle = createSettleTogether(options.jobs);
  return async (claimed, hold) => {
    const { job } = claimed;
    const run = createJobRun(options, settle, claimed, hold);
    const kind = kinds.get(job.kind);
    if (kind === undefined) return refuseJob(options, run, new CriticizerError('KIND_UNKNOWN', `No job kind "${job.kind}" is registered.`));
    const exhausted = exhaustion(job, options.retry);
    if (exhausted !== undefined) return refuseJob(options, run, exhausted);
    const parsed = kind.payload.safeParse(job.payload);
    if (!parsed.success) {
      const message = `The payload does not fit the kind "${job.kind}".`;
      return refuseJob(options, run, new CriticizerError('SCHEMA_INVALID', message, { category: 'validation' }));
    }
    for (;;) {
      const stage = kind.stages.find((s) => s.name === run.job.stage);
      if (stage === undefined)
        return refuseJob(options, run, new CriticizerError('STAGE_UNKNOWN', `The kind "${kind.kind}" has no stage "${run.job.stage}".`));
      if (!(await runStage(options, run, kind, stage, parsed.data))) return;
    }
  };
}

/** A job that kills its workers, or whose budget was used up by workers that died, must not run again (ruling R11, ERR-6). */
function exhaustion(job: Job, retry: RetryPolicy): CriticizerError | undefined {
  const attempt = job.attempts[job.stage] ?? 0;
  const details = { attempt, lostLeases: job.lostLeases };
  if (job.lostLeases >= retry.maxLostLeases)
    return new CriticizerError('WORKER_LOST', `The stage "${job.stage}" lost its worker ${job.lostLeases} times.`, { details });
  if (attempt <= retry.maxAttemptsPerStage) return undefined;
  const code = job.lastFailure?.code ?? 'WORKER_LOST';
  return new CriticizerError(code, `The stage "${job.stage}" has no attempts left.`, { category: job.lastFailure?.category, details });
}

/** The measures of one run of a stage; none where nothing is measured: short jobs run by the ten thousand a second. */
function startMeasure(telemetry: Telemetry, kind: string, stage: string) {
  if (telemetry === noTelemetry) return undefined;
  const labels = { [attribute.kind]: kind, [attribute.stage]: stage };
  const span = telemetry.startSpan(spanName.stage, labels);
  return {
    ended(outcome: StageEnd, ms: number, code: string | undefined): void {
      telemetry.record(metric.stageDuration, ms / 1_000, { ...labels, [attribute.outcome]: outcome });
      span.setAttributes({ [attribute.outcome]: outcome });
      span.end(code ?? (outcome === 'lease-lost' ? 'LEASE_LOST' : undefined));
    },
    unsettled: (code: string): void => span.end(code),
  };
}

/** True when the job goes on with another stage under the same lease. */
async function runStage(
  options: JobRunnerOptions,
  run: JobRun,
  kind: JobKind<unknown>,
  stage: Stage<unknown>,
  payload: unknown,
): Promise<boolean> {
  const began = options.clock.monotonicMs();
  const measure = startMeasure(options.telemetry, kind.kind, stage.name);
  const end = (outcome: StageEnd, code?: string): void => {
    const ms = options.clock.monotonicMs() - began;
    measure?.ended(outcome, ms, code);
    run.ended({ outcome, ms, code });
  };
  run.tell({ type: 'stage.started' });
  try {
    throwIfEnded(run);
    const outcome = await stage.run(createStageContext(run, payload, options));
    throwIfEnded(run);
    if (outcome.kind !== 'wait') options.outages.passed(placeOf(run.job));
    const following = kind.stages[kind.stages.indexOf(stage) + 1];
    if (outcome.kind === 'next' && following !== undefined) return await advance(options, run, following, outcome, end);
    end(await finish(options, run, kind, outcome));
  } catch (error) {
    const failed = await settleFailure(options, run, error).catch((unsettled: unknown) => {
      measure?.unsettled(classifyFailure(unsettled).code);
      throw unsettled;
    });
    end(failed.outcome, failed.code);
  }
  return false;
}

async function advance(
  options: JobRunnerOptions,
  run: JobRun,
  following: Stage<unknown>,
  { effects }: Extract<StageOutcome, { kind: 'next' }>,
  end: (outcome: StageEnd) => void,
): Promise<boolean> {
  const settled = await run.settle({ kind: 'advance', stage: following.name, leaseMs: options.leaseMs, effects });
  end(settled === 'settled' ? 'next' : 'lease-lost');
  if (settled !== 'settled') return false;
  run.outputs = { ...run.outputs, ...effects?.outputs };
  const attempts = { ...run.job.attempts, [following.name]: (run.job.attempts[following.name] ?? 0) + 1 };
  run.job = { ...run.job, stage: following.name, attempts, outputs: run.outputs, lostLeases: 0 };
  return true;
}

/** Settles an outcome that ends this worker's part. */
async function finish(options: JobRunnerOptions, run: JobRun, kind: JobKind<unknown>, outcome: StageOutcome): Promise<StageEnd> {
  const ended = (settled: string, as: StageEnd): StageEnd => (settled === 'settled' ? as : 'lease-lost');
  if (outcome.kind === 'wait') return ended(await run.settle({ kind: 'wait', delayMs: outcome.delayMs, reason: outcome.reason }), 'wait');
  const result = outcome.kind === 'done' ? outcome.result : {};
  const requireNotified = outcome.kind === 'done' && (outcome.requireNotified ?? false);
  const deleteRow = kind.deleteCompleted === true && !requireNotified && outcome.effects === undefined;
  const settled = await run.settle({ kind: 'done', result, requireNotified, effects: outcome.effects, deleteRow });
  if (settled !== 'not-all-notified') return ended(settled, 'done');
  // A mail was reopened between the stage's look and this write: look again soon.
  return ended(await run.settle({ kind: 'wait', delayMs: options.retry.backoff.initialMs, reason: 'not-all-notified' }), 'wait');
}
