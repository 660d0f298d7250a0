import { performance } from 'node:perf_hooks';
import type { ClaimedJob, ClaimRequest } from '@criticizer/core';
import { type ClaimMark, claimSql, heldSql, requeueSql, takeSql, tidyAndCountSql } from './claim-sql.js';
import { type JobRow, toJob, wholeMs } from './job-row.js';
import type { PgGate } from './pg-gate.js';
import type { PgSession } from './pg-session.js';

/** Expired leases back to `queued`, counted (WQ-8). */
export async function requeueExpiredJobs(session: PgSession, limit: number): Promise<{ id: string; kind: string; lostLeases: number }[]> {
  const rows = await session.all<{ id: string; kind: string; lost_leases: number }>(requeueSql, limit);
  return rows.map((row) => ({ id: row.id, kind: row.kind, lostLeases: row.lost_leases }));
}

/** More priorities than these are claimed by scanning the whole index. */
const mostMarks = 4;
/** The longest that rows which came back before a mark wait while newer ones are claimed. */
const fullScanEveryMs = 1000;

/** What one store remembers between claims; hints alone, any of it may be forgotten. */
interface ClaimMemory {
  /** The database's instant of the last look for expired leases. */
  sweptAt: string | null;
  /** True once a global limit was seen: the next claim asks for it first. */
  limited: boolean;
  marks: Map<number, string>;
  /** What the marks are of. */
  kinds: string;
  fullScanAt: number;
}

export interface Claims {
  claim(request: ClaimRequest): Promise<ClaimedJob[]>;
  /** Rows came back into the order: the next claim scans all of it. */
  forgetMarks(): void;
}

type FoundRow = Omit<
  JobRow,
  'status' | 'started_at' | 'finished_at' | 'claimed_by' | 'claim_token' | 'lease_expires_at' | 'waiting_for' | 'result'
>;

/** A row as a claim takes it, and the database's instant. */
type TakenRow = FoundRow & { now_at: number };

interface ClaimState {
  changed: boolean;
  limited: boolean;
  pages: number;
  swept: boolean;
  now_at: number;
}

/** The state comes with every row; alone, with all of the job's columns null, where none was taken. */
type ClaimRow = ClaimState & (FoundRow | { id: null });

const isTaken = (row: ClaimRow): row is ClaimState & FoundRow => row.id !== null;

/** The whole row: what the claim itself has written need not be read. */
function asClaimed(row: TakenRow, { owner, token, leaseMs }: ClaimRequest): JobRow {
  return Object.assign(row, {
    status: 'running' as const,
    started_at: row.now_at,
    finished_at: null,
    claimed_by: owner,
    claim_token: token,
    lease_expires_at: row.now_at + wholeMs(leaseMs),
    waiting_for: null,
    result: null,
  });
}

/** `UPDATE … RETURNING` gives rows in any order; the claim's order is the caller's. */
function inClaimOrder(a: JobRow, b: JobRow): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  return a.id < b.id ? -1 : 1; // ids begin with created_at
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** The claims of one store (WQ-2, WQ-3, WQ-4, WQ-8, WQ-10). */
export function createClaims(gate: PgGate): Claims {
  const memory: ClaimMemory = { sweptAt: null, limited: false, marks: new Map(), kinds: '', fullScanAt: 0 };

  const parameters = ({ kinds, owner, token, leaseMs }: ClaimRequest, limit: number): unknown[] => [
    kinds,
    limit,
    owner,
    token,
    wholeMs(leaseMs),
  ];

  async function take(session: PgSession, request: ClaimRequest, limit: number): Promise<JobRow[]> {
    const rows = await session.all<TakenRow>(takeSql, ...parameters(request, limit));
    return rows.map((row) => asClaimed(row, request));
  }

  /** The marks to claim behind, highest priority first; none when a full scan is due. */
  function marksFor(request: ClaimRequest): ClaimMark[] {
    const kinds = JSON.stringify(request.kinds);
    if (kinds !== memory.kinds || memory.marks.size > mostMarks || performance.now() >= memory.fullScanAt) {
      memory.marks.clear();
      memory.kinds = kinds;
      memory.fullScanAt = performance.now() + fullScanEveryMs;
    }
    return [...memory.marks].map(([priority, createdAt]) => ({ priority, createdAt })).sort((a, b) => b.priority - a.priority);
  }

  function remember(rows: readonly JobRow[], wanted: number): void {
    if (rows.length < wanted) memory.marks.clear();
    else
      for (const [n, row] of rows.entries())
        if (row.priority !== rows[n + 1]?.priority) memory.marks.set(row.priority, iso(row.created_at));
  }

  /** One statement: the whole claim where nothing is out of the ordinary; else what is still to do. */
  async function claimAtOnce(request: ClaimRequest): Promise<{ rows: JobRow[]; left: 'nothing' | 'take' | 'all' }> {
    const marks = marksFor(request);
    const given = await gate.single(undefined, (session) =>
      session.all<ClaimRow>(
        claimSql(marks.length),
        ...parameters(request, request.limit),
        memory.sweptAt,
        ...marks.flatMap(({ priority, createdAt }) => [priority, createdAt]),
      ),
    );
    const [state] = given;
    const rows = given
      .filter(isTaken)
      .map((row) => asClaimed(row, request))
      .sort(inClaimOrder);
    if (state === undefined) return { rows, left: 'nothing' };
    gate.planFor(state.pages);
    remember(rows, request.limit);
    memory.limited = state.limited;
    const nowAt = iso(state.now_at);
    const isSwept = state.swept || memory.sweptAt === nowAt;
    if (state.swept) memory.sweptAt = nowAt;
    if (state.limited) return { rows, left: 'all' };
    if (state.changed || (rows.length < request.limit && marks.length > 0)) return { rows, left: 'take' };
    return { rows, left: rows.length > 0 || isSwept ? 'nothing' : 'all' };
  }

  /** Takes what is left of a claim after everything expired or due was put into the order, under the global limit where there is one. */
  async function claimThoroughly(session: PgSession, request: ClaimRequest, limit: number): Promise<JobRow[]> {
    // The limit's row stays locked to the end of the transaction, so that claims of all processes count one after the other; without a limit
    // there is no row and no lock. The count is a statement of its own: it must see what the holder of the lock before us committed.
    const bound = await session.first<{ value: number }>(`SELECT value FROM {schema}.queue_limits WHERE name = 'running' FOR UPDATE`);
    memory.limited = bound !== undefined;
    const counted = await session.first<{ running: number; pages: number }>(tidyAndCountSql);
    if (counted !== undefined) gate.planFor(counted.pages);
    const room = bound === undefined ? limit : Math.min(limit, bound.value - (counted?.running ?? 0));
    if (room < 1) return [];
    return take(session, request, room);
  }

  async function claim(request: ClaimRequest, again: boolean): Promise<JobRow[]> {
    if (again) {
      const held = await gate.single(undefined, (session) => session.all<JobRow>(heldSql, request.owner, request.token));
      if (held.length > 0) return held;
    }
    const { rows, left } = memory.limited ? { rows: [], left: 'all' as const } : await claimAtOnce(request);
    if (left === 'nothing') return rows;
    memory.marks.clear();
    const limit = request.limit - rows.length;
    const more =
      left === 'take'
        ? await gate.single(undefined, (session) => take(session, request, limit))
        : await gate.together(undefined, (session) => claimThoroughly(session, request, limit), { soft: true });
    return [...rows, ...more];
  }

  return {
    async claim(request) {
      const rows = await gate.surviving((again) => claim(request, again));
      const { owner, token } = request;
      return rows.sort(inClaimOrder).map((row) => ({ job: toJob(row), lease: { jobId: row.id, owner, token } }));
    },
    forgetMarks() {
      memory.marks.clear();
    },
  };
}
