import type { Settlement } from '@criticizer/core';
import { asUuid, type PgSession } from './pg-session.js';

type Done = Extract<Settlement, { kind: 'done' }>;

/** True for an end that needs no look at its row: no mails to ask for, nothing to commit beside it. */
export function isPlainDone(settlement: Settlement): settlement is Done {
  return settlement.kind === 'done' && !settlement.requireNotified && settlement.effects === undefined;
}

// One statement for the whole batch, fenced row by row (INV-3). The ids come sorted, so the rows are taken in the order in which heartbeats
// take them; where a plan takes them otherwise, the loser of a deadlock runs again. Locking them in order first costs a write a row more.
const complete = `UPDATE {schema}.work_queue AS w SET status = 'completed', finished_at = {now}, result = x.result::json, claimed_by = NULL,
    claim_token = NULL, lease_expires_at = NULL, lost_leases = 0, first_failure_at = NULL, last_failure_at = NULL, last_failure = NULL,
    last_settlement = $5, transition_no = w.transition_no + 1, updated_at = greatest(w.updated_at, {now})
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) AS x(id, owner, token, result)
  WHERE w.id = x.id AND w.claimed_by = x.owner AND w.claim_token = x.token AND w.status = 'running' RETURNING w.id::text AS id`;

// A replay is kept for whoever closes its letter; the general way completes it.
const remove = `DELETE FROM {schema}.work_queue AS w USING unnest($1::uuid[], $2::text[], $3::text[]) AS x(id, owner, token)
  WHERE w.id = x.id AND w.claimed_by = x.owner AND w.claim_token = x.token AND w.status = 'running' AND w.replay_of IS NULL
  RETURNING w.id::text AS id`;

function byId(a: Done, b: Done): number {
  return a.lease.jobId < b.lease.jobId ? -1 : 1;
}

function fences(batch: readonly Done[]): [string[], string[], string[]] {
  return [batch.map(({ lease }) => asUuid(lease.jobId)), batch.map(({ lease }) => lease.owner), batch.map(({ lease }) => lease.token)];
}

/** Ends the jobs that are still owned, all in one statement of one kind; gives their ids. `callId` marks the rows for reading back. */
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
