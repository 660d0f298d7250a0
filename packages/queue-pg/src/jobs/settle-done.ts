import type { Lease, Settlement } from '@criticizer/core/ports';
import { fencesOf, idArray } from '../shared/fences.js';
import { asUuid, type PgSession } from '../shared/pg-session.js';
import { textArray } from '../shared/text-array.js';

type Done = Extract<Settlement, { kind: 'done' }>;

const isPlain = (one: Settlement): one is Done =>
  one.kind === 'done' && !one.requireNotified && one.effects === undefined;

/**
 * True for ends that need no look at their rows and go in one statement: one a job, all kept or all
 * deleted, no mails to ask for, no effects.
 */
export function arePlainEnds(settlements: readonly Settlement[]): settlements is readonly Done[] {
  if (!settlements.every(isPlain)) return false;
  const jobs = new Set(settlements.map(({ lease }) => lease.jobId));
  return jobs.size === settlements.length && new Set(settlements.map(({ deleteRow }) => deleteRow === true)).size === 1;
}

// The ids in one text: a driver spends more on a row than on its id.
const complete = `SELECT string_agg(id::text, ',') AS ids FROM {schema}.complete_jobs({now}, $1, $2, $3, $4, $5) AS id`;
const remove = `SELECT string_agg(id::text, ',') AS ids FROM {schema}.delete_jobs($1, $2, $3) AS id`;
// The ids only where some are missing.
const removeRuns = `SELECT CASE WHEN cardinality(d.ids) < $5 THEN nullif(array_to_string(d.ids, ','), '') ELSE 'all' END AS ids
  FROM {schema}.delete_runs($1, $2, $3, $4) AS d(ids)`;

/** Fewer neighbours of one claim than these are quicker found one by one. */
const leastInRun = 8;

/** Neighbours under one lease of many, as `delete_runs` takes them. */
function runsOf(leases: readonly Lease[]): [ends: number[], owners: string[], tokens: string[]] {
  const lasts = leases.flatMap(({ owner, token }, n) =>
    leases[n + 1]?.token === token && leases[n + 1]?.owner === owner ? [] : [n],
  );
  const heads = lasts.map((n) => leases[n] as Lease);
  return [lasts.map((n) => n + 1), heads.map(({ owner }) => owner), heads.map(({ token }) => token)];
}

async function deleteDone(session: PgSession, leases: readonly Lease[]): Promise<string | null | undefined> {
  const [ends, owners, tokens] = runsOf(leases);
  if (ends.length * leastInRun > leases.length)
    return (await session.first<{ ids: string | null }>(remove, ...fencesOf(leases)))?.ids;
  const values = [idArray(leases), `{${ends.join()}}`, textArray(owners), textArray(tokens), leases.length];
  return (await session.first<{ ids: string }>(removeRuns, ...values))?.ids;
}

/**
 * Ends the jobs that are still owned, in one statement; gives what it did not end. `callId` marks
 * the rows that stay, for reading back.
 */
export async function settleDone(session: PgSession, ends: readonly Done[], callId: string): Promise<readonly Done[]> {
  const sorted = [...ends].sort((a, b) => (a.lease.jobId < b.lease.jobId ? -1 : 1));
  const leases = sorted.map(({ lease }) => lease);
  const results = (): string => textArray(sorted.map(({ result }) => JSON.stringify(result)));
  const ids =
    sorted[0]?.deleteRow === true
      ? await deleteDone(session, leases)
      : (await session.first<{ ids: string | null }>(complete, ...fencesOf(leases), results(), callId))?.ids;
  if (ids === 'all') return [];
  const ended = new Set(ids?.split(','));
  return ended.size === ends.length ? [] : ends.filter(({ lease }) => !ended.has(asUuid(lease.jobId)));
}
