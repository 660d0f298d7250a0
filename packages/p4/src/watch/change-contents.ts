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

/**
 * The shelf of another change of this server with this content that was reviewed, or will be: a
 * review system keeps a copy of each shelf under a number of its own. `jobs` are the newest ones. Of
 * a submitted change only reviewed shelves count, as those that wait may be gone with it.
 */
export function findCopiedShelf(
  jobs: readonly Job[],
  { serverId, number, status, digest }: Pick<WatchedChange, 'number' | 'status' | 'digest'> & { serverId: string },
): Job | null {
  if (digest === null) return null;
  return (
    jobs.find((job) => {
      const id = job.changelistId;
      if (id === null || !id.startsWith(`${serverId}/`) || id === `${serverId}/${number}`) return false;
      const ofShelf = readSubmittedContent(job, id);
      if (ofShelf === null || ofShelf === 'submitted' || readContent(job, id) !== digest) return false;
      const isReviewed = wasFetched(job) && job.result?.['skipped'] === undefined;
      return isReviewed || (status === 'pending' && job.finishedAt === null);
    }) ?? null
  );
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
