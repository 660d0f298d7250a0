import type { Alerter } from './alerts/alerter.js';
import type { DryRun, DryRunRequest } from './operate/dry-run.js';
import type { Operator } from './operate/operator.js';
import type { ReadReviewOptions } from './operate/read-review.js';
import type { MailOutcome } from './outbox/mail-delivery.js';
import type { CodeExcerpt } from './review/code-excerpt.js';
import type { Settings } from './settings/settings.js';
import type { SubmitRequest } from './stages/intake/submit-request.js';
import type { StoredReview } from './stages/llm/stored-review.js';
import type { Job } from './stores/job.js';
import type { EnqueueResult, NewJob } from './stores/job-store.js';
import type { OutboxRow } from './stores/notify-outbox.js';
import type { JobOutcome, RunDueOptions } from './worker/run/stage.js';

/** A review as the stores have it: its job and its mails. */
export interface ReviewStatus {
  job: Job;
  mails: readonly OutboxRow[];
}

/** Reviews as a service: submit a change, run workers, look at a review, stop. */
export interface Criticizer<Tx> extends AsyncDisposable {
  /**
   * Stores a review job; in the caller's transaction when `tx` is given. Throws `TypeError` for a
   * malformed request, `RECIPIENT_INVALID`, `MAILER_UNKNOWN`, `SERVER_UNKNOWN`.
   */
  submit(request: SubmitRequest, options?: { tx?: Tx | undefined }): Promise<EnqueueResult>;
  /** Jobs of the host's own kinds. */
  enqueue(jobs: readonly NewJob[], options?: { tx?: Tx | undefined }): Promise<readonly EnqueueResult[]>;
  /**
   * Starts claiming. Throws `SCHEMA_OLD` before migrations ran (the plan's SQL goes to the logger),
   * `LIMIT_DISAGREES` when other processes run with another `worker.maxRunning`, `STOPPED` after a
   * stop. A start that failed may be called again.
   */
  start(): Promise<void>;
  /** Claims nothing more, lets running jobs finish within the grace, gives the rest back. Idempotent. */
  stop(options?: { graceMs?: number | undefined }): Promise<void>;
  /**
   * For tests of the host: runs in this process, in place of `start`, the jobs and mails that are due
   * now and what they make due, until nothing is; see `QueueWorker.runDue`. No sweep and no
   * reconciliation runs.
   */
  runDue(options?: RunDueOptions): Promise<{ jobs: readonly JobOutcome[]; mails: readonly MailOutcome[] }>;
  /** The settings in force, defaults filled in; frozen. */
  readonly settings: Settings;
  /** Null for an unknown job. */
  status(jobId: string): Promise<ReviewStatus | null>;
  /**
   * The finished review; null before the llm stage has ended well. With `actor` it is read under that
   * actor's rights (ART-3): true depot paths where it may read raw artifacts and they are still kept,
   * else redacted ones; `ARTIFACT_ACCESS_DENIED` where it may not read redacted artifacts. Without an
   * actor nobody has asked for a permission, so hidden paths stay redacted.
   */
  review(jobId: string, options?: ReadReviewOptions): Promise<StoredReview | null>;
  /**
   * The code round each finding of a finished review, by the finding's id: what a reader of the level
   * `code` may see (ruling R21). From the redacted snapshot alone, so it holds no secret. Empty
   * once that has expired, and where the redaction rules have changed since. Read under the rights
   * of `actor` as `review` is.
   */
  excerpts(jobId: string, options?: ReadReviewOptions): Promise<ReadonlyMap<string, CodeExcerpt>>;
  /** What a review would send and to whom, to the byte; nothing is sent or stored (EGR-3). */
  dryRun(request: DryRunRequest): Promise<DryRun>;
  /** The verbs of a person, each audited (OPS-1). Null without the option `audit`. */
  readonly operate: Operator | null;
  /**
   * Reports of what the host sees itself, for the alerts of all processes (OPS-3). They page from
   * `start` on, in a process that has `pagers`. Null without the option `pagers`.
   */
  readonly alerts: Pick<Alerter, 'raise' | 'clear'> | null;
}
