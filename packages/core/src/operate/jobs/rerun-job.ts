import { checkText } from '../../foundation/store-input.js';
import { fetchStageName, reviewJobSchema, reviewKind } from '../../stages/job/review-job.js';
import type { Job } from '../../stores/job.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';

/** Which review to run again. */
export interface RerunJob extends OperatorRequest {
  /** Id of the job with the newest version of its change, whatever its state. */
  jobId: string;
}

/** The review that was queued; null where none was. */
export interface Rerun {
  outcome: 'queued' | 'not-newest' | 'not-a-review' | 'not-found';
  job: Job | null;
}

/**
 * Submits the change of a review again, with the next version, the same recipients and the same
 * priority (NOT-2); all of it is read again. Of two operators one queues it, the other gets
 * `not-newest`, as where a newer version is stored already. The version before is superseded, and
 * mails of both may be sent.
 */
export async function rerunJob<Tx>(
  parts: OperatorParts<Tx>,
  request: RerunJob,
): Promise<Operated<Rerun['outcome']> & { job: Job | null }> {
  checkRequest<RerunJob>('rerunJob', request, { jobId: checkText });
  const { jobId, actor, reason } = request;
  const { jobs } = parts.stores;
  const [job] = await jobs.get([jobId]);
  if (job === undefined || job === null) return { outcome: 'not-found', audit: 'none', job: null };
  const { kind, changelistId, reviewVersion, priority } = job;
  const payload = reviewJobSchema.safeParse(job.payload);
  if (kind !== reviewKind || !payload.success || changelistId === null || reviewVersion === null)
    return { outcome: 'not-a-review', audit: 'none', job: null };
  const { delayMs: _, ...again } = payload.data; // how long the first submit was put off says nothing of this one
  const next = {
    ...{ kind, changelistId, priority, stage: fetchStageName },
    payload: JSON.parse(JSON.stringify({ ...again, readAll: true })),
    reviewVersion: reviewVersion + 1,
    idempotencyKey: `rerun:${jobId}`,
  };
  const done = await performOperation<Tx, Rerun>(parts, {
    action: 'job.rerun',
    targetType: 'job',
    targetId: jobId,
    payload: { changelistId, reviewVersion: next.reviewVersion },
    actor,
    reason,
    async change(tx) {
      const [stored] = await jobs.enqueue([next], { tx });
      return stored?.outcome === 'enqueued'
        ? { outcome: 'queued', job: stored.job }
        : { outcome: 'not-newest', job: null };
    },
    hasChanged: ({ outcome }) => outcome === 'queued',
  });
  return { ...done.outcome, audit: done.audit };
}
