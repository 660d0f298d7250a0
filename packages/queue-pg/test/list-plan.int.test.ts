import type { Job, OutboxRow } from '@criticizer/core/ports';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createPostgresStores } from '../src/index.js';
import { freshStores, testPool } from './stores-on-postgres.js';

const rows = 50_000;

interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Actual Rows': number;
  Plans?: PlanNode[];
}

const pool = testPool(inject('databaseUrl'));
let given: Awaited<ReturnType<typeof freshStores>>;

const idOf = (n: number): string => {
  const hex = n.toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

async function fill(): Promise<void> {
  await pool.query(
    `INSERT INTO ${given.schema}.notify_outbox (id, changelist_id, review_version, recipient, recipient_key, key, required, via,
        message_artifact_id, message_sha256, status, attempts, phase, possible_duplicate, next_attempt_at, created_at, updated_at)
      SELECT lpad(to_hex(n), 32, '0')::uuid, 'main/' || n, 1, 'r' || n % 500, 'r' || n % 500, 'k' || n, true, 'smtp', 'a', 'b', 'pending', 0,
        'none', false, now(), now(), now() FROM generate_series(1, ${rows}) AS n`,
  );
  await pool.query(
    `INSERT INTO ${given.schema}.work_queue (id, kind, payload, status, ready, stage, priority, run_at, created_at, updated_at,
        idempotency_key, attempts, lost_leases, outputs, transition_no, changelist_id)
      SELECT lpad(to_hex(n), 32, '0')::uuid, 'review', '{}', 'queued', true, 'fetch', 0, now(), now(), now(), n, '{}', 0, '{}', 1,
        'main/' || n % 500 FROM generate_series(1, ${rows}) AS n`,
  );
}

/** Runs a list and explains the statement that it sent. */
async function planOf(
  list: (stores: ReturnType<typeof createPostgresStores>) => Promise<unknown>,
): Promise<PlanNode[]> {
  const sent: { text: string; values: unknown[] }[] = [];
  const client = await pool.connect();
  const record = (statement: string | { text: string; values?: unknown[] }, values?: unknown[]) => {
    const { text, values: own } = typeof statement === 'string' ? { text: statement, values } : statement;
    sent.push({ text, values: own ?? [] });
    return client.query(text, own ?? []);
  };
  try {
    const watched = {
      query: record,
      connect: async () =>
        Object.assign(Object.create(client) as typeof client, { query: record, release: () => undefined }),
    };
    await list(createPostgresStores({ pool: watched, schema: given.schema }));
  } finally {
    client.release();
  }
  const last = sent.find(({ text }) => text.includes(' ORDER BY '));
  if (last === undefined) throw new Error('nothing was sent');
  const { rows: plans } = await pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${last.text}`,
    last.values,
  );
  const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
  const plan = plans[0]?.['QUERY PLAN'][0].Plan;
  return plan === undefined ? [] : nodesOf(plan);
}

describe('the plan of a list', () => {
  beforeAll(async () => {
    given = await freshStores(pool);
    await fill();
    await pool.query(`ANALYZE ${given.schema}.notify_outbox, ${given.schema}.work_queue`);
  }, 60_000);
  afterAll(async () => {
    await given.dispose();
    await pool.end();
  });

  const before = idOf(rows / 2);
  const lists: readonly (readonly [
    name: string,
    index: string,
    list: (stores: ReturnType<typeof createPostgresStores>) => Promise<readonly (Job | OutboxRow)[]>,
  ])[] = [
    ['a page of jobs', 'work_queue_pkey', ({ jobs }) => jobs.list({ before, limit: 20 })],
    [
      'the jobs of a change',
      'work_queue_change',
      ({ jobs }) => jobs.list({ changelistId: 'main/7', before, limit: 20 }),
    ],
    ['a page of mails', 'notify_outbox_pkey', ({ outbox }) => outbox.list({ before, limit: 20 })],
    ['the mail of a key', 'notify_outbox_key', ({ outbox }) => outbox.list({ key: 'k7' })],
    [
      'the mails of a recipient',
      'notify_outbox_recipient',
      ({ outbox }) => outbox.list({ recipientKey: 'r7', before, limit: 20 }),
    ],
  ];
  it.each(lists)(`WQ-1: %s reads %s, and no more than its page, among ${rows} rows`, async (_, index, list) => {
    const nodes = await planOf(list);
    expect(nodes.flatMap((node) => node['Index Name'] ?? [])).toEqual([index]);
    expect(Math.max(...nodes.map((node) => node['Actual Rows']))).toBeLessThanOrEqual(20);
  });
});
