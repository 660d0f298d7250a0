import type { ClaimedJob, ClaimRequest } from '@criticizer/core';
import { countAttempt, type JobRow, toJob, wholeMs } from './job-row.js';
import { storeInvariant } from './sqlite-errors.js';
import type { SqliteSession } from './sqlite-session.js';

/** Scheduled rows one claim moves at most into the ready index, oldest due first. */
const promoteLimit = 1000;

function promoteDue(session: SqliteSession): void {
  session.run(
    `UPDATE work_queue SET ready = 1 WHERE id IN
      (SELECT id FROM work_queue WHERE status = 'queued' AND ready = 0 AND run_at <= ? ORDER BY run_at LIMIT ? + 0)`,
    session.nowMs,
    promoteLimit,
  );
}

/** Expired leases back to `queued`, counted (WQ-8). The write lock stands for the row locks of the twin. */
export function requeueExpiredJobs(session: SqliteSession, limit: number): { id: string; kind: string; lostLeases: number }[] {
  const rows = session.all<{ id: string; kind: string; lost_leases: number }>(
    `UPDATE work_queue SET status = 'queued', ready = 1, claimed_by = NULL, claim_token = NULL, lease_expires_at = NULL,
      lost_leases = lost_leases + 1, transition_no = transition_no + 1, updated_at = max(updated_at, ?)
      WHERE id IN (SELECT id FROM work_queue WHERE status = 'running' AND lease_expires_at <= ? ORDER BY id LIMIT ? + 0)
      RETURNING id, kind, lost_leases`,
    session.nowMs,
    session.nowMs,
    limit,
  );
  return rows.map((row) => ({ id: row.id, kind: row.kind, lostLeases: row.lost_leases }));
}

interface Before {
  /** 1 where scheduled rows are due. */
  due: number;
  /** 1 where leases have expired. */
  expired: number;
  /** The global limit; null without one. */
  bound: number | null;
}

/** What a claim has to see to first: mostly nothing, and one look tells it. */
const beforeSql = `SELECT EXISTS (SELECT 1 FROM work_queue WHERE status = 'queued' AND ready = 0 AND run_at <= ?) AS due,
  EXISTS (SELECT 1 FROM work_queue WHERE status = 'running' AND lease_expires_at <= ?) AS expired,
  (SELECT value FROM queue_limits WHERE name = 'running') AS bound`;

/** How many more may run: `limit`, or less where the global limit leaves less (WQ-10). Without a limit nothing is counted. */
function room(session: SqliteSession, limit: number, bound: number | null): number {
  if (bound === null) return limit;
  const running = session.first<{ n: number }>(`SELECT count(*) AS n FROM work_queue WHERE status = 'running'`);
  return Math.min(limit, bound - (running?.n ?? 0));
}

/** Its ORDER BY is the order of work_queue_ready, so the plan needs no sort and stops at the limit. */
export const candidatesSql = `SELECT * FROM work_queue WHERE ready = 1 AND kind IN (SELECT value FROM json_each(?))
  ORDER BY priority DESC, created_at, id LIMIT ? + 0`;

/** Gives the row as it is then, without reading it again. */
function take(session: SqliteSession, row: JobRow, request: ClaimRequest): ClaimedJob {
  const { nowMs } = session;
  const attempts = countAttempt(row.attempts, row.stage);
  session.run(
    `UPDATE work_queue SET status = 'running', ready = 0, claimed_by = ?, claim_token = ?, lease_expires_at = ?, started_at = ?,
      attempts = ?, waiting_for = NULL, transition_no = transition_no + 1, updated_at = max(updated_at, ?) WHERE id = ?`,
    request.owner,
    request.token,
    nowMs + wholeMs(request.leaseMs),
    nowMs,
    attempts,
    nowMs,
    row.id,
  );
  row.status = 'running';
  row.claimed_by = request.owner;
  row.lease_expires_at = nowMs + wholeMs(request.leaseMs);
  row.started_at = nowMs;
  row.attempts = attempts;
  row.waiting_for = null;
  row.transition_no += 1;
  row.updated_at = Math.max(row.updated_at, nowMs);
  return { job: toJob(row), lease: { jobId: row.id, owner: request.owner, token: request.token } };
}

/** WQ-2, WQ-3, WQ-4, WQ-8, WQ-10 in one transaction. */
export function claimJobs(session: SqliteSession, request: ClaimRequest): ClaimedJob[] {
  if (request.kinds.length === 0) return [];
  const before = session.first<Before>(beforeSql, session.nowMs, session.nowMs);
  if (before === undefined) throw storeInvariant('a look without a table gave no row');
  if (before.due === 1) promoteDue(session);
  if (before.expired === 1) requeueExpiredJobs(session, -1);
  const limit = room(session, request.limit, before.bound);
  if (limit < 1) return [];
  const candidates = session.all<JobRow>(candidatesSql, JSON.stringify(request.kinds), limit);
  return candidates.map((row) => take(session, row, request));
}
