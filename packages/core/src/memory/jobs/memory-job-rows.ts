import type { Job } from '../../stores/job.js';
import { expiredJob } from '../../stores/job-transitions.js';
import type { MemoryRows, MemorySession } from '../shared/memory-database.js';

/** When a row that is written now was last changed: never before what it says (INV-1). */
export const laterOf = (job: Job, { now }: MemorySession): Date => (now > job.updatedAt ? now : job.updatedAt);

/** Writes a job row and keeps the table of open jobs in step. */
export function putJob(session: MemorySession, row: MemoryRows['jobs']): void {
  const { id, status } = row.job;
  session.tables.jobs.put(id, row);
  if (status === 'queued' || status === 'running') session.tables.openJobs.put(id, id);
  else session.tables.openJobs.remove(id);
}

/** Deletes a job row and what finds it. */
export function removeJob({ tables }: MemorySession, job: Job): void {
  tables.jobs.remove(job.id);
  tables.openJobs.remove(job.id);
  tables.jobKeys.remove(job.idempotencyKey);
  if (job.changelistId === null) return;
  const others = (tables.jobsOfChange.get(job.changelistId) ?? []).filter((id) => id !== job.id);
  if (others.length > 0) tables.jobsOfChange.put(job.changelistId, others);
  else tables.jobsOfChange.remove(job.changelistId);
}

/** The queued and running jobs. */
export function openJobs(session: MemorySession): MemoryRows['jobs'][] {
  return session.tables.openJobs.rows().flatMap((id) => session.tables.jobs.get(id) ?? []);
}

/** Requeues up to `limit` expired jobs (WQ-8); gives them as they are afterwards. */
export function sweepExpired(session: MemorySession, limit: number): Job[] {
  const expired = openJobs(session).filter(
    ({ job }) => job.status === 'running' && (job.leaseExpiresAt ?? session.now) <= session.now,
  );
  return expired.slice(0, limit).map(({ job }) => {
    const queued = expiredJob(job, session.now);
    putJob(session, { job: queued, token: null });
    return queued;
  });
}

/** Mail rows of a job: named by its id, or of its change and version. */
export function mailRowsOf(session: MemorySession, job: Job): MemoryRows['outbox'][] {
  return session.tables.outbox
    .rows()
    .filter(
      ({ row }) =>
        row.jobId === job.id || (row.changelistId === job.changelistId && row.reviewVersion === job.reviewVersion),
    );
}

/** True while a required mail row of the job lacks `notifiedAt` (NOT-10). */
export function lacksMail(session: MemorySession, job: Job): boolean {
  return mailRowsOf(session, job).some(({ row }) => row.required && row.notifiedAt === null);
}

/** The least `count` items by `compare`, in order, without sorting the rest. */
export function leastOf<T>(items: readonly T[], count: number, compare: (a: T, b: T) => number): T[] {
  if (count >= items.length) return [...items].sort(compare);
  const least: T[] = [];
  for (const item of items) {
    const last = least[least.length - 1];
    if (least.length >= count && (last === undefined || compare(item, last) >= 0)) continue;
    let low = 0;
    for (let high = least.length; low < high; ) {
      const middle = (low + high) >> 1;
      const other = least[middle];
      if (other !== undefined && compare(other, item) <= 0) low = middle + 1;
      else high = middle;
    }
    least.splice(low, 0, item);
    if (least.length > count) least.pop();
  }
  return least;
}
