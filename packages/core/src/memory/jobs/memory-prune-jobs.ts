import type { Job } from '../../stores/job.js';
import { isClosed } from '../../stores/job-transitions.js';
import type { MemorySession } from '../shared/memory-database.js';
import { isChangeHeld } from './memory-change-store.js';
import { mailRowsOf, removeJob } from './memory-job-rows.js';

/** Ended jobs past their age (ruling R18): none with a letter that is open or being replayed, none that is held. */
export function expiredJobs(session: MemorySession, olderThanMs: number): Job[] {
  const { tables, now } = session;
  const letters = tables.deadLetters.rows().filter(({ status }) => !isClosed(status));
  const needed = new Set(letters.map(({ jobId }) => jobId));
  return tables.jobs.rows().flatMap(({ job }) => {
    const isNeeded = needed.has(job.id);
    const old = job.finishedAt !== null && now.getTime() - job.finishedAt.getTime() > olderThanMs;
    if (isChangeHeld(session, job.changelistId)) return [];
    return old && !isNeeded ? [job] : [];
  });
}

/** Deletes jobs with their mails and their closed letters. */
export function pruneJobs(session: MemorySession, jobs: readonly Job[]): void {
  const { tables } = session;
  for (const job of jobs) {
    for (const { row } of mailRowsOf(session, job)) {
      tables.outbox.remove(row.id);
      tables.outboxKeys.remove(JSON.stringify([row.changelistId, row.recipientKey, row.reviewVersion]));
    }
    for (const letter of tables.deadLetters.rows())
      if (letter.jobId === job.id && isClosed(letter.status)) tables.deadLetters.remove(letter.id);
    removeJob(session, job);
  }
}
