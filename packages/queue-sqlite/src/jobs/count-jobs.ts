import type { JobStats, QueueDepth } from '@criticizer/core/ports';
import type { SqliteSession } from '../shared/sqlite-session.js';

function count(session: SqliteSession, where: string): number {
  return session.first<{ n: number }>(`SELECT count(*) AS n FROM work_queue WHERE ${where}`)?.n ?? 0;
}

// The instant since which a ready job is due, without reading every ready row: the hundred created
// first of each priority, from the lowest up, where jobs starve. The index of the claim serves it.
const readySince = `WITH RECURSIVE p(priority, n) AS (
    SELECT min(priority), 1 FROM work_queue WHERE ready = 1
    UNION ALL SELECT (SELECT min(priority) FROM work_queue WHERE ready = 1 AND priority > p.priority), n + 1 FROM p
      WHERE priority IS NOT NULL AND n < 100)
  SELECT min((SELECT min(run_at) FROM (SELECT run_at FROM work_queue WHERE ready = 1 AND priority = p.priority ORDER BY id LIMIT 100)))
    AS since FROM p`;

/** The open jobs, counted: each count reads one partial index, and none of those holds an ended row. */
export function countOpen(session: SqliteSession): QueueDepth {
  const scheduled = `status = 'queued' AND ready = 0`;
  const promotable = session.first<{ n: number; since: number | null }>(
    `SELECT count(*) AS n, min(run_at) AS since FROM work_queue WHERE ${scheduled} AND run_at <= ?`,
    session.nowMs,
  );
  const due = promotable?.n ?? 0;
  const since = Math.min(
    promotable?.since ?? session.nowMs,
    session.first<{ since: number | null }>(readySince)?.since ?? session.nowMs,
  );
  return {
    due: count(session, 'ready = 1') + due,
    scheduled: count(session, scheduled) - due,
    running: count(session, `status = 'running'`),
    oldestDueMs: Math.max(0, session.nowMs - since),
  };
}

/** All jobs, counted. */
export function countAll(session: SqliteSession): JobStats {
  return {
    ...countOpen(session),
    completed: count(session, `finished_at IS NOT NULL AND status = 'completed'`),
    failed: count(session, `finished_at IS NOT NULL AND status = 'failed'`),
  };
}
