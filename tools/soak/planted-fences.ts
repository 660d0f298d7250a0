// The fences of a settlement, one by one, taken out of the real queue: the soak must convict each
// by the tokens of what was acknowledged.
import { fileURLToPath } from 'node:url';
import type { PlantedEdit } from '../testing/process-bundle.js';

export interface PlantedFence {
  /** Which fence of which store, and what is missing. */
  name: string;
  store: 'pg' | 'sqlite';
  /** What is missing: the whole fence, or its token, so that one process may settle what it has claimed anew. */
  missing: 'fence' | 'token';
  /** Edits of sources that the workers are bundled with. */
  sources: readonly PlantedEdit[];
  /** Edits of a function of the database. */
  sql: readonly { function: string; find: string; replace: string }[];
}

const source = (path: string) => fileURLToPath(new URL(`../../packages/${path}`, import.meta.url));
const pgSettle = source('queue-pg/src/jobs/settle-jobs.ts');
const sqliteSettle = source('queue-sqlite/src/jobs/settle-jobs.ts');

function inFunction(name: string, owner: string, token: string): PlantedFence[] {
  const planted = (missing: PlantedFence['missing'], find: string): PlantedFence => ({
    name: `${name} without its ${missing}`,
    store: 'pg',
    missing,
    sources: [],
    sql: [{ function: name, find, replace: '' }],
  });
  return [
    planted('fence', ` AND w.claimed_by = ${owner} AND w.claim_token = ${token}`),
    planted('token', ` AND w.claim_token = ${token}`),
  ];
}

function inSources(
  name: string,
  store: PlantedFence['store'],
  missing: PlantedFence['missing'],
  sources: readonly PlantedEdit[],
) {
  return { name: `${name} without its ${missing}`, store, missing, sources, sql: [] } satisfies PlantedFence;
}

const edit = (file: string, find: string, replace = ''): PlantedEdit => ({ file, find, replace });

const leases = 'unnest($1::uuid[], $2::text[], $3::text[])';
const locked = `(w.id, w.claimed_by, w.claim_token)\n      IN (SELECT * FROM ${leases})`;
/** A condition with the same parameters that says nothing. */
const always = { fence: "AND ? <> '' AND ? <> ''", token: "AND claimed_by = ? AND ? <> ''" };

/** Each fence of each store twice: gone, and without the token. */
export const plantedFences: readonly PlantedFence[] = [
  ...inFunction('complete_jobs', 'x.owner', 'x.token'),
  ...inFunction('delete_jobs', 'x.owner', 'x.token'),
  ...inFunction('delete_runs', 'owners[n]', 'tokens[n]'),
  inSources('settle_jobs', 'pg', 'fence', [
    edit(pgSettle, locked, `w.id IN (SELECT x.id FROM ${leases} AS x(id, owner, token))`),
    edit(pgSettle, ' || before.job.claimedBy !== lease.owner || before.token !== lease.token'),
    edit(pgSettle, ' AND w.claimed_by = s.owner AND w.claim_token = s.token'),
    edit(pgSettle, ' AND claimed_by = $2 AND claim_token = $3', ' AND $2::text IS NOT NULL AND $3::text IS NOT NULL'),
  ]),
  inSources('settle_jobs', 'pg', 'token', [
    edit(pgSettle, locked, `(w.id, w.claimed_by) IN (SELECT x.id, x.owner FROM ${leases} AS x(id, owner, token))`),
    edit(pgSettle, ' || before.token !== lease.token'),
    edit(pgSettle, ' AND w.claim_token = s.token'),
    edit(pgSettle, ' AND claim_token = $3', ' AND $3::text IS NOT NULL'),
  ]),
  ...(['fence', 'token'] as const).map((missing) =>
    inSources('SQLite settle', 'sqlite', missing, [
      edit(
        sqliteSettle,
        'const fence = `id = ? AND claimed_by = ? AND claim_token = ?',
        `const fence = \`id = ? ${always[missing]}`,
      ),
      edit(sqliteSettle, 'WHERE id = ? AND claimed_by = ? AND claim_token = ?', `WHERE id = ? ${always[missing]}`),
      edit(
        sqliteSettle,
        " AND claimed_by = ? AND claim_token = ?\n  AND status = 'running' AND replay_of",
        ` ${always[missing]}\n  AND status = 'running' AND replay_of`,
      ),
    ]),
  ),
];
