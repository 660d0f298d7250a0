import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { claimSql, takeSql } from '../src/claim-sql.js';
import { createDialect } from '../src/pg-session.js';
import { freshStores, testPool } from './stores-on-postgres.js';

/** Filling a million takes longer than CI should: there it is a fifth of that, and `npm run soak:plan` has them all. */
const manyRows = process.env['MODE'] === 'soak' ? 1_000_000 : 200_000;

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Subplan Name'?: string;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanNode[];
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Each statement that takes rows, with its parameters as SQL: behind marks, the scan of each priority begins where the last claim stopped. */
const taking = [
  { name: 'a claim', sql: claimSql(0), values: `NULL` },
  { name: 'a claim behind a mark', sql: claimSql(1), values: `NULL, 2, now() - interval '1 hour'` },
  {
    name: 'a claim behind three marks',
    sql: claimSql(3),
    values: `NULL, 2, now() - interval '1 hour', 1, now() - interval '1 hour', 0, now() - interval '1 hour'`,
  },
  { name: 'a claim under the global limit', sql: takeSql, values: undefined },
];

const pool = testPool(inject('databaseUrl'));
let given: Awaited<ReturnType<typeof freshStores>>;

/** Rows as enqueue makes them, ids in the order of created_at, over three priorities. */
async function fill(
  first: number,
  last: number,
  columns: { status: string; ready: boolean; runAt: string; finishedAt?: string },
): Promise<void> {
  const { status, ready, runAt, finishedAt = 'NULL' } = columns;
  await pool.query(
    `INSERT INTO ${given.schema}.work_queue (id, kind, payload, status, ready, stage, priority, run_at, created_at, updated_at, finished_at,
        idempotency_key, attempts, lost_leases, outputs, transition_no)
      SELECT lpad(to_hex(n), 32, '0')::uuid, 'review', '{}', '${status}', ${ready}, 'fetch', n % 3, ${runAt}, now() + n * interval '1 ms', now(),
        ${finishedAt}, n, '{}', 0, '{}', 1 FROM generate_series(${first}, ${last}) AS n`,
  );
  await pool.query(`ANALYZE ${given.schema}.work_queue`);
}

/** The plan of a prepared statement's run after `runs` others, all of it undone: after five PostgreSQL may settle on a plan for any values. */
async function planOf(sql: string, values: string | undefined, runs: number): Promise<PlanNode> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`PREPARE claim AS ${createDialect(given.schema).fill(sql).text}`);
    const all = [`ARRAY['review']`, '10', `'owner'`, `'token'`, '30000', ...(values === undefined ? [] : [values])].join(', ');
    for (let n = 0; n < runs; n++) await client.query(`EXECUTE claim (${all})`);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE claim (${all})`,
    );
    await client.query('DEALLOCATE claim');
    const [row] = rows;
    if (row === undefined) throw new Error('no plan');
    return row['QUERY PLAN'][0].Plan;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

const buffersOf = (plan: PlanNode): number => (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);

describe('the plan of a claim', () => {
  const few: Record<string, number> = {};
  beforeAll(async () => {
    given = await freshStores(pool);
    await fill(1, 1000, { status: 'queued', ready: true, runAt: 'now()' });
    for (const { name, sql, values } of taking) few[name] = buffersOf(await planOf(sql, values, 0));
    await fill(1001, manyRows, { status: 'queued', ready: true, runAt: 'now()' });
    await fill(manyRows + 1, manyRows + 20_000, { status: 'queued', ready: false, runAt: `now() + interval '1 day'` });
    await fill(manyRows + 20_001, manyRows + 40_000, { status: 'completed', ready: false, runAt: 'now()', finishedAt: 'now()' });
  }, 120_000);
  afterAll(async () => {
    await given.dispose();
    await pool.end();
  });

  it.each(taking)(
    `WQ-3: $name reads its partial index in order, without a sort, among ${manyRows} due rows`,
    async ({ name, sql, values }) => {
      for (const runs of [0, 8]) {
        const plan = await planOf(sql, values, runs);
        const candidate = nodesOf(plan).find((node) => node['Subplan Name'] === 'CTE candidate');
        if (candidate === undefined) throw new Error('no candidates in the plan');
        const nodes = nodesOf(candidate);
        expect(new Set(nodes.flatMap((node) => node['Index Name'] ?? []))).toEqual(new Set(['work_queue_ready']));
        expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort');
        const scanned = nodesOf(plan).filter((node) => node['Relation Name'] === 'work_queue');
        expect(scanned.map((node) => node['Node Type'])).not.toContain('Seq Scan');
        // A deeper tree costs a page or two a row, a longer queue nothing.
        expect(buffersOf(plan)).toBeLessThan(2 * (few[name] ?? 0));
      }
    },
  );
});
