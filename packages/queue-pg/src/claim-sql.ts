import { epochMs, foundColumns, jobColumns, span } from './job-row.js';
import { softly } from './pg-gate.js';

/** Scheduled rows one claim moves at most into the ready index, oldest due first. */
const promoteLimit = 1000;

/** Expired leases are looked for by a claim at most this often, but always by one that finds nothing else. */
const sweepEvery = `interval '500 milliseconds'`;

const requeued = `UPDATE {schema}.work_queue AS w SET status = 'queued', ready = true, claimed_by = NULL, claim_token = NULL,
    lease_expires_at = NULL, lost_leases = w.lost_leases + 1, transition_no = w.transition_no + 1, updated_at = greatest(w.updated_at, {now})
  FROM expired WHERE w.id = expired.id`;

const promoted = `UPDATE {schema}.work_queue AS w SET ready = true FROM due WHERE w.id = due.id RETURNING 1`;

const due = `SELECT id FROM {schema}.work_queue WHERE status = 'queued' AND NOT ready AND run_at <= {now}
    ORDER BY run_at LIMIT ${promoteLimit} FOR UPDATE SKIP LOCKED`;

const pages = `(pg_relation_size('{schema}.work_queue') / 8192)::float8 AS pages`;

/** Expired leases back to `queued`, counted (WQ-8). SKIP LOCKED: a row that its owner is renewing or settling is not expired to us. */
export const requeueSql = `WITH expired AS (SELECT id FROM {schema}.work_queue WHERE status = 'running' AND lease_expires_at <= {now}
    ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)
  ${requeued} RETURNING w.id::text AS id, w.kind, w.lost_leases`;

/** What a claim under the global limit does first: nothing scheduled and due, nothing expired is left behind, and what runs is counted. */
export const tidyAndCountSql = `WITH expired AS (SELECT id FROM {schema}.work_queue WHERE status = 'running' AND lease_expires_at <= {now}
    ORDER BY id FOR UPDATE SKIP LOCKED),
  swept AS (${requeued} RETURNING 1),
  due AS (${due}),
  promoted AS (${promoted})
  SELECT ((SELECT count(*) FROM {schema}.work_queue WHERE status = 'running') - (SELECT count(*) FROM swept))::int AS running,
    (SELECT count(*) FROM promoted)::int AS promoted, ${pages}`;

/** Where in the order of one priority the last claim stopped. */
export interface ClaimMark {
  priority: number;
  createdAt: string;
}

/**
 * The due rows in the order of work_queue_ready, so that no plan sorts and the scan stops at the limit. Not `id IN (SELECT … LIMIT …)`, which
 * may run again and claim more than its limit. With marks (`$first` on: priority, created_at of each, highest priority first) the scan of each
 * marked priority begins where the last claim stopped, behind the entries of rows that are gone but that an old snapshot keeps in the index.
 */
function candidates(marks: number, first: number, gate: string): string {
  const rows = (where: string): string => `SELECT id FROM {schema}.work_queue WHERE ready AND kind = ANY($1) ${gate} ${where}
    ORDER BY priority DESC, created_at, id LIMIT $2 FOR UPDATE SKIP LOCKED`;
  if (marks === 0) return rows('');
  const parts: string[] = [];
  for (let n = 0; n < marks; n++) {
    const [priority, createdAt] = [`$${first + 2 * n}::int`, `$${first + 2 * n + 1}::timestamptz`];
    const above = n === 0 ? '' : `AND priority < $${first + 2 * n - 2}::int `;
    parts.push(rows(`${above}AND priority > ${priority}`), rows(`AND priority = ${priority} AND created_at >= ${createdAt}`));
  }
  parts.push(rows(`AND priority < $${first + 2 * marks - 2}::int`));
  return `SELECT id FROM (${parts.map((part, n) => `SELECT id FROM (${part}) AS part${n}`).join('\n  UNION ALL ')}) AS inOrder LIMIT $2`;
}

const take = `UPDATE {schema}.work_queue AS w SET status = 'running', ready = false, claimed_by = $3, claim_token = $4,
    lease_expires_at = {now} + ${span('$5::float8')}, started_at = {now}, waiting_for = NULL, transition_no = w.transition_no + 1,
    updated_at = greatest(w.updated_at, {now}),
    attempts = jsonb_set(w.attempts, ARRAY[w.stage], to_jsonb(coalesce((w.attempts ->> w.stage)::int, 0) + 1))
  FROM candidate WHERE w.id = candidate.id RETURNING ${foundColumns}`;

/** Takes due rows, whatever else is to do. Parameters: kinds, limit, owner, token, lease in ms. */
export const takeSql = `WITH candidate AS (${candidates(0, 6, `AND ${softly}`)}) ${take}, ${epochMs('{now}')} AS now_at`;

/**
 * The claim in one round trip: looks for expired leases where `$6`, the instant of the last look, is old enough; makes scheduled rows ready; and
 * takes due rows, unless either changed the order (`changed`) or a global limit is set (`limited`): then it takes none and the caller goes on.
 */
export function claimSql(marks: number): string {
  return `WITH expired AS (SELECT id FROM {schema}.work_queue WHERE status = 'running' AND lease_expires_at <= {now}
    AND ($6::timestamptz IS NULL OR {now} - $6::timestamptz >= ${sweepEvery}) ORDER BY id FOR UPDATE SKIP LOCKED),
  swept AS (${requeued} RETURNING 1),
  due AS (${due}),
  promoted AS (${promoted}),
  state AS (SELECT EXISTS (SELECT FROM swept) OR EXISTS (SELECT FROM promoted) AS changed,
    EXISTS (SELECT FROM {schema}.queue_limits WHERE name = 'running') AS limited, ${pages} WHERE ${softly}),
  candidate AS (${candidates(marks, 7, 'AND (SELECT NOT changed AND NOT limited FROM state)')}),
  taken AS (${take})
  SELECT state.changed, state.limited, state.pages, ${epochMs('{now}')} AS now_at, $6::timestamptz IS NULL OR {now} - $6::timestamptz >= ${sweepEvery} AS swept,
    taken.* FROM state LEFT JOIN taken ON true`;
}

/** What an earlier run of this claim has taken: it committed, though its answer was lost. */
export const heldSql = `SELECT ${jobColumns} FROM {schema}.work_queue AS w WHERE w.status = 'running' AND w.claimed_by = $1 AND w.claim_token = $2`;
