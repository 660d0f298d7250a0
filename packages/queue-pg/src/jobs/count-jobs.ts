import { type Instant, toMs } from '@criticizer/core/internal';
import type { JobStats, QueueDepth } from '@criticizer/core/ports';
import { epochMs } from '../shared/instants.js';
import { storeInvariant } from '../shared/pg-errors.js';
import type { PgSession } from '../shared/pg-session.js';

// The instant since which a ready job is due, without reading every ready row: the hundred created
// first of each priority, from the lowest up, where jobs starve. The index of the claim serves it.
const readySince = `WITH RECURSIVE p(priority, n) AS (
    SELECT min(priority), 1 FROM {schema}.work_queue WHERE ready
    UNION ALL SELECT (SELECT min(priority) FROM {schema}.work_queue WHERE ready AND priority > p.priority), n + 1 FROM p
      WHERE priority IS NOT NULL AND n < 100)
  SELECT min((SELECT min(run_at)
    FROM (SELECT run_at FROM {schema}.work_queue WHERE ready AND priority = p.priority ORDER BY created_at, id LIMIT 100) AS first)) FROM p`;

// Each count reads one partial index; none of them holds an ended row.
const depthCounts = `
  (SELECT count(*) FROM {schema}.work_queue WHERE ready)::int AS ready,
  (SELECT count(*) FROM {schema}.work_queue WHERE status = 'queued' AND NOT ready AND run_at <= {now})::int AS promotable,
  (SELECT count(*) FROM {schema}.work_queue WHERE status = 'queued' AND NOT ready AND run_at > {now})::int AS scheduled,
  (SELECT count(*) FROM {schema}.work_queue WHERE status = 'running')::int AS running,
  ${epochMs(`least((${readySince}), (SELECT min(run_at) FROM {schema}.work_queue WHERE status = 'queued' AND NOT ready AND run_at <= {now}))`)} AS oldest,
  ${epochMs('{now}')} AS now_at`;

const endedCounts = `
  (SELECT count(*) FROM {schema}.work_queue WHERE finished_at IS NOT NULL AND status = 'completed')::int AS completed,
  (SELECT count(*) FROM {schema}.work_queue WHERE finished_at IS NOT NULL AND status = 'failed')::int AS failed`;

type DepthRow = Record<'ready' | 'promotable' | 'scheduled' | 'running', number> & {
  oldest: Instant | null;
  now_at: Instant;
};

function toDepth({ ready, promotable, scheduled, running, oldest, now_at }: DepthRow): QueueDepth {
  const oldestDueMs = oldest === null ? 0 : Math.max(0, toMs(now_at) - toMs(oldest));
  return { due: ready + promotable, scheduled, running, oldestDueMs };
}

async function counted<Row extends object>(session: PgSession, counts: string): Promise<Row> {
  const row = await session.first<Row>(`SELECT ${counts}`);
  if (row === undefined) throw storeInvariant('a SELECT without FROM gave no row');
  return row;
}

/** The open jobs, counted. */
export async function countOpen(session: PgSession): Promise<QueueDepth> {
  return toDepth(await counted<DepthRow>(session, depthCounts));
}

/** All jobs, counted. */
export async function countAll(session: PgSession): Promise<JobStats> {
  const row = await counted<DepthRow & Record<'completed' | 'failed', number>>(
    session,
    `${depthCounts},${endedCounts}`,
  );
  return { ...toDepth(row), completed: row.completed, failed: row.failed };
}
