import type { EnqueueResult, NewJob } from '@criticizer/core';
import { findJob, type JobRow, toJob, wholeMs } from './job-row.js';
import { storeInvariant } from './sqlite-errors.js';
import type { SqliteSession } from './sqlite-session.js';

const insert = `INSERT INTO work_queue (id, kind, payload, status, ready, stage, priority, run_at, created_at, updated_at, finished_at,
  idempotency_key, changelist_id, review_version, attempts, lost_leases, outputs, transition_no, result)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '{}', 0, '{}', 1, ?)`;

function insertJob(session: SqliteSession, job: NewJob, id: string): void {
  const { nowMs } = session;
  const runAt = job.runAt === undefined ? nowMs + wholeMs(job.delayMs ?? 0) : job.runAt.getTime();
  const completed = job.completedWith !== undefined;
  session.run(
    insert,
    id,
    job.kind,
    JSON.stringify(job.payload),
    completed ? 'completed' : 'queued',
    !completed && runAt <= nowMs ? 1 : 0,
    job.stage,
    job.priority ?? 0,
    runAt,
    nowMs,
    nowMs,
    completed ? nowMs : null,
    job.idempotencyKey,
    job.changelistId ?? null,
    job.reviewVersion ?? null,
    completed ? JSON.stringify(job.completedWith) : null,
  );
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
  return version === undefined ? { outcome: 'older-version', job: toJob(newest) } : { outcome: 'same-version', job: toJob(version) };
}

/** One job after the other: the write lock is held, so what was looked up still stands when the row is written. */
export function enqueueJobs(session: SqliteSession, jobs: readonly NewJob[], rowId: (nowMs: number) => string): readonly EnqueueResult[] {
  return jobs.map((job) => {
    const found = standing(session, job);
    if (found !== undefined) return found;
    const id = rowId(session.nowMs);
    insertJob(session, job, id);
    const stored = findJob(session, id);
    if (stored === undefined) throw storeInvariant('work_queue lost a row inside its transaction');
    return { outcome: 'enqueued', job: toJob(stored) };
  });
}
