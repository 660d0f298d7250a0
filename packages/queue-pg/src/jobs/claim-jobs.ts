import { performance } from 'node:perf_hooks';
import { type Instant, inClaimOrder, type JobRow, toDate, toJob, toMs, wholeMs } from '@criticizer/core/internal';
import type { ClaimedJob, ClaimRequest, Job } from '@criticizer/core/ports';
import { epochMs } from '../shared/instants.js';
import { type PgGate, softly } from '../shared/pg-gate.js';
import type { PgSession } from '../shared/pg-session.js';
import { claimedJobs } from './claimed-jobs.js';
import { jobColumns } from './job-row.js';

/** Expired leases back to `queued`, counted (WQ-8). */
export async function requeueExpiredJobs(
  session: PgSession,
  limit: number,
): Promise<{ id: string; kind: string; lostLeases: number }[]> {
  const rows = await session.all<{ id: string; kind: string; lost_leases: number }>(
    'SELECT id::text AS id, kind, lost_leases FROM {schema}.requeue_expired({now}, $1)',
    limit,
  );
  return rows.map((row) => ({ id: row.id, kind: row.kind, lostLeases: row.lost_leases }));
}

/** Held by a claim until it commits: whoever takes it behind a lost connection knows that the claim is over. */
const claimLock = (token: string): string =>
  `pg_advisory_xact_lock(hashtextextended('{schema}/claim/' || ${token}, 0))`;

// The function is the claim; see its migration. How many pages the queue fills comes along for `PgDialect.planFor`.
const claimSql = `SELECT c.jobs, ${epochMs('c.now_at')} AS now_at, ${epochMs('c.expires_at')} AS expires_at, c.swept, c.limited,
    (pg_relation_size('{schema}.work_queue') / 8192)::int AS pages
  FROM {schema}.claim_jobs({now}, $1, $2, $3, $4, $5, $6, $7, $8) AS c
  WHERE ${softly} AND (SELECT ${claimLock('$4')}) IS NOT NULL`;

/** Waits until an earlier run of this claim is over, which the server may still be writing. */
const awaitClaimSql = `SELECT ${claimLock('$1')}`;

/** What an earlier run of this claim has taken: it committed, though its answer was lost. */
const heldSql = `SELECT ${jobColumns} FROM {schema}.work_queue AS w WHERE w.status = 'running' AND w.claimed_by = $1 AND w.claim_token = $2`;

/** More priorities than these are claimed by scanning the whole index. */
const mostMarks = 8;
/** The longest that rows which came back before a mark wait while newer ones are claimed. */
const fullScanEveryMs = 1000;

/** What one store remembers between claims; hints alone, any of it may be forgotten. */
interface ClaimMemory {
  /** The database's instant of the last look for expired leases. */
  sweptAt: string | null;
  /** Where the last claim stopped in each priority. */
  marks: Map<number, string>;
  /**
   * True where it may have left some. One that left none had read the whole order, and the next is
   * spared nothing by marks.
   */
  isBacklog: boolean;
  /** What the marks are of. */
  kinds: string;
  fullScanAt: number;
}

export interface Claims {
  claim(request: ClaimRequest): Promise<ClaimedJob[]>;
  /** Rows came back into the order: the next claim scans all of it. */
  scanAll(): void;
}

interface ClaimState {
  now_at: Instant;
  expires_at: Instant;
  swept: boolean;
  limited: boolean;
  pages: number;
}

/** One a scan of the order that found any; one without jobs where none did. */
interface ClaimRow extends ClaimState {
  jobs: string | null;
}

// long: what one claim learns for the next is shared
/** The claims of one store (WQ-2, WQ-3, WQ-4, WQ-8, WQ-10). */
export function createClaims(gate: PgGate): Claims {
  const memory: ClaimMemory = { sweptAt: null, marks: new Map(), isBacklog: false, kinds: '', fullScanAt: 0 };

  /**
   * The marks to claim behind, highest priority first; none when a full scan is due. That one keeps
   * the marks of what it finds nothing in.
   */
  function marksFor(request: ClaimRequest): [priorities: number[], instants: string[]] {
    const kinds = JSON.stringify(request.kinds);
    if (kinds !== memory.kinds || memory.marks.size > mostMarks) {
      memory.marks.clear();
      memory.kinds = kinds;
    }
    if (performance.now() >= memory.fullScanAt) {
      memory.fullScanAt = performance.now() + fullScanEveryMs;
      return [[], []];
    }
    if (!memory.isBacklog) return [[], []];
    const marks = [...memory.marks].sort(([a], [b]) => b - a);
    return [marks.map(([priority]) => priority), marks.map(([, createdAt]) => createdAt)];
  }

  function remember(jobs: readonly Job[], state: ClaimState, isFull: boolean): void {
    gate.planFor(state.pages);
    memory.isBacklog = isFull || state.limited;
    if (state.swept) memory.sweptAt = toDate(state.now_at).toISOString();
    for (const [n, job] of jobs.entries())
      if (job.priority !== jobs[n + 1]?.priority) memory.marks.set(job.priority, job.createdAt.toISOString());
  }

  async function claim(request: ClaimRequest, again: boolean): Promise<Job[]> {
    const { kinds, limit, owner, token, leaseMs } = request;
    if (again) {
      await gate.single(undefined, (session) => session.run(awaitClaimSql, token), { leaseMs });
      const held = await gate.single(undefined, (session) => session.all<JobRow>(heldSql, owner, token), { leaseMs });
      if (held.length > 0) return held.map(toJob).sort(inClaimOrder);
    }
    const values = [kinds, limit, owner, token, wholeMs(leaseMs), memory.sweptAt, ...marksFor(request)];
    const run = (session: PgSession) => session.all<ClaimRow>(claimSql, ...values);
    let rows = await gate.single(undefined, run, { leaseMs });
    // Under a limit the function takes nothing where the role's default isolation is another: there
    // it needs a transaction of its own.
    const [state] = rows;
    if (state?.limited === true && !state.swept) rows = await gate.together(undefined, run, { soft: true, leaseMs });
    const taken = rows
      .flatMap((row) =>
        row.jobs === null
          ? []
          : claimedJobs(row.jobs, { nowMs: toMs(row.now_at), expiresMs: toMs(row.expires_at) }, owner),
      )
      .sort(inClaimOrder);
    if (state !== undefined) remember(taken, state, taken.length >= limit);
    return taken;
  }

  return {
    async claim(request) {
      const jobs = await gate.surviving((again) => claim(request, again), request.leaseMs);
      const { owner, token } = request;
      return jobs.map((job) => ({ job, lease: { jobId: job.id, owner, token } }));
    },
    scanAll() {
      memory.fullScanAt = 0;
    },
  };
}
