import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { freshStores, testPool } from './stores-on-postgres.js';

/** Filling a million takes longer than CI should: there it is a fifth of that, and `npm run soak:plan` has them all. */
const manyRows = process.env['MODE'] === 'soak' ? 1_000_000 : 200_000;

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanNode[];
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Behind marks, the scan of each priority begins where the last claim stopped. */
const claims = [
  { name: 'a claim', marks: [] },
  { name: 'a claim behind a mark', marks: [2] },
  { name: 'a claim behind three marks', marks: [2, 1, 0] },
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
}

interface Claimed {
  /** The plans of the statements inside the claim's function, as the server ran them. */
  plans: PlanNode[];
  buffers: number;
}

/** A claim of ten after `runs` others, all of it undone: after five PostgreSQL may settle on a plan for any values. */
async function claimTen(marks: readonly number[], runs: number): Promise<Claimed> {
  const client = await pool.connect();
  const plans: PlanNode[] = [];
  const onNotice = ({ message = '' }: { message?: string | undefined }): void => {
    const at = message.indexOf('{');
    if (at >= 0) plans.push((JSON.parse(message.slice(at)) as { Plan: PlanNode }).Plan);
  };
  const since = marks.map(() => `now() - interval '1 hour'`);
  const sql = `SELECT * FROM ${given.schema}.claim_jobs(now(), ARRAY['review'], 10, 'owner', 'token', 30000, NULL, '{${marks.join()}}',
    ARRAY[${since.join()}]::timestamptz[])`;
  try {
    await client.query('BEGIN');
    for (let n = 0; n < runs; n++) await client.query(sql);
    await client.query(`LOAD 'auto_explain'; SET LOCAL auto_explain.log_min_duration = 0; SET LOCAL auto_explain.log_nested_statements = on;
      SET LOCAL auto_explain.log_format = json; SET LOCAL auto_explain.log_level = notice; SET LOCAL client_min_messages = notice`);
    client.on('notice', onNotice);
    await client.query(sql);
    client.removeListener('notice', onNotice);
    await client.query('SET LOCAL auto_explain.log_min_duration = -1');
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`,
    );
    const whole = rows[0]?.['QUERY PLAN'][0].Plan;
    if (whole === undefined) throw new Error('no plan');
    return { plans, buffers: (whole['Shared Hit Blocks'] ?? 0) + (whole['Shared Read Blocks'] ?? 0) };
  } finally {
    client.removeListener('notice', onNotice);
    await client.query('ROLLBACK');
    client.release();
  }
}

describe('the plan of a claim', () => {
  const few: Record<string, number> = {};
  beforeAll(async () => {
    given = await freshStores(pool);
    await fill(1, 1000, { status: 'queued', ready: true, runAt: 'now()' });
    for (const { name, marks } of claims) few[name] = (await claimTen(marks, 1)).buffers;
    await fill(1001, manyRows, { status: 'queued', ready: true, runAt: 'now()' });
    await fill(manyRows + 1, manyRows + 20_000, { status: 'queued', ready: false, runAt: `now() + interval '1 day'` });
    await fill(manyRows + 20_001, manyRows + 40_000, {
      status: 'completed',
      ready: false,
      runAt: 'now()',
      finishedAt: 'now()',
    });
  }, 120_000);
  afterAll(async () => {
    await given.dispose();
    await pool.end();
  });

  const reading = 'reads its partial index in order, without a sort';
  it.each(claims)(
    `WQ-3: $name ${reading}, among ${manyRows} due rows, however little is known of them`,
    async ({ name, marks }) => {
      for (const runs of [0, 8]) {
        const { plans, buffers } = await claimTen(marks, runs);
        const scans = plans.flatMap(nodesOf).filter((node) => node['Relation Name'] === 'work_queue');
        const indexes = scans.flatMap((node) => node['Index Name'] ?? []);
        expect(indexes).toContain('work_queue_ready');
        expect(new Set(scans.map((node) => node['Node Type']))).toEqual(
          new Set(['Index Scan', 'Index Only Scan', 'Tid Scan', 'ModifyTable']),
        );
        expect(plans.flatMap(nodesOf).map((node) => node['Node Type'])).not.toContain('Sort');
        // A deeper tree costs a page or two a row, a longer queue nothing.
        expect(buffers).toBeLessThan(2 * (few[name] ?? 0));
      }
    },
  );
});
