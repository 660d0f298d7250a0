import { type Artifacts, isArtifactGone } from '../../../artifacts/artifacts.js';
import type { RedactedChange } from '../../../changes/redacted-change.js';
import { classifyFailure } from '../../../foundation/failures/failure.js';
import { readRedactedText } from '../../../foundation/redacted-text.js';
import type { Clock } from '../../../foundation/time/clock.js';
import { withDeadline } from '../../../foundation/time/with-deadline.js';
import { listRenames, type Renames } from '../../../review/history/locate-findings.js';
import type { Job } from '../../../stores/job.js';
import type { JobStore } from '../../../stores/job-store.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { TruePaths } from '../../job/change-snapshot.js';
import { reviewKind } from '../../job/review-job.js';
import { readOutputs } from '../../job/run-outputs.js';
import { readTruePaths } from '../../job/true-paths.js';
import type { ReplyRedaction } from '../reply-redaction.js';
import { type ReviewRecord, readReviewRecord, storedReview } from '../stored-review.js';
import { listPresentNames, translatePaths } from './earlier-paths.js';

/** The review of an earlier version of the change. */
export interface EarlierReview {
  kind: 'found';
  reviewVersion: number;
  jobId: string;
  /** True where other redaction rules made it. */
  hasOtherRules: boolean;
  /** In the present change's names. Its texts are redacted by the rules that made it. */
  record: ReviewRecord;
  /** Of files since that review. */
  renames: Renames;
}

/** What is known of earlier reviews of a change. */
export type ReviewPast =
  /** The change has none. */
  | { kind: 'none' }
  /** It has one, which cannot be used, or it is not known whether it has: `reason` is a code. */
  | { kind: 'lost'; reviewVersion: number | null; jobId: string | null; reason: string }
  | EarlierReview;

/** What history is loaded with. */
export interface HistoryParts {
  jobs: Pick<JobStore<never>, 'list'>;
  artifacts: Artifacts;
  clock: Pick<Clock, 'sleep'>;
}

/** The change whose review is under way. */
export interface PresentChange {
  change: RedactedChange;
  /** In the change's order. */
  truePaths: readonly TruePaths[];
  replyRedaction: ReplyRedaction;
}

/** Which version's past is wanted, and who waits for it. */
export interface HistoryRequest {
  changelistId: string | null;
  /** Reviews below this version count; null: there are none. */
  reviewVersion: number | null;
  signal: AbortSignal;
  logger: Pick<Logger, 'warn'>;
}

/** Newest jobs of a change among which an earlier review is looked for. */
const MAX_JOBS = 200;
/** What one call may take, in milliseconds. */
const CALL_MS = 10_000;
/** Pauses between tries. */
const PAUSES_MS = [1_000, 4_000];

/** The job of the latest review version below this one's that left a review. */
async function findJob(
  { jobs, clock }: HistoryParts,
  { changelistId, reviewVersion, signal }: HistoryRequest,
): Promise<Job | null> {
  if (changelistId === null || reviewVersion === null || reviewVersion < 2) return null;
  const found = await withDeadline(
    { clock, ms: CALL_MS, call: 'jobs.list', signal },
    jobs.list({ kind: reviewKind, changelistId, limit: MAX_JOBS }),
  );
  const versionOf = (one: Job): number => one.reviewVersion ?? 0;
  return found
    .filter((one) => versionOf(one) < reviewVersion && one.outputs[storedReview] !== undefined)
    .reduce<Job | null>((best, one) => (best === null || versionOf(one) > versionOf(best) ? one : best), null);
}

/** Reads its review from the redacted namespace, as the pipeline (ART-3). */
async function readEarlier(
  { artifacts, clock }: HistoryParts,
  { signal }: Pick<HistoryRequest, 'signal'>,
  job: Job,
  { change, truePaths, replyRedaction }: PresentChange,
): Promise<Pick<EarlierReview, 'record' | 'renames' | 'hasOtherRules'>> {
  const outputs = readOutputs(artifacts, job.outputs);
  const within = <T>(call: string, work: Promise<T>): Promise<T> =>
    withDeadline({ clock, ms: CALL_MS, call, signal }, work);
  const body = readRedactedText(await within('artifacts.read', outputs.readRedacted(storedReview)));
  const record = readReviewRecord(Buffer.from(body.text, 'utf8'));
  const earlierPaths = record.hiddenPaths.length === 0 ? null : await within('artifacts.read', readTruePaths(outputs));
  const names = listPresentNames(change.files, truePaths);
  const redact = (path: string): string => replyRedaction.redact(path);
  const { rules } = change;
  const translated = translatePaths(record, earlierPaths, { names, redact });
  return {
    record: translated,
    renames: listRenames(change, translated.coverage),
    hasOtherRules: body.rulesVersion !== rules.version || body.policyHash !== rules.policyHash,
  };
}

/** The latest lower version's review. What cannot be read rejects with the job that it belongs to. */
async function find(parts: HistoryParts, request: HistoryRequest, present: PresentChange): Promise<ReviewPast> {
  const job = await findJob(parts, request);
  if (job === null) return { kind: 'none' };
  const about = { reviewVersion: job.reviewVersion ?? 1, jobId: job.id };
  try {
    return { kind: 'found', ...about, ...(await readEarlier(parts, request, job, present)) };
  } catch (error) {
    const { code, parks, retryable } = classifyFailure(error);
    if ((parks || retryable) && !isArtifactGone(error)) throw error;
    return { kind: 'lost', ...about, reason: code };
  }
}

/** Outages that may pass are tried through, so that no version forgets what the next ones need. */
async function findPatiently(
  parts: HistoryParts,
  request: HistoryRequest,
  present: PresentChange,
): Promise<ReviewPast> {
  for (let tries = 0; ; tries++) {
    try {
      return await find(parts, request, present);
    } catch (error) {
      request.signal.throwIfAborted();
      const { code, parks } = classifyFailure(error);
      if (parks) throw error;
      const pauseMs = PAUSES_MS[tries];
      if (pauseMs === undefined) return { kind: 'lost', reviewVersion: null, jobId: null, reason: code };
      await parts.clock.sleep(pauseMs, request.signal);
    }
  }
}

/**
 * The stored review of the latest lower review version of the change that has one (GRD-6). One that
 * has expired, was purged, is in an unknown form or cannot be read is `lost`: it is logged once, and
 * the review goes on without. Rejects only where the job lost its lease, or for a failure that parks
 * the job.
 */
export async function loadHistory(
  parts: HistoryParts,
  request: HistoryRequest,
  present: PresentChange,
): Promise<ReviewPast> {
  const past = await findPatiently(parts, request, present);
  if (past.kind === 'lost') {
    const { reviewVersion, jobId, reason } = past;
    request.logger.warn(
      { event: 'review.history_lost', earlierVersion: reviewVersion, earlierJobId: jobId, errorCode: reason },
      'the review of an earlier version cannot be read; every finding counts as new',
    );
  }
  return past;
}
