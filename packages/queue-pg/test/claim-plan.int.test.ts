import { afterAll, expect, inject, it } from 'vitest';
import { takeSql } from '../src/claim-sql.js';
import { freshStores, testPool } from './stores-on-postgres.js';

const pool = testPool(inject('databaseUrl'));
afterAll(() => pool.end());

interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  Plans?: PlanNode[];
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

it('WQ-3: the claim reads its partial index in order, without a sort, whatever lies beside the due rows', async () => {
  const given = await freshStores(pool);
  const { schema } = given;
  const fill = (where: string, count: number) =>
    pool.query(`INSERT INTO ${schema}.work_queue (id, kind, payload, status, ready, stage, priority, run_at, created_at, updated_at, finished_at,
        idempotency_key, attempts, lost_leases, outputs, transition_no)
      SELECT gen_random_uuid(), 'review', '{}', ${where}, 'fetch', n % 3, now(), now(), now(), NULL, gen_random_uuid(), '{}', 0, '{}', 1
      FROM generate_series(1, ${count}) AS n`);
  await fill(`'queued', true`, 5000);
  await fill(`'queued', false`, 5000);
  await pool.query(`ANALYZE ${schema}.work_queue`);
  const sql = takeSql.replaceAll('{schema}', schema).replaceAll('{now}', 'statement_timestamp()');
  const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`EXPLAIN (FORMAT JSON) ${sql}`, [
    ['review'],
    10,
    'owner',
    'token',
    30_000,
  ]);
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
  if (plan === undefined) throw new Error('no plan');
  const nodes = nodesOf(plan);
  expect(nodes.map((node) => node['Index Name'])).toContain('work_queue_ready');
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort');
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  await given.dispose();
});
