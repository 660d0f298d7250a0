import type { Settlement } from '@criticizer/core';
import { fencesOf } from './fences.js';
import type { PgSession } from './pg-session.js';
import { textArray } from './text-array.js';

type Done = Extract<Settlement, { kind: 'done' }>;

const isPlain = (one: Settlement): one is Done => one.kind === 'done' && !one.requireNotified && one.effects === undefined;

/** True for ends that need no look at their rows and go in one statement: one a job, all kept or all deleted, no mails to ask for, no effects. */
export function arePlainEnds(settlements: readonly Settlement[]): settlements is readonly Done[] {
  if (!settlements.every(isPlain)) return false;
  const jobs = new Set(settlements.map(({ lease }) => lease.jobId));
  return jobs.size === settlements.length && new Set(settlements.map(({ deleteRow }) => deleteRow === true)).size === 1;
}

// The ids in one text: a driver spends more on a row than on its id.
const complete = `SELECT string_agg(id::text, ',') AS ids FROM {schema}.complete_jobs({now}, $1, $2, $3, $4, $5) AS id`;
const remove = `SELECT string_agg(id::text, ',') AS ids FROM {schema}.delete_jobs($1, $2, $3) AS id`;

/** Ends the jobs that are still owned, in one statement; gives their ids. `callId` marks the rows that stay, for reading back. */
export async function settleDone(session: PgSession, ends: readonly Done[], callId: string): Promise<ReadonlySet<string>> {
  const sorted = [...ends].sort((a, b) => (a.lease.jobId < b.lease.jobId ? -1 : 1));
  const fences = fencesOf(sorted.map(({ lease }) => lease));
  const results = (): string => textArray(sorted.map(({ result }) => JSON.stringify(result)));
  const row =
    sorted[0]?.deleteRow === true
      ? await session.first<{ ids: string | null }>(remove, ...fences)
      : await session.first<{ ids: string | null }>(complete, ...fences, results(), callId);
  return new Set(row?.ids?.split(','));
}
