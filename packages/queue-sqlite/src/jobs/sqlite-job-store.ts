import {
  checkClaimRequest,
  checkMs,
  checkNewJob,
  checkPriorities,
  checkSettlement,
  checkText,
  sweepLimit,
  toJob,
  type WakeUps,
  wholeMs,
} from '@criticizer/core/internal';
import type { CancelOutcome, Job, JobHeartbeat, JobStore, Lease, Settlement } from '@criticizer/core/ports';
import { type Condition, listByRowId } from '../shared/list-rows.js';
import type { SqliteTx } from '../shared/sqlite-database.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';
import type { SqliteSession } from '../shared/sqlite-session.js';
import { claimJobs, requeueExpiredJobs } from './claim-jobs.js';
import { countAll, countOpen } from './count-jobs.js';
import { reopenLetter } from './dead-letter-row.js';
import { enqueueJobs, newestVersion } from './enqueue-jobs.js';
import { findJob, type JobRow } from './job-row.js';
import { pruneJobs } from './prune-jobs.js';
import { NotAllRemoved, removeJobs, settleEach } from './settle-jobs.js';

/** Names the predicate of the partial index on failed jobs. */
function inStatus(status: Job['status'] | undefined): Condition {
  return status === 'failed' ? ["status = 'failed'"] : ['status = ?', status];
}

function cancelJob(session: SqliteSession, id: string, reason: string): CancelOutcome {
  const row = findJob(session, id);
  if (row === undefined) return 'not-found';
  if (row.status === 'running') {
    if (row.cancel_reason !== null) return 'already-requested';
    const request = 'UPDATE work_queue SET cancel_reason = ?, updated_at = max(updated_at, ?) WHERE id = ?';
    session.run(request, reason, session.nowMs, id);
    return 'cancel-requested';
  }
  if (row.status !== 'queued') return 'not-open';
  session.run(
    `UPDATE work_queue SET status = 'failed', ready = 0, finished_at = ?, result = ?, waiting_for = NULL,
      transition_no = transition_no + 1, updated_at = max(updated_at, ?) WHERE id = ?`,
    session.nowMs,
    JSON.stringify({ cancelled: true, reason }),
    session.nowMs,
    id,
  );
  reopenLetter(session, row.replay_of, reason);
  return 'cancelled';
}

function setPriority(
  session: SqliteSession,
  id: string,
  { expected, next }: { expected: number; next: number },
): 'set' | 'conflict' | 'not-queued' | 'not-found' {
  const row = findJob(session, id);
  if (row === undefined) return 'not-found';
  if (row.status !== 'queued') return 'not-queued';
  if (row.priority !== expected) return 'conflict';
  const set = 'UPDATE work_queue SET priority = ?, updated_at = max(updated_at, ?) WHERE id = ?';
  session.run(set, next + 0, session.nowMs, id); // no -0: SQLite has none
  return 'set';
}

/** Renews one lease; tells where its job is to be cancelled. */
function renewLease(session: SqliteSession, { jobId, owner, token }: Lease, leaseMs: number): JobHeartbeat {
  const renewed = session.first<{ cancel_reason: string | null }>(
    `UPDATE work_queue SET lease_expires_at = ?, updated_at = max(updated_at, ?)
      WHERE id = ? AND claimed_by = ? AND claim_token = ? AND status = 'running' RETURNING cancel_reason`,
    session.nowMs + wholeMs(leaseMs),
    session.nowMs,
    jobId,
    owner,
    token,
  );
  if (renewed === undefined) return 'lease-lost';
  return renewed.cancel_reason === null ? 'renewed' : 'cancel-requested';
}

const deletesRow = (settlement: Settlement): boolean => settlement.kind === 'done' && settlement.deleteRow === true;

// long: the verbs of the facet, one after the other
/** The work queue on SQLite: the write lock of `BEGIN IMMEDIATE` excludes what row locks exclude in the twin (WQ-2). */
export function createSqliteJobStore(
  { storeId, gate, rowId, hasMails }: SqliteFacet,
  wakeUps: WakeUps,
): JobStore<SqliteTx> {
  return {
    storeId,
    async enqueue(jobs, options) {
      for (const [n, job] of jobs.entries()) checkNewJob(job, `jobs[${n}]`);
      if (jobs.length === 0) return [];
      const results = await gate.write(options?.tx, (session) => enqueueJobs(session, jobs, rowId));
      if (options?.tx === undefined) wakeUps.wake();
      return results;
    },
    async claim(request) {
      checkClaimRequest(request);
      return gate.write(undefined, (session) => claimJobs(session, request));
    },
    async heartbeat(leases, leaseMs) {
      checkMs('leaseMs', leaseMs, 1);
      if (leases.length === 0) return [];
      return gate.write(undefined, (session) => leases.map((lease) => renewLease(session, lease, leaseMs)));
    },
    async settle(settlements, options) {
      for (const [n, settlement] of settlements.entries()) checkSettlement(settlement, `settlements[${n}]`);
      if (settlements.length === 0) return [];
      if (settlements.length > 1 && settlements.every(deletesRow)) {
        try {
          return await gate.write(options?.tx, (session) => removeJobs(session, settlements));
        } catch (error) {
          if (!(error instanceof NotAllRemoved)) throw error;
        }
      }
      return gate.write(options?.tx, (session) => settleEach(session, settlements, { rowId, hasMails }));
    },
    async requeueExpired(options) {
      const limit = sweepLimit(options?.limit);
      return gate.write(undefined, (session) => requeueExpiredJobs(session, limit));
    },
    async cancel(ids, reason, options) {
      checkText('reason', reason, 1024);
      return gate.write(options?.tx, (session) => ids.map((id) => cancelJob(session, id, reason)));
    },
    async setPriority(id, priority, options) {
      checkPriorities(priority.expected, priority.next);
      const outcome = await gate.write(options?.tx, (session) => setPriority(session, id, priority));
      if (options?.tx === undefined) wakeUps.wake();
      return outcome;
    },
    get: (ids, options) =>
      gate.read(options?.tx, (session) =>
        ids.map((id) => {
          const row = findJob(session, id);
          return row === undefined ? null : toJob(row);
        }),
      ),
    list: (filter) =>
      gate.read(undefined, (session) =>
        listByRowId<JobRow>(session, 'SELECT * FROM work_queue', filter, [
          ['kind = ?', filter.kind],
          inStatus(filter.status),
          ['changelist_id = ?', filter.changelistId],
        ]).map(toJob),
      ),
    latestVersion: (changelistId) =>
      gate.read(undefined, (session) => {
        const row = newestVersion(session, changelistId);
        return row === undefined ? null : toJob(row);
      }),
    depth: () => gate.read(undefined, countOpen),
    stats: () => gate.read(undefined, countAll),
    async prune({ olderThanMs, limit }) {
      checkMs('options.olderThanMs', olderThanMs);
      const most = sweepLimit(limit);
      return gate.write(undefined, (session) => pruneJobs(session, wholeMs(olderThanMs), most, hasMails));
    },
    async subscribe(listener) {
      return wakeUps.subscribe(listener);
    },
  };
}
