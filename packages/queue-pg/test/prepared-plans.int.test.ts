import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, expect, inject, it } from 'vitest';
import type { PgNamedStatement } from '../src/shared/pg-database.js';
import { freshSchema, openStores, testPool } from './stores-on-postgres.js';

const pool = testPool(inject('databaseUrl'));
afterAll(() => pool.end());

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: PlanNode[];
}

const scansOf = (node: PlanNode): PlanNode[] =>
  [node, ...(node.Plans ?? []).flatMap(scansOf)].filter((each) => each['Relation Name'] === 'work_queue');

it('WQ-3: a plan kept while the queue was short is not used on a long one', { timeout: 60_000 }, async (context) => {
  if (process.env['CRITICIZER_TEST_POOLER']) {
    console.log('prepared-plans.int.test: skipped behind a transaction pooler: no statement stays prepared there');
    context.skip('no statement stays prepared behind a transaction pooler');
  }
  const schema = freshSchema();
  const narrow = testPool(inject('databaseUrl'), 1);
  const used: PgNamedStatement[] = [];
  narrow.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query(...args: [string | PgNamedStatement]) {
        if (typeof args[0] === 'object') used.push(args[0]);
        return query(...args);
      },
    });
  });
  const stores = openStores({ pool: narrow, schema, migrate: 'auto', preparedStatements: true });
  const fill = (first: number, last: number) =>
    pool.query(
      `INSERT INTO ${schema}.work_queue (id, kind, payload, status, ready, stage, priority, run_at, created_at, updated_at, idempotency_key,
          attempts, lost_leases, outputs, transition_no)
        SELECT lpad(to_hex(n), 32, '0')::uuid, 'review', '{}', 'queued', true, 'fetch', 0, now(), now() + n * interval '1 ms', now(), n, '{}', 0,
          '{}', 1 FROM generate_series(${first}, ${last}) AS n`,
    );
  const claim = async (): Promise<void> => {
    const claimed = await stores.jobs.claim({
      kinds: ['review'],
      owner: 'o',
      token: randomUUID(),
      leaseMs: 60_000,
      limit: 1,
    });
    expect(claimed).toHaveLength(1);
    await stores.jobs.get(claimed.map(({ job }) => job.id));
    await stores.jobs.settle(
      claimed.map(({ lease }) => ({ lease, kind: 'done', result: {}, requireNotified: false }) as const),
    );
  };
  const seqScans = async (statement: PgNamedStatement | undefined): Promise<number> => {
    if (statement === undefined) throw new Error('nothing was prepared');
    const literal = (value: unknown): string => {
      if (value === null) return 'NULL';
      return pg.escapeLiteral(
        Array.isArray(value) ? `{${value.map((each) => JSON.stringify(String(each))).join()}}` : String(value),
      );
    };
    const values = statement.values.map(literal);
    const { rows } = await narrow.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (FORMAT JSON) EXECUTE ${statement.name} (${values.join(', ')})`,
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    return plan === undefined ? -1 : scansOf(plan).filter((node) => node['Node Type'] === 'Seq Scan').length;
  };
  try {
    await stores.jobs.stats();
    await fill(1, 60);
    await pool.query(`ANALYZE ${schema}.work_queue`);
    for (let n = 0; n < 30; n++) await claim();
    const short = used.findLast(({ text }) => text.includes('w.id = ANY($1)'));
    // What this test is about: without it, it would prove nothing.
    expect(await seqScans(short)).toBeGreaterThan(0);
    await fill(1001, 50_000);
    await claim(); // finds the queue grown
    used.length = 0;
    for (let n = 0; n < 10; n++) await claim();
    const statements = new Map(used.map((statement) => [statement.name, statement]));
    expect(statements.size).toBeGreaterThan(1);
    expect(statements.has(short?.name ?? '')).toBe(false);
    for (const statement of statements.values()) expect(await seqScans(statement)).toBe(0);
  } finally {
    await stores.close();
    await narrow.end();
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  }
});
