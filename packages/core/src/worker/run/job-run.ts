import type { FailureClassifier } from '../../foundation/failures/failure.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { Random } from '../../foundation/time/random.js';
import type { Job, Lease, Outputs } from '../../stores/job.js';
import type { ClaimedJob, JobStore, Settlement, SettleOutcome } from '../../stores/job-store.js';
import { attemptsOf } from '../../stores/job-transitions.js';
import type { Logger } from '../../telemetry/logger.js';
import { attribute, messagingAttributes, metric, nameMessagingSpan } from '../../telemetry/names.js';
import { relateToOrigin } from '../../telemetry/relate-span.js';
import type { RedactText } from '../../telemetry/sanitize-error.js';
import { noTelemetry, type Span, type Telemetry } from '../../telemetry/telemetry.js';
import type { Hold } from '../lease/slots.js';
import type { Outages } from '../retry/outages.js';
import type { RetryPolicy } from '../retry/retry-policy.js';
import type { Settle } from './settle-batcher.js';
import type { JobEvent, JobKind, StageEnd, StageEvent } from './stage.js';

export interface JobRunnerOptions {
  jobs: JobStore<never>;
  kinds: readonly JobKind<unknown>[];
  retry: RetryPolicy;
  leaseMs: number;
  outages: Outages;
  /** The host's own rows of the failure table (ERR-1). */
  classify?: FailureClassifier | undefined;
  /** True makes attempts children of the span that stored their job; else they link to it. Default false. */
  oneTrace?: boolean | undefined;
  /** Applied to everything of an error that is stored or logged (ERR-8). */
  redactText: RedactText;
  /** Told of progress; what it throws is swallowed. */
  onEvent?: ((event: JobEvent) => void) | undefined;
  clock: Clock;
  random: Random;
  logger: Logger;
  telemetry: Telemetry;
}

type WithoutLease<S> = S extends Settlement ? Omit<S, 'lease'> : never;

/** A settlement before it is fenced. */
export type UnfencedSettlement = WithoutLease<Settlement>;

/** One claimed job under way: where it stands, and its only way to write. */
export interface JobRun {
  /** As claimed or last advanced. */
  job: Job;
  outputs: Outputs;
  readonly lease: Lease;
  readonly hold: Hold;
  /** Of this attempt, from the claim on: the parent of its stages' spans. Undefined without telemetry. */
  readonly span: Span | undefined;
  /** Fenced by the run's lease. */
  settle(settlement: UnfencedSettlement): Promise<SettleOutcome>;
  tell(event: StageEvent): void;
  /** Tells that the stage ended; measures the job, from its claim, where the job ended with it. */
  ended(end: { outcome: StageEnd; ms: number; code?: string | undefined }): void;
  /** The store could not take how the run ended: its span ends with the store's code. */
  unsettled(code: string): void;
}

/** Throws why the run's lease is no longer to be used. */
export function throwIfLeaseLost({ hold }: JobRun): void {
  if (hold.reason !== undefined) throw hold.reason;
}

/** One for all runs: most have no settlement that keeps the lease. */
const nothingBefore = Promise.resolve();

/**
 * A class, because there is one for each of many short jobs: functions of its own would be kept for
 * each that waits for its settlement.
 */
class ClaimedRun implements JobRun {
  job: Job;
  outputs: Outputs;
  readonly lease: Lease;
  readonly hold: Hold;
  readonly span: Span | undefined;
  private readonly options: JobRunnerOptions;
  private readonly settleFenced: Settle;
  private readonly claimedAt: number;
  /** Ends with the last settlement that keeps the lease. */
  private keeping: Promise<unknown> = nothingBefore;

  constructor(options: JobRunnerOptions, settle: Settle, { job, lease }: ClaimedJob, hold: Hold) {
    this.job = job;
    this.outputs = job.outputs;
    this.lease = lease;
    this.hold = hold;
    this.options = options;
    this.settleFenced = settle;
    this.claimedAt = options.clock.monotonicMs();
    this.span = options.telemetry === noTelemetry ? undefined : startAttempt(options, job);
  }

  settle(settlement: UnfencedSettlement): Promise<SettleOutcome> {
    const { lease, hold } = this;
    if (settlement.kind === 'advance' || settlement.kind === 'checkpoint') {
      const named = { ...settlement, lease, id: this.options.random.uuid() };
      // One at a time: a row remembers the last id alone, by which a repeated one is known.
      const settled = this.keeping.then(() => this.settleFenced(named, hold));
      this.keeping = settled.catch(() => undefined);
      return settled;
    }
    hold.free();
    return this.settleFenced({ ...settlement, lease }, hold);
  }

  tell(event: StageEvent): void {
    const { onEvent } = this.options;
    if (onEvent === undefined) return;
    const { id: jobId, kind, stage } = this.job;
    try {
      onEvent({ ...event, jobId, kind, stage, attempt: attemptsOf(this.job, stage) });
    } catch {
      // a display's trouble is not the job's
    }
  }

  ended({ outcome, ms, code }: { outcome: StageEnd; ms: number; code?: string | undefined }): void {
    this.tell({ type: 'stage.ended', outcome, ms, code });
    if (this.span === undefined) return;
    if (outcome !== 'next') {
      this.span.setAttributes({ [attribute.outcome]: outcome });
      this.span.end(code ?? (outcome === 'lease-lost' ? 'LEASE_LOST' : undefined));
    }
    const { clock, telemetry } = this.options;
    if (outcome !== 'done' && outcome !== 'failed' && outcome !== 'dead-letter') return;
    const failed = code === undefined ? {} : { [attribute.errorType]: code };
    const labels = { [attribute.kind]: this.job.kind, ...failed };
    telemetry.record(metric.jobDuration, (clock.monotonicMs() - this.claimedAt) / 1_000, labels);
    const totalMs = Math.max(0, clock.nowMs() - this.job.createdAt.getTime());
    telemetry.record(metric.jobTotalDuration, totalMs / 1_000, labels);
  }

  unsettled(code: string): void {
    this.span?.end(code);
  }
}

/** Never a child of what is active: a worker runs jobs of many traces, and outlives what started it. */
function startAttempt({ telemetry, oneTrace }: JobRunnerOptions, job: Job): Span {
  return telemetry.startSpan(
    nameMessagingSpan('process', job.kind),
    {
      ...messagingAttributes('criticizer', 'process', job.kind),
      [attribute.messagingOperationType]: 'process',
      [attribute.messagingMessageId]: job.id,
      [attribute.attempt]: attemptsOf(job, job.stage),
    },
    relateToOrigin('consumer', job.traceparent, oneTrace),
  );
}

export function createJobRun(options: JobRunnerOptions, settle: Settle, claimed: ClaimedJob, hold: Hold): JobRun {
  return new ClaimedRun(options, settle, claimed, hold);
}
