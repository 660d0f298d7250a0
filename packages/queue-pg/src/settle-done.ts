import type { Settlement } from '@criticizer/core';
import { fencesOf } from './fences.js';
import type { PgSession } from './pg-session.js';

type Done = Extract<Settlement, { kind: 'done' }>;

/** True for ends that need no look at their rows: one a job, no mails to ask for, nothing to commit beside them. */
export function arePlainEnds(settlements: readonly Settlement[]): settlements is readonly Done[] {
  const isPlain = (one: Settlement): boolean => one.kind === 'done' && !one.requireNotified && one.effects === undefined;
  return settlements.every(isPlain) && new Set(settlements.map(({ lease }) => lease.jobId)).size === settlements.length;
}

const complete = 'SELECT id::text AS id FROM {schema}.complete_jobs({now}, $1, $2, $3, $4, $5) AS id';
const remove = 'SELECT id::text AS id FROM {schema}.delete_jobs($1, $2, $3) AS id';

function byId(a: Done, b: Done): number {
  return a.lease.jobId < b.lease.jobId ? -1 : 1;
}

const fences = (batch: readonly Done[]) => fencesOf(batch.map(({ lease }) => lease));

/** Ends the jobs that are still owned: one statement for those kept, one for those deleted. Gives their ids; `callId` marks rows for reading back. */
export async function settleDone(session: PgSession, batch: readonly Done[], callId: string): Promise<ReadonlySet<string>> {
  const sorted = [...batch].sort(byId);
  const [kept, removed] = [sorted.filter((one) => one.deleteRow !== true), sorted.filter((one) => one.deleteRow === true)];
  const rows: { id: string }[] = [];
  if (kept.length > 0) {
    const results = kept.map(({ result }) => JSON.stringify(result));
    rows.push(...(await session.all<{ id: string }>(complete, ...fences(kept), results, callId)));
  }
  if (removed.length > 0) rows.push(...(await session.all<{ id: string }>(remove, ...fences(removed))));
  return new Set(rows.map(({ id }) => id));
}
