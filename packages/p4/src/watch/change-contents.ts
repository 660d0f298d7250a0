// Which content of a change a job is about: its idempotency key and its outputs hold the digest.
import { fetchedContent, type Job } from '@criticizer/core/ports';
import type { WatchedChange } from './watched-change.js';

/**
 * The idempotency key of one content. A submitted change has one content for good. What could not be
 * described has a key of its own, so it is submitted again once it can be.
 */
export function buildIntakeKey(changelistId: string, status: WatchedChange['status'], digest: string | null): string {
  return `p4:${changelistId}:${digest === null ? 'unread' : status === 'submitted' ? 'submitted' : digest}`;
}

/** The digest of what a job fetched or, before that, of what it was submitted for. */
export function readContent(job: Job, changelistId: string): string | null {
  return job.outputs[fetchedContent] ?? readSubmittedContent(job, changelistId);
}

/** The content that a shelf had when its job was submitted. */
export function readSubmittedContent({ idempotencyKey }: Job, changelistId: string): string | null {
  const prefix = `p4:${changelistId}:`;
  return idempotencyKey.startsWith(prefix) ? (idempotencyKey.slice(prefix.length).split(':')[0] ?? null) : null;
}

/** True once the job has left its fetch stage. */
export function wasFetched(job: Job): boolean {
  return job.stage !== 'fetch';
}

/** The job with the highest review version; null where there is none. */
export function findNewest(jobs: readonly Job[]): Job | null {
  return jobs.reduce<Job | null>(
    (best, job) => ((best?.reviewVersion ?? 0) < (job.reviewVersion ?? 0) ? job : best),
    null,
  );
}
