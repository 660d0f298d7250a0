import type { ClaimedJob, ClaimRequest, Job } from '@criticizer/core';
import { type JobRow, toJob, wholeMs } from './job-row.js';
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

interface Candidate extends JobRow {
  rowid: number;
}

/** Its ORDER BY is the order of work_queue_ready, so the plan needs no sort and stops at the limit. */
export const candidatesSql = `SELECT rowid, * FROM work_queue WHERE ready = 1 AND kind IN (SELECT value FROM json_each(?))
  ORDER BY priority DESC, created_at, id LIMIT ? + 0`;

/** The job as it is once its row is taken, which is not read again. */
function takenJob(row: JobRow, nowMs: number, { owner, leaseMs }: ClaimRequest): Job {
  const job = toJob(row);
  const before = Object.hasOwn(job.attempts, job.stage) ? (job.attempts[job.stage] ?? 0) : 0;
  job.status = 'running';
  job.claimedBy = owner;
  job.leaseExpiresAt = new Date(nowMs + wholeMs(leaseMs));
  job.startedAt = new Date(nowMs);
  job.attempts = { ...job.attempts, [job.stage]: before + 1 };
  job.waitingFor = null;
  job.transitionNo += 1;
  job.updatedAt = new Date(Math.max(row.updated_at, nowMs));
  return job;
}

/** Takes rows of which each has these attempts from now on. */
function takeRows(session: SqliteSession, rowIds: readonly number[], attempts: string, request: ClaimRequest): void {
  const { nowMs } = session;
  const taken = session.run(
    `UPDATE work_queue SET status = 'running', ready = 0, claimed_by = ?, claim_token = ?, lease_expires_at = ?, started_at = ?,
      attempts = ?, waiting_for = NULL, transition_no = transition_no + 1, updated_at = max(updated_at, ?)
      WHERE rowid IN (SELECT value FROM json_each(?))`,
    request.owner,
    request.token,
    nowMs + wholeMs(request.leaseMs),
    nowMs,
    attempts,
    nowMs,
    JSON.stringify(rowIds),
  );
  if (taken !== rowIds.length) throw storeInvariant('work_queue lost a row inside its transaction');
}

/** Most rows of a claim come to the same attempts: one statement takes those. */
function takeAll(session: SqliteSession, candidates: readonly Candidate[], request: ClaimRequest): ClaimedJob[] {
  const byAttempts = new Map<string, number[]>();
  const claimed = candidates.map((row) => {
    const job = takenJob(row, session.nowMs, request);
    const attempts = JSON.stringify(job.attempts);
    const same = byAttempts.get(attempts);
    if (same === undefined) byAttempts.set(attempts, [row.rowid]);
    else same.push(row.rowid);
    return { job, lease: { jobId: job.id, owner: request.owner, token: request.token } };
  });
  for (const [attempts, rowIds] of byAttempts) takeRows(session, rowIds, attempts, request);
  return claimed;
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
  return takeAll(session, session.all<Candidate>(candidatesSql, JSON.stringify(request.kinds), limit), request);
}
