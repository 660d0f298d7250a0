import { checkMs, checkText, sweepLimit } from '../../foundation/store-input.js';
import { changePurging } from '../../stores/change-store.js';
import { inClaimOrder } from '../../stores/claims/claim-order.js';
import { checkClaimRequest, checkNewJob, checkPriorities, checkSettlement } from '../../stores/input/new-job.js';
import type { Job, JobStatus } from '../../stores/job.js';
import type {
  CancelOutcome,
  ClaimedJob,
  ClaimRequest,
  EnqueueResult,
  JobStats,
  JobStore,
  NewJob,
  QueueDepth,
} from '../../stores/job-store.js';
import { after, cancelledJob, claimedJob, enqueuedJob } from '../../stores/job-transitions.js';
import type { MemoryDatabase, MemorySession, MemoryTx } from '../shared/memory-database.js';
import { pageOfRows } from '../shared/memory-pages.js';
import { isChangePurging } from './memory-change-store.js';
import { reopenLetter } from './memory-dead-letter-store.js';
import { laterOf, leastOf, openJobs, putJob, sweepExpired } from './memory-job-rows.js';
import { expiredJobs, pruneJobs } from './memory-prune-jobs.js';
import { settleOne } from './memory-settle.js';

function versionsOf(session: MemorySession, changelistId: string): (Job & { reviewVersion: number })[] {
  const ids = session.tables.jobsOfChange.get(changelistId) ?? [];
  return ids.flatMap((id) => {
    const job = session.tables.jobs.get(id)?.job;
    return job === undefined || job.reviewVersion === null ? [] : [{ ...job, reviewVersion: job.reviewVersion }];
  });
}

function newest(session: MemorySession, changelistId: string): Job | null {
  return versionsOf(session, changelistId).sort((a, b) => b.reviewVersion - a.reviewVersion)[0] ?? null;
}

/** What already stands in the way of a new job (NOT-1, NOT-2). */
function existing(session: MemorySession, wanted: NewJob): EnqueueResult | undefined {
  const known = session.tables.jobs.get(session.tables.jobKeys.get(wanted.idempotencyKey) ?? '');
  if (known !== undefined) return { outcome: 'duplicate', job: known.job };
  const { changelistId, reviewVersion } = wanted;
  if (changelistId === undefined || reviewVersion === undefined) return undefined;
  const same = versionsOf(session, changelistId).find((job) => job.reviewVersion === reviewVersion);
  if (same !== undefined) return { outcome: 'same-version', job: same };
  const latest = newest(session, changelistId);
  return latest !== null && (latest.reviewVersion ?? 0) > reviewVersion
    ? { outcome: 'older-version', job: latest }
    : undefined;
}

function enqueueOne(session: MemorySession, wanted: NewJob): EnqueueResult {
  const { changelistId } = wanted;
  if (changelistId !== undefined && isChangePurging(session, changelistId)) throw changePurging(changelistId);
  const found = existing(session, wanted);
  if (found !== undefined) return structuredClone(found);
  const { tables, now } = session;
  const runAt = wanted.runAt === undefined ? after(now, wanted.delayMs ?? 0) : new Date(wanted.runAt);
  const job = enqueuedJob(structuredClone(wanted), session.newId(), now, runAt);
  putJob(session, { job, token: null });
  tables.jobKeys.put(job.idempotencyKey, job.id);
  if (job.changelistId !== null) {
    tables.jobsOfChange.put(job.changelistId, [...(tables.jobsOfChange.get(job.changelistId) ?? []), job.id]);
  }
  session.wake();
  return { outcome: 'enqueued', job: structuredClone(job) };
}

/** Requeues expired jobs; a cancel that ends one of them reopens the letter that it replayed. */
function sweep(session: MemorySession, limit: number): Job[] {
  const swept = sweepExpired(session, limit);
  for (const job of swept) if (job.status === 'failed') reopenLetter(session, job);
  return swept;
}

function claimJobs(session: MemorySession, request: ClaimRequest): ClaimedJob[] {
  // All of them, whatever their kind: a lease whose place is given away must not be renewable (WQ-10).
  sweep(session, Number.POSITIVE_INFINITY);
  const open = openJobs(session).map(({ job }) => job);
  const most = session.tables.limits.get('running');
  const room = most === undefined ? request.limit : most - open.filter((job) => job.status === 'running').length;
  const due = open.filter(
    (job) => job.status === 'queued' && job.runAt <= session.now && request.kinds.includes(job.kind),
  );
  const { owner, token } = request;
  return leastOf(due, Math.max(0, Math.min(request.limit, room)), inClaimOrder).map((queued) => {
    const job = claimedJob(queued, session.now, owner, request.leaseMs);
    putJob(session, { job, token });
    return { job: structuredClone(job), lease: { jobId: job.id, owner, token } };
  });
}

function cancelOne(session: MemorySession, id: string, reason: string): CancelOutcome {
  const found = session.tables.jobs.get(id);
  if (found === undefined) return 'not-found';
  const { job } = found;
  if (job.status === 'queued') {
    const ended = cancelledJob(job, session.now, reason);
    putJob(session, { job: ended, token: null });
    reopenLetter(session, ended);
    return 'cancelled';
  }
  if (job.status !== 'running') return 'not-open';
  if (job.cancelReason !== null) return 'already-requested';
  putJob(session, { ...found, job: { ...job, cancelReason: reason, updatedAt: laterOf(job, session) } });
  return 'cancel-requested';
}

function depthOf(session: MemorySession): QueueDepth {
  const depth: QueueDepth = { due: 0, scheduled: 0, running: 0, oldestDueMs: 0 };
  for (const { job } of openJobs(session)) {
    if (job.status === 'running') depth.running += 1;
    else if (job.runAt > session.now) depth.scheduled += 1;
    else {
      depth.due += 1;
      depth.oldestDueMs = Math.max(
        depth.oldestDueMs,
        session.now.getTime() - Math.max(job.runAt.getTime(), job.createdAt.getTime()),
      );
    }
  }
  return depth;
}

function countJobs(session: MemorySession): JobStats {
  const ended = session.tables.jobs.rows().map(({ job }) => job.status);
  const count = (status: JobStatus): number => ended.filter((one) => one === status).length;
  return { ...depthOf(session), completed: count('completed'), failed: count('failed') };
}

// long: the verbs of the facet, one after the other
/** The job facet of `createMemoryStores`. Rows given out are copies. */
export function createMemoryJobStore(database: MemoryDatabase): JobStore<MemoryTx> {
  return {
    storeId: database.storeId,
    enqueue: (jobs, options) =>
      database.write(options?.tx, (session) => {
        for (const [n, job] of jobs.entries()) checkNewJob(job, `jobs[${n}]`);
        return jobs.map((job) => enqueueOne(session, job));
      }),
    claim: (request) =>
      database.write(undefined, (session) => {
        checkClaimRequest(request);
        return claimJobs(session, request);
      }),
    heartbeat: (leases, leaseMs) =>
      database.write(undefined, (session) => {
        checkMs('leaseMs', leaseMs, 1);
        return leases.map((lease) => {
          const held = session.tables.jobs.get(lease.jobId);
          if (held?.job.status !== 'running' || held.job.claimedBy !== lease.owner || held.token !== lease.token)
            return 'lease-lost';
          putJob(session, { ...held, job: { ...held.job, leaseExpiresAt: after(session.now, leaseMs) } });
          return held.job.cancelReason === null ? 'renewed' : 'cancel-requested';
        });
      }),
    settle: (settlements, options) =>
      database.write(options?.tx, (session) => {
        for (const [n, settlement] of settlements.entries()) checkSettlement(settlement, `settlements[${n}]`);
        return settlements.map((settlement) => settleOne(session, settlement));
      }),
    requeueExpired: (options) =>
      database.write(undefined, (session) => {
        const requeued = sweep(session, sweepLimit(options?.limit));
        if (requeued.length > 0) session.wake();
        return requeued.map(({ id, kind, lostLeases }) => ({ id, kind, lostLeases }));
      }),
    cancel: (ids, reason, options) =>
      database.write(options?.tx, (session) => {
        checkText('reason', reason, 1024);
        return ids.map((id) => cancelOne(session, id, reason));
      }),
    setPriority: (id, { expected, next }, options) =>
      database.write(options?.tx, (session) => {
        checkPriorities(expected, next);
        const found = session.tables.jobs.get(id);
        if (found === undefined) return 'not-found';
        if (found.job.status !== 'queued') return 'not-queued';
        if (found.job.priority !== expected) return 'conflict';
        putJob(session, { ...found, job: { ...found.job, priority: next, updatedAt: laterOf(found.job, session) } });
        session.wake();
        return 'set';
      }),
    get: (ids, options) =>
      database.read(options?.tx, (session) =>
        ids.map((id) => structuredClone(session.tables.jobs.get(id)?.job ?? null)),
      ),
    list: (filter) =>
      database.read(undefined, (session) => {
        const { kind, status, changelistId } = filter;
        return pageOfRows(
          session.tables.jobs.rows().map(({ job }) => job),
          filter,
          (job) =>
            (kind ?? job.kind) === job.kind &&
            (status ?? job.status) === job.status &&
            (changelistId ?? job.changelistId) === job.changelistId,
        );
      }),
    latestVersion: (changelistId) =>
      database.read(undefined, (session) => structuredClone(newest(session, changelistId))),
    depth: () => database.read(undefined, depthOf),
    stats: () => database.read(undefined, countJobs),
    prune: (options) =>
      database.write(undefined, (session) => {
        checkMs('options.olderThanMs', options.olderThanMs);
        const pruned = expiredJobs(session, options.olderThanMs).slice(0, sweepLimit(options.limit));
        pruneJobs(session, pruned);
        return pruned.length;
      }),
    subscribe: async (listener) => {
      const end = database.subscribe(listener);
      return async () => end();
    },
  };
}
