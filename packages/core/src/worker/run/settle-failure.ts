import { parseChangelistId } from '../../foundation/changelist-id.js';
import { CriticizerError, isCriticizerError } from '../../foundation/errors.js';
import { type ClassifiedFailure, classifyFailure } from '../../foundation/failures/failure.js';
import { readField } from '../../foundation/failures/foreign-failures.js';
import { describeIssues } from '../../foundation/schema-issues.js';
import type { NewDeadLetter } from '../../stores/dead-letter-store.js';
import type { Failure, Job } from '../../stores/job.js';
import { attemptsOf } from '../../stores/job-transitions.js';
import { attribute, metric } from '../../telemetry/names.js';
import { type RedactText, type SanitizedError, sanitizeError } from '../../telemetry/sanitize-error.js';
import type { OutagePlace } from '../retry/outages.js';
import { decideRetry } from '../retry/retry-policy.js';
import type { JobRun, JobRunnerOptions } from './job-run.js';
import type { StageEnd } from './stage.js';

/** How a failed stage was settled, for its event. */
export interface FailureEnd {
  outcome: StageEnd;
  code?: string | undefined;
}

const interruptions: ReadonlySet<string> = new Set(['LEASE_LOST', 'SHUTDOWN', 'GIVEN_BACK', 'CANCELLED']);

/** What the signal says outranks what the interrupted stage happened to throw. */
function interruption(run: JobRun, error: unknown): string | undefined {
  const cause = run.hold.reason ?? error;
  return isCriticizerError(cause) && interruptions.has(cause.code) ? cause.code : undefined;
}

/**
 * Classifies, decides and writes: retry, wait or dead letter; gives the job back on shutdown, for
 * one that must run alone, and where a cancel was asked for, which ends it (ruling R24); writes
 * nothing once the lease is lost (WQ-6).
 */
export async function settleFailure(options: JobRunnerOptions, run: JobRun, error: unknown): Promise<FailureEnd> {
  const interrupted = interruption(run, error);
  if (interrupted === 'LEASE_LOST') return { outcome: 'lease-lost', code: interrupted };
  if (interrupted !== undefined) {
    if ((await run.settle({ kind: 'release' })) !== 'settled') return { outcome: 'lease-lost' };
    return interrupted === 'CANCELLED' ? { outcome: 'failed', code: interrupted } : { outcome: 'release' };
  }

  const { job } = run;
  const { classify, redactText, clock } = options;
  const failure = classifyFailure(error, { classify, redactText, nowMs: clock.nowMs() });
  const attempt = Math.max(1, attemptsOf(job, job.stage));
  const decision = decideRetry(options.retry, failure, attempt, job.replayOf?.errorClass ?? null, options.random);
  const sanitized = sanitizeFailure(error, options.redactText);
  const parked = decision.kind === 'wait';
  if (parked) options.outages.parked(locateOutage(job), failure.code, sanitized.details);
  if (decision.kind === 'dead-letter') return writeDeadLetter(options, run, failure, decision.escalation, sanitized);
  // Of an outage the first line is enough; each look of each job would bury it.
  options.logger[parked ? 'debug' : 'warn'](
    { ...describeFailure(run, failure, sanitized), decision: decision.kind },
    'stage failed',
  );
  if (decision.kind === 'retry')
    options.telemetry.record(metric.retryDelay, decision.delayMs / 1_000, { [attribute.reason]: failure.category });
  const stored = { code: failure.code, category: failure.category, message: sanitized.message };
  const settled = await run.settle(
    decision.kind === 'retry'
      ? { kind: 'retry', delayMs: decision.delayMs, failure: stored }
      : { kind: 'wait', delayMs: decision.delayMs, reason: decision.reason },
  );
  return { outcome: settled === 'settled' ? decision.kind : 'lease-lost', code: failure.code };
}

/** Where the job waits or went through. */
export function locateOutage({ stage, changelistId }: Job): OutagePlace {
  const server = changelistId === null ? null : parseChangelistId(changelistId);
  return { stage, serverId: server?.serverId };
}

/**
 * The failure that a stage ends its job with, as it may be stored: redacted, cut, its code one that
 * stores can hold (ERR-8).
 */
export function redactFailure({ code, category, message }: Failure, redactText: RedactText): Failure {
  const error = new CriticizerError(code, message, { category });
  return {
    code: classifyFailure(error, { redactText }).code,
    category,
    message: sanitizeError(error, redactText).message,
  };
}

/** For a job that must not run at all: its payload does not fit, it kills its workers. */
export async function refuseJob(options: JobRunnerOptions, run: JobRun, error: unknown): Promise<void> {
  const failure = classifyFailure(error, { redactText: options.redactText });
  const escalation = failure.category === 'bug' ? 'page' : 'operator';
  const sanitized = sanitizeFailure(error, options.redactText);
  const end = await writeDeadLetter(options, run, failure, escalation, sanitized).catch((unsettled: unknown) => {
    run.unsettled(classifyFailure(unsettled).code);
    throw unsettled;
  });
  run.ended({ ...end, ms: 0 });
}

/** What a log line says of a failed job: ids, counts and redacted text, nothing of the payload (ERR-8). */
function describeFailure(
  { job }: JobRun,
  failure: ClassifiedFailure,
  { message, details: { issues, moreIssues } }: SanitizedError,
): object {
  return {
    jobId: job.id,
    kind: job.kind,
    stage: job.stage,
    attempt: attemptsOf(job, job.stage),
    lostLeases: job.lostLeases,
    code: failure.code,
    category: failure.category,
    message,
    ...(issues === undefined ? {} : { issues }),
    ...(moreIssues === undefined ? {} : { moreIssues }),
  };
}

/** An error that a stage's own schema threw tells which fields, as one of the payload does. */
function sanitizeFailure(error: unknown, redactText: JobRunnerOptions['redactText']): SanitizedError {
  const sanitized = sanitizeError(error, redactText);
  if (isCriticizerError(error)) return sanitized;
  const details = describeIssues(readField(error, 'issues'));
  if (details['issues'] === undefined) return sanitized;
  const withIssues = new CriticizerError('SCHEMA_INVALID', '', { details });
  return { ...sanitized, details: sanitizeError(withIssues, redactText).details };
}

/**
 * One line in the log for each letter, with its cause (OPS-2). A letter that another worker's claim
 * outran is that worker's to write.
 */
async function writeDeadLetter(
  options: JobRunnerOptions,
  run: JobRun,
  failure: ClassifiedFailure,
  escalation: NewDeadLetter['escalation'],
  sanitized: SanitizedError,
): Promise<FailureEnd> {
  const deadLetter: NewDeadLetter = {
    errorClass: failure.code,
    category: failure.category,
    lastStack: sanitized.stack === '' ? sanitized.message : sanitized.stack,
    escalation,
    sanitizedContext: describeContext(run, sanitized),
  };
  const settled = await run.settle({ kind: 'dead-letter', deadLetter });
  if (settled !== 'settled') return { outcome: 'lease-lost', code: failure.code };
  options.logger.error(
    { event: 'job.dead_letter', ...describeFailure(run, failure, sanitized), escalation },
    'a job became a dead letter',
  );
  options.telemetry.count(metric.deadLettered, 1, {
    [attribute.stage]: run.job.stage,
    [attribute.errorType]: failure.code,
  });
  return { outcome: 'dead-letter', code: failure.code };
}

/** ERR-7: ids, counts and the error's allow-listed facts; nothing of the payload. */
function describeContext(run: JobRun, sanitized: SanitizedError): NewDeadLetter['sanitizedContext'] {
  const { job } = run;
  return {
    jobId: job.id,
    kind: job.kind,
    changelistId: job.changelistId,
    reviewVersion: job.reviewVersion,
    stage: job.stage,
    attempt: attemptsOf(job, job.stage),
    lostLeases: job.lostLeases,
    outputs: Object.keys(run.outputs),
    error: sanitized.details,
  };
}
