import type { SqliteSession } from '../shared/sqlite-session.js';
import { isExpiredJob } from './expired-jobs.js';

/**
 * Deletes ended jobs with their mail rows and their closed letters, oldest first (ruling R18). A job
 * with a letter that is not closed stays.
 */
export function pruneJobs(session: SqliteSession, olderThanMs: number, limit: number, hasMails: boolean): number {
  const ended = session.all<{ id: string }>(
    `SELECT id FROM work_queue AS job WHERE ${isExpiredJob} ORDER BY finished_at LIMIT ? + 0`,
    session.nowMs - olderThanMs,
    limit,
  );
  for (const { id } of ended) {
    if (hasMails) session.run('DELETE FROM notify_outbox WHERE job_id = ?', id);
    session.run(`DELETE FROM dead_letters WHERE job_id = ? AND status IN ('resolved', 'ignored', 'failed-again')`, id);
    session.run('DELETE FROM work_queue WHERE id = ?', id);
  }
  return ended.length;
}
