import type { PgSession } from '../shared/pg-session.js';
import { isExpiredJob } from './expired-jobs.js';

/**
 * Deletes ended jobs with their mail rows and their closed letters, oldest first (ruling R18). A job
 * with a letter that is not closed stays.
 */
export async function pruneJobs(
  session: PgSession,
  olderThanMs: number,
  limit: number,
  hasMails: boolean,
): Promise<number> {
  const ended = await session.all<{ id: string }>(
    `SELECT w.id::text AS id FROM {schema}.work_queue AS w WHERE ${isExpiredJob}
      ORDER BY w.finished_at LIMIT $2 FOR UPDATE OF w SKIP LOCKED`,
    olderThanMs,
    limit,
  );
  if (ended.length === 0) return 0;
  const ids = ended.map(({ id }) => id);
  if (hasMails) await session.run('DELETE FROM {schema}.notify_outbox WHERE job_id = ANY($1::text[])', ids);
  await session.run(
    `DELETE FROM {schema}.dead_letters WHERE job_id = ANY($1::uuid[]) AND status IN ('resolved', 'ignored', 'failed-again')`,
    ids,
  );
  return session.run('DELETE FROM {schema}.work_queue WHERE id = ANY($1::uuid[])', ids);
}
