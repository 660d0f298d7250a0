import { changePurging, toJob, wholeMs } from '@criticizer/core/internal';
import type { EnqueueResult, NewJob } from '@criticizer/core/ports';
import { isPurging } from '../shared/change-marks.js';
import type { SqliteSession } from '../shared/sqlite-session.js';
import type { JobRow } from './job-row.js';

const insert = `INSERT INTO work_queue (id, kind, payload, status, ready, stage, priority, run_at, created_at, updated_at, finished_at,
  idempotency_key, changelist_id, review_version, attempts, lost_leases, outputs, transition_no, result, traceparent)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '{}', 0, '{}', 1, ?, ?)`;

/** The row of a new job. */
function newRow(job: NewJob, id: string, nowMs: number): JobRow {
  const runAt = job.runAt === undefined ? nowMs + wholeMs(job.delayMs ?? 0) : job.runAt.getTime();
  const completed = job.completedWith !== undefined;
  return {
    id,
    kind: job.kind,
    payload: JSON.stringify(job.payload),
    status: completed ? 'completed' : 'queued',
    ready: !completed && runAt <= nowMs ? 1 : 0,
    stage: job.stage,
    priority: (job.priority ?? 0) + 0, // no -0: SQLite has none
    run_at: runAt,
    created_at: nowMs,
    updated_at: nowMs,
    started_at: null,
    finished_at: completed ? nowMs : null,
    idempotency_key: job.idempotencyKey,
    changelist_id: job.changelistId ?? null,
    review_version: job.reviewVersion ?? null,
    claimed_by: null,
    claim_token: null,
    lease_expires_at: null,
    attempts: '{}',
    lost_leases: 0,
    outputs: '{}',
    transition_no: 1,
    first_failure_at: null,
    last_failure_at: null,
    last_failure: null,
    waiting_for: null,
    cancel_reason: null,
    last_settlement: null,
    result: completed ? JSON.stringify(job.completedWith) : null,
    replay_of: null,
    replay_of_class: null,
    traceparent: job.traceparent ?? null,
  };
}

/** Gives the row as it is stored, without reading it again. */
function insertJob(session: SqliteSession, job: NewJob, id: string): JobRow {
  const row = newRow(job, id, session.nowMs);
  session.run(
    insert,
    row.id,
    row.kind,
    row.payload,
    row.status,
    row.ready,
    row.stage,
    row.priority,
    row.run_at,
    row.created_at,
    row.updated_at,
    row.finished_at,
    row.idempotency_key,
    row.changelist_id,
    row.review_version,
    row.result,
    row.traceparent,
  );
  return row;
}

/** The job with the newest version of a change (NOT-2). */
export function newestVersion(session: SqliteSession, changelistId: string): JobRow | undefined {
  return session.first<JobRow>(
    'SELECT * FROM work_queue WHERE changelist_id = ? AND review_version IS NOT NULL ORDER BY review_version DESC LIMIT 1',
    changelistId,
  );
}

/** What already stands in the way of a new row: its key, its version, a newer version, in this order (NOT-1, NOT-2). */
function standing(session: SqliteSession, job: NewJob): EnqueueResult | undefined {
  const same = session.first<JobRow>('SELECT * FROM work_queue WHERE idempotency_key = ?', job.idempotencyKey);
  if (same !== undefined) return { outcome: 'duplicate', job: toJob(same) };
  if (job.changelistId === undefined || job.reviewVersion === undefined) return undefined;
  const newest = newestVersion(session, job.changelistId);
  if (newest === undefined || (newest.review_version ?? 0) < job.reviewVersion) return undefined;
  const version = session.first<JobRow>(
    'SELECT * FROM work_queue WHERE changelist_id = ? AND review_version = ?',
    job.changelistId,
    job.reviewVersion,
  );
  return version === undefined
    ? { outcome: 'older-version', job: toJob(newest) }
    : { outcome: 'same-version', job: toJob(version) };
}

/** One job after the other: the write lock is held, so what was looked up still stands when the row is written. */
export function enqueueJobs(
  session: SqliteSession,
  jobs: readonly NewJob[],
  rowId: (nowMs: number) => string,
): readonly EnqueueResult[] {
  return jobs.map((job) => {
    if (job.changelistId !== undefined && isPurging(session, job.changelistId)) throw changePurging(job.changelistId);
    const found = standing(session, job);
    if (found !== undefined) return found;
    return { outcome: 'enqueued', job: toJob(insertJob(session, job, rowId(session.nowMs))) };
  });
}
