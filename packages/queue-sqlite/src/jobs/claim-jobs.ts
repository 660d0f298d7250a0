import { claimedJob, firstClaimedJob, inClaimOrder, type JobLists, toJob, wholeMs } from '@criticizer/core/internal';
import type { ClaimedJob, ClaimRequest, Job, JsonValue } from '@criticizer/core/ports';
import { storeInvariant } from '../shared/sqlite-errors.js';
import type { SqliteSession } from '../shared/sqlite-session.js';
import { reopenLetter } from './dead-letter-row.js';
import type { JobRow } from './job-row.js';

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

/**
 * One that is to be cancelled goes on to `failed` at once (ruling R24).
 * `+id`: the few expired rows are sorted, instead of all rows read in the order of the primary key.
 */
export const requeueSql = `UPDATE work_queue SET status = iif(cancel_reason IS NULL, 'queued', 'failed'), ready = cancel_reason IS NULL,
  claimed_by = NULL, claim_token = NULL, lease_expires_at = NULL, lost_leases = lost_leases + 1,
  transition_no = transition_no + iif(cancel_reason IS NULL, 1, 2), updated_at = max(updated_at, ?),
  finished_at = iif(cancel_reason IS NULL, finished_at, ?), cancel_reason = NULL,
  result = iif(cancel_reason IS NULL, result, json_object('cancelled', json('true'), 'reason', cancel_reason))
  WHERE id IN (SELECT id FROM work_queue WHERE status = 'running' AND lease_expires_at <= ? ORDER BY +id LIMIT ? + 0)
  RETURNING id, kind, lost_leases, iif(status = 'failed', replay_of, NULL) AS ended_replay, result ->> '$.reason' AS reason`;

interface SweptRow {
  id: string;
  kind: string;
  lost_leases: number;
  /** The letter whose replay a cancel ended here. */
  ended_replay: string | null;
  reason: string | null;
}

/** Expired leases back to `queued`, counted (WQ-8). The write lock stands for the row locks of the twin. */
export function requeueExpiredJobs(
  session: SqliteSession,
  limit: number,
): { id: string; kind: string; lostLeases: number }[] {
  const rows = session.all<SweptRow>(requeueSql, session.nowMs, session.nowMs, session.nowMs, limit);
  for (const row of rows) if (row.reason !== null) reopenLetter(session, row.ended_replay, row.reason);
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

/**
 * How many more may run: `limit`, or less where the global limit leaves less (WQ-10). Without a
 * limit nothing is counted.
 */
function room(session: SqliteSession, limit: number, bound: number | null): number {
  if (bound === null) return limit;
  const running = session.first<{ n: number }>(`SELECT count(*) AS n FROM work_queue WHERE status = 'running'`);
  return Math.min(limit, bound - (running?.n ?? 0));
}

/** Its ORDER BY is the order of work_queue_ready, so the plan needs no sort and stops at the limit. */
const candidates = `FROM work_queue WHERE ready = 1 AND kind IN (SELECT value FROM json_each(?)) ORDER BY priority DESC, id LIMIT ? + 0`;

const rowColumns: readonly (keyof JobRow)[] = [
  ...([
    'id',
    'kind',
    'payload',
    'status',
    'ready',
    'stage',
    'priority',
    'run_at',
    'created_at',
    'updated_at',
    'started_at',
  ] as const),
  ...([
    'finished_at',
    'idempotency_key',
    'changelist_id',
    'review_version',
    'claimed_by',
    'claim_token',
    'lease_expires_at',
  ] as const),
  ...([
    'attempts',
    'lost_leases',
    'outputs',
    'transition_no',
    'first_failure_at',
    'last_failure_at',
    'last_failure',
  ] as const),
  ...(['waiting_for', 'cancel_reason', 'result', 'replay_of', 'replay_of_class', 'traceparent'] as const),
];

/** Whole rows only of jobs that are not as they came, as JSON: nine columns are read at a third of the cost of all. */
export const candidatesSql = `SELECT rowid, id, kind, payload, stage, priority, created_at, idempotency_key,
    CASE WHEN transition_no > 1 OR run_at <> created_at OR updated_at > ? OR changelist_id IS NOT NULL OR traceparent IS NOT NULL
      THEN json_object(${rowColumns.map((name) => `'${name}', ${name}`).join(', ')}) END ${candidates}`;

/** A row of `candidatesSql`. */
type Candidate = [number, string, string, string, string, number, number, string, string | null];

/**
 * Equal texts as one, where neighbours are: what runs the jobs compares and looks up by them, which
 * is a look at the address then.
 */
function sharing(texts: readonly string[]): string[] {
  let last = '';
  return texts.map((text) => {
    if (text !== last) last = text;
    return last;
  });
}

function jobListsOf(rows: readonly Candidate[]): JobLists {
  return {
    id: rows.map((row) => row[1]),
    kind: sharing(rows.map((row) => row[2])),
    payload: rows.map((row) => JSON.parse(row[3]) as JsonValue),
    stage: sharing(rows.map((row) => row[4])),
    priority: rows.map((row) => row[5]),
    createdAt: rows.map((row) => row[6]),
    idempotencyKey: rows.map((row) => row[7]),
  };
}

// Without a function and with OR FAIL there is nothing that asks SQLite to copy every page for an
// undo of this statement alone: what fails here undoes the whole transaction.
const take = `UPDATE OR FAIL work_queue SET status = 'running', ready = 0, claimed_by = ?, claim_token = ?, lease_expires_at = ?,
  started_at = ?, attempts = ?, waiting_for = NULL, transition_no = transition_no + 1,
  updated_at = CASE WHEN updated_at > ? THEN updated_at ELSE ? END`;
const takeRunSql = `${take} WHERE rowid BETWEEN ? AND ?`;
const takeListedSql = `${take} WHERE rowid IN (SELECT value FROM json_each(?))`;

/** Takes rows of which each has these attempts from now on. */
function takeRows(
  session: SqliteSession,
  rowIds: readonly number[],
  attempts: string,
  { owner, token, leaseMs }: ClaimRequest,
): void {
  const { nowMs } = session;
  const [first = 0] = rowIds;
  // Jobs that came one after the other mostly lie so.
  const isRun = rowIds.every((rowId, n) => rowId === first + n);
  const [sql, which] = isRun
    ? [takeRunSql, [first, first + rowIds.length - 1]]
    : [takeListedSql, [JSON.stringify(rowIds)]];
  const taken = session.run(sql, owner, token, nowMs + wholeMs(leaseMs), nowMs, attempts, nowMs, nowMs, ...which);
  if (taken !== rowIds.length) throw storeInvariant('work_queue lost a row inside its transaction');
}

/** Due jobs, taken. They are as their rows now are, which are not read again. */
function takeDue(session: SqliteSession, kinds: string, limit: number, request: ClaimRequest): Job[] {
  const { nowMs } = session;
  const { owner } = request;
  const leaseMs = wholeMs(request.leaseMs);
  const rows = session.rows<Candidate>(candidatesSql, nowMs, kinds, limit);
  const lists = jobListsOf(rows);
  // Most rows of a claim come to the same attempts: one statement takes those.
  const byAttempts = new Map<string, number[]>();
  const jobs = rows.map((row, n) => {
    const moved = row[8];
    const job =
      moved === null
        ? firstClaimedJob(lists, n, nowMs, owner, nowMs + leaseMs)
        : claimedJob(toJob(JSON.parse(moved) as JobRow), new Date(nowMs), owner, leaseMs);
    const attempts = JSON.stringify(job.attempts);
    const same = byAttempts.get(attempts);
    if (same === undefined) byAttempts.set(attempts, [row[0]]);
    else same.push(row[0]);
    return job;
  });
  for (const [attempts, rowIds] of byAttempts) takeRows(session, rowIds, attempts, request);
  return jobs;
}

/** WQ-2, WQ-3, WQ-4, WQ-8, WQ-10 in one transaction. */
export function claimJobs(session: SqliteSession, request: ClaimRequest): ClaimedJob[] {
  if (request.kinds.length === 0) return [];
  const before = session.first<Before>(beforeSql, session.nowMs, session.nowMs);
  if (before === undefined) throw storeInvariant('a look without a table gave no row');
  if (before.due === 1) promoteDue(session);
  if (before.expired === 1) requeueExpiredJobs(session, -1);
  const limit = room(session, request.limit, before.bound);
  const claimed = limit > 0 ? takeDue(session, JSON.stringify(request.kinds), limit, request).sort(inClaimOrder) : [];
  const { owner, token } = request;
  return claimed.map((job) => ({ job, lease: { jobId: job.id, owner, token } }));
}
