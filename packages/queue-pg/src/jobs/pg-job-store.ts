import { randomUUID } from 'node:crypto';
import {
  checkClaimRequest,
  checkMs,
  checkNewJob,
  checkPriorities,
  checkSettlement,
  checkText,
  type JobRow,
  sweepLimit,
  toJob,
  wholeMs,
} from '@criticizer/core/internal';
import type { CancelOutcome, Job, JobStore, Settlement, SettleOutcome } from '@criticizer/core/ports';
import { fencesOf } from '../shared/fences.js';
import { type Condition, listByRowId } from '../shared/list-rows.js';
import type { PgTx } from '../shared/pg-database.js';
import type { PgFacet } from '../shared/pg-facet.js';
import { type PgGate, softly } from '../shared/pg-gate.js';
import { asUuid } from '../shared/pg-session.js';
import type { PgWakeUps } from '../shared/pg-wake-ups.js';
import { reopenLetterSql } from '../shared/reopen-letter.js';
import { createClaims, requeueExpiredJobs } from './claim-jobs.js';
import { countAll, countOpen } from './count-jobs.js';
import { enqueueJobs, needsChangeCheck } from './enqueue-jobs.js';
import { jobColumns } from './job-row.js';
import { pruneJobs } from './prune-jobs.js';
import { arePlainEnds, settleDone } from './settle-done.js';
import { type SettleCall, settleJobs } from './settle-jobs.js';

const renew = `SELECT id::text AS id, owner, token, is_cancelled FROM {schema}.renew_leases({now}, $1, $2, $3, $4) WHERE ${softly}`;

const cancel = `WITH candidate AS (
    SELECT id, status, replay_of, cancel_reason IS NOT NULL AS is_requested FROM {schema}.work_queue WHERE id = ANY($1) ORDER BY id FOR UPDATE),
  requested AS (UPDATE {schema}.work_queue AS w SET cancel_reason = $3, updated_at = greatest(w.updated_at, {now})
    FROM candidate AS c WHERE w.id = c.id AND c.status = 'running' AND NOT c.is_requested),
  cancelled AS (UPDATE {schema}.work_queue AS w SET status = 'failed', ready = false, finished_at = {now}, result = $2::json,
    waiting_for = NULL, transition_no = w.transition_no + 1, updated_at = greatest(w.updated_at, {now})
    FROM candidate AS c WHERE w.id = c.id AND c.status = 'queued'),
  reopened AS (UPDATE {schema}.dead_letters AS d SET ${reopenLetterSql('$3::text', '{now}')}
    FROM candidate AS c WHERE c.status = 'queued' AND d.id = c.replay_of AND d.status = 'replaying')
  SELECT id::text AS id, status, is_requested FROM candidate`;

const setPriority = `WITH candidate AS (SELECT id, status, priority FROM {schema}.work_queue WHERE id = $1 FOR UPDATE),
  changed AS (UPDATE {schema}.work_queue AS w SET priority = $3, updated_at = greatest(w.updated_at, {now})
    FROM candidate AS c WHERE w.id = c.id AND c.status = 'queued' AND c.priority = $2)
  SELECT status, priority FROM candidate`;

/** A row as a cancel found it. */
interface CancelledRow {
  id: string;
  status: Job['status'];
  is_requested: boolean;
}

function cancelOutcome(row: CancelledRow | undefined): CancelOutcome {
  if (row === undefined) return 'not-found';
  if (row.status === 'queued') return 'cancelled';
  if (row.status !== 'running') return 'not-open';
  return row.is_requested ? 'already-requested' : 'cancel-requested';
}

/** Names the predicate of the partial index on failed jobs. */
function inStatus(status: Job['status'] | undefined): Condition {
  return status === 'failed' ? ["w.status = 'failed'"] : ['w.status = ?', status];
}

const list = { select: `SELECT ${jobColumns} FROM {schema}.work_queue AS w`, id: 'w.id' };

/** True where a settlement puts its job back into the order of claims. */
function comesBack({ kind }: Settlement): boolean {
  return kind === 'retry' || kind === 'wait' || kind === 'release';
}

/**
 * Plain ends leave in one statement; what it did not match, and everything else, in one
 * transaction. Plain ends have no effects, so nothing of theirs could be undone by another's
 * refusal.
 */
async function settleOnPool(
  gate: PgGate,
  settlements: readonly Settlement[],
  call: SettleCall,
): Promise<readonly SettleOutcome[]> {
  const wholly = (batch: readonly Settlement[]) =>
    gate.together(undefined, (session) => settleJobs(session, batch, call), call);
  if (call.again || !arePlainEnds(settlements)) return wholly(settlements);
  const rest = await gate.single(undefined, (session) => settleDone(session, settlements, call.id), call);
  const outcomes = rest.length === 0 ? [] : await wholly(rest);
  const left = new Map(rest.map((settlement, n) => [settlement, outcomes[n] ?? 'lease-lost']));
  return settlements.map((settlement) => left.get(settlement) ?? 'settled');
}

// long: the verbs of the facet, one after the other
/**
 * The work queue on PostgreSQL (WQ-1..12, NOT-1, NOT-2). Batches are one statement each; nothing
 * rests in a session.
 */
export function createPgJobStore({ storeId, gate, idTail, hasMails }: PgFacet, wakeUps: PgWakeUps): JobStore<PgTx> {
  const claims = createClaims(gate);
  return {
    storeId,
    async enqueue(jobs, options) {
      for (const [n, job] of jobs.entries()) checkNewJob(job, `jobs[${n}]`);
      if (jobs.length === 0) return [];
      const verb = needsChangeCheck(jobs) ? gate.together : gate.single;
      if (options?.tx !== undefined) return verb(options.tx, (session) => enqueueJobs(session, jobs, idTail));
      const carried = wakeUps.carried();
      const results = await verb(undefined, (session) => enqueueJobs(session, jobs, idTail, carried));
      if (carried === undefined) wakeUps.wake();
      else wakeUps.wakeHere();
      return results;
    },
    async claim(request) {
      checkClaimRequest(request);
      if (request.kinds.length === 0) return [];
      return claims.claim(request);
    },
    async heartbeat(leases, leaseMs) {
      checkMs('leaseMs', leaseMs, 1);
      if (leases.length === 0) return [];
      const sorted = [...leases].sort((a, b) => (a.jobId < b.jobId ? -1 : 1));
      const rows = await gate.heartbeat(leaseMs, (session) =>
        session.all<{ id: string; owner: string; token: string; is_cancelled: boolean }>(
          renew,
          ...fencesOf(sorted),
          wholeMs(leaseMs),
        ),
      );
      const owned = new Map(rows.map((row) => [row.id, row]));
      return leases.map(({ jobId, owner, token }) => {
        const row = owned.get(asUuid(jobId));
        if (row?.owner !== owner || row.token !== token) return 'lease-lost';
        return row.is_cancelled ? 'cancel-requested' : 'renewed';
      });
    },
    async settle(settlements, options) {
      for (const [n, settlement] of settlements.entries()) checkSettlement(settlement, `settlements[${n}]`);
      if (settlements.length === 0) return [];
      const leaseMs = options?.leaseMs;
      const call = { id: randomUUID(), idTail, leaseMs, hasMails };
      if (options?.tx !== undefined)
        return gate.together(options.tx, (session) => settleJobs(session, settlements, { ...call, again: false }));
      if (settlements.some(comesBack)) claims.scanAll();
      const outcomes = await gate.surviving((again) => settleOnPool(gate, settlements, { ...call, again }), leaseMs);
      if (settlements.some(({ kind }) => kind === 'release')) wakeUps.wake(); // for the workers that go on
      return outcomes;
    },
    async requeueExpired(options) {
      const limit = sweepLimit(options?.limit);
      claims.scanAll();
      return gate.together(undefined, (session) => requeueExpiredJobs(session, limit), { soft: true });
    },
    async cancel(ids, reason, options) {
      checkText('reason', reason, 1024);
      const result = JSON.stringify({ cancelled: true, reason });
      const rows = await gate.single(options?.tx, (session) =>
        session.all<CancelledRow>(cancel, ids.map(asUuid), result, reason),
      );
      const before = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => {
        const row = before.get(asUuid(id));
        const outcome = cancelOutcome(row);
        // the same id again in this call
        if (row?.status === 'queued') before.set(row.id, { ...row, status: 'failed' });
        else if (row !== undefined) before.set(row.id, { ...row, is_requested: true });
        return outcome;
      });
    },
    async setPriority(id, { expected, next }, options) {
      checkPriorities(expected, next);
      const row = await gate.single(options?.tx, (session) =>
        session.first<{ status: string; priority: number }>(setPriority, asUuid(id), expected, next),
      );
      claims.scanAll();
      if (options?.tx === undefined) wakeUps.wake();
      if (row === undefined) return 'not-found';
      if (row.status !== 'queued') return 'not-queued';
      return row.priority === expected ? 'set' : 'conflict';
    },
    async get(ids, options) {
      if (ids.length === 0) return [];
      const rows = await gate.single(options?.tx, (session) =>
        session.all<JobRow>(`SELECT ${jobColumns} FROM {schema}.work_queue AS w WHERE w.id = ANY($1)`, ids.map(asUuid)),
      );
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => {
        const row = found.get(asUuid(id));
        return row === undefined ? null : toJob(row);
      });
    },
    async list(filter) {
      const { kind, status, changelistId } = filter;
      const rows = await listByRowId<JobRow>(gate, list, filter, [
        ['w.kind = ?', kind],
        inStatus(status),
        ['w.changelist_id = ?', changelistId],
      ]);
      return rows.map(toJob);
    },
    async latestVersion(changelistId) {
      const row = await gate.single(undefined, (session) =>
        session.first<JobRow>(
          `SELECT ${jobColumns} FROM {schema}.work_queue AS w WHERE w.changelist_id = $1 AND w.review_version IS NOT NULL
            ORDER BY w.review_version DESC LIMIT 1`,
          changelistId,
        ),
      );
      return row === undefined ? null : toJob(row);
    },
    depth: () => gate.single(undefined, countOpen),
    stats: () => gate.single(undefined, countAll),
    async prune({ olderThanMs, limit }) {
      checkMs('options.olderThanMs', olderThanMs);
      const most = sweepLimit(limit);
      return gate.together(undefined, (session) => pruneJobs(session, wholeMs(olderThanMs), most, hasMails));
    },
    async subscribe(listener) {
      const release = await gate.keepHeartbeatClient();
      const end = await wakeUps.subscribe(listener);
      return async () => void (await Promise.all([end(), release()]));
    },
  };
}
