import type { ClaimedJob, ClaimRequest } from '@criticizer/core';
import { type JobRow, jobColumns, span, toJob, wholeMs } from './job-row.js';
import type { PgSession } from './pg-session.js';

/** Scheduled rows one claim moves at most into the ready index, oldest due first. */
const promoteLimit = 1000;

async function promoteDue(session: PgSession): Promise<void> {
  await session.run(
    `WITH due AS (SELECT id FROM {schema}.work_queue WHERE status = 'queued' AND NOT ready AND run_at <= {now}
        ORDER BY run_at LIMIT ${promoteLimit} FOR UPDATE SKIP LOCKED)
      UPDATE {schema}.work_queue AS w SET ready = true FROM due WHERE w.id = due.id`,
  );
}

/** Expired leases back to `queued`, counted (WQ-8). SKIP LOCKED: a row that its owner is renewing or settling is not expired to us. */
export async function requeueExpiredJobs(session: PgSession, limit: number): Promise<{ id: string; kind: string; lostLeases: number }[]> {
  const rows = await session.all<{ id: string; kind: string; lost_leases: number }>(
    `WITH expired AS (SELECT id FROM {schema}.work_queue WHERE status = 'running' AND lease_expires_at <= {now}
        ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)
      UPDATE {schema}.work_queue AS w SET status = 'queued', ready = true, claimed_by = NULL, claim_token = NULL, lease_expires_at = NULL,
        lost_leases = w.lost_leases + 1, transition_no = w.transition_no + 1, updated_at = greatest(w.updated_at, {now})
      FROM expired WHERE w.id = expired.id RETURNING w.id::text AS id, w.kind, w.lost_leases`,
    limit,
  );
  return rows.map((row) => ({ id: row.id, kind: row.kind, lostLeases: row.lost_leases }));
}

/**
 * How many more may run: `limit`, or less where the global limit leaves less (WQ-10). The limit's row stays locked to the end of the
 * transaction, so that claims of all processes count one after the other; without a limit there is no row and no lock.
 */
async function room(session: PgSession, limit: number): Promise<number> {
  const bound = await session.first<{ value: number }>(`SELECT value FROM {schema}.queue_limits WHERE name = 'running' FOR UPDATE`);
  if (bound === undefined) return limit;
  // A statement of its own: it must see what the holder of the lock before us committed. Expired rows that the sweep had to skip count.
  const running = await session.first<{ n: number }>(`SELECT count(*)::int AS n FROM {schema}.work_queue WHERE status = 'running'`);
  return Math.min(limit, bound.value - (running?.n ?? 0));
}

/**
 * The claim itself. Its ORDER BY is the order of work_queue_ready: no sort, and the scan stops at the limit. Not `id IN (SELECT … LIMIT …)`, which
 * may be run again and claim more than its limit.
 */
export const takeSql = `WITH candidate AS (
    SELECT id FROM {schema}.work_queue WHERE ready AND kind = ANY($1) ORDER BY priority DESC, created_at, id LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE {schema}.work_queue AS w SET status = 'running', ready = false, claimed_by = $3, claim_token = $4,
    lease_expires_at = {now} + ${span('$5::float8')}, started_at = {now}, waiting_for = NULL, transition_no = w.transition_no + 1,
    updated_at = greatest(w.updated_at, {now}),
    attempts = jsonb_set(w.attempts, ARRAY[w.stage], to_jsonb(coalesce((w.attempts ->> w.stage)::int, 0) + 1))
  FROM candidate WHERE w.id = candidate.id RETURNING ${jobColumns}`;

/** `UPDATE … RETURNING` gives rows in any order; the claim's order is the caller's. */
function inClaimOrder(a: JobRow, b: JobRow): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  return a.id < b.id ? -1 : 1; // ids begin with created_at
}

/** WQ-2, WQ-3, WQ-4, WQ-8, WQ-10 in one transaction. */
export async function claimJobs(session: PgSession, request: ClaimRequest): Promise<ClaimedJob[]> {
  const { owner, token } = request;
  await promoteDue(session);
  await requeueExpiredJobs(session, 2 ** 31 - 1);
  const limit = await room(session, request.limit);
  if (limit < 1) return [];
  const rows = await session.all<JobRow>(takeSql, request.kinds, limit, owner, token, wholeMs(request.leaseMs));
  return rows.sort(inClaimOrder).map((row) => ({ job: toJob(row), lease: { jobId: row.id, owner, token } }));
}
