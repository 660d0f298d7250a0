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
  await pool.query(
    `INSERT INTO ${given.schema}.audit_events (id, occurred_at_utc, actor_type, actor_id, tenant_id, action, result_status, payload_redacted,
        payload_hash_sha256, created_at_utc)
      SELECT lpad(to_hex(n), 32, '0')::uuid, to_timestamp(n), 'system', 'actor' || n % 20, 'tenant' || n % 20, 'action' || n % 20, 'success', '{}', 'x',
        to_timestamp(n) FROM generate_series(1, ${rows}) AS n`,
  );
  await pool.query(
    `INSERT INTO ${given.schema}.audit_outbox (id, audit_event_id, destination, idempotency_key, delivery_state, next_attempt_at_utc,
        created_at_utc, updated_at_utc)
      SELECT e.id, e.id, 'siem' || n % 500, 'k' || n, CASE WHEN n % 500 = 7 THEN 'retry_wait' ELSE 'delivered' END, now(), now(), now()
        FROM ${given.schema}.audit_events AS e, LATERAL (SELECT extract(epoch FROM e.occurred_at_utc)::int AS n) AS place`,
  );
  await pool.query(
    `INSERT INTO ${given.schema}.audit_dead_letter (id, outbox_id, audit_event_id, destination, final_attempt_count, first_failed_at_utc,
        dead_lettered_at_utc, error_summary, operator_status, updated_at_utc)
      SELECT e.id, e.id, e.id, 'siem' || n % 500, 5, now(), e.occurred_at_utc, 'x', CASE WHEN n % 500 = 7 THEN 'open' ELSE 'resolved' END, now()
        FROM ${given.schema}.audit_events AS e, LATERAL (SELECT extract(epoch FROM e.occurred_at_utc)::int AS n) AS place`,
  );
  await pool.query(
    `INSERT INTO ${given.schema}.egress_log (id, destination, content, job_id, changelist_id, review_version, provider, host, paths, bytes,
        body_sha256, redactions, recorded_at)
      SELECT 'e' || n, CASE n % 20 WHEN 7 THEN 'mail' ELSE 'llm' END, 'code', 'j' || n % 20, 'main/' || n % 20, 1, 'p', 'h', '[]', 1, 'x', '{}', to_timestamp(n)
        FROM generate_series(1, ${rows}) AS n`,
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
    const tables = ['notify_outbox', 'work_queue', 'audit_events', 'audit_outbox', 'audit_dead_letter', 'egress_log'];
    await pool.query(`ANALYZE ${tables.map((table) => `${given.schema}.${table}`).join(', ')}`);
  }, 60_000);
  afterAll(async () => {
    await given.dispose();
    await pool.end();
  });

  const before = idOf(rows / 2);
  const placeKeys = new Set(['audit_events_pkey', 'audit_dead_letter_pkey', 'egress_log_id_key', 'egress_log_pkey']);
  const lists: readonly (readonly [
    name: string,
    index: string,
    list: (stores: ReturnType<typeof createPostgresStores>) => Promise<unknown>,
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
    ['failed jobs', 'work_queue_failed', ({ jobs }) => jobs.list({ status: 'failed', before, limit: 20 })],
    ['mails of a change', 'notify_outbox_change', ({ outbox }) => outbox.list({ changelistId: 'main/7', limit: 20 })],
    ['failed mails', 'notify_outbox_status', ({ outbox }) => outbox.list({ status: 'failed', before, limit: 20 })],
    ['audit events', 'idx_audit_events_occurred_at', ({ audit }) => audit.list({ before, limit: 20 })],
    ['an action', 'idx_audit_events_action', ({ audit }) => audit.list({ action: 'action7', before, limit: 20 })],
    ['an actor', 'idx_audit_events_actor_id', ({ audit }) => audit.list({ actorId: 'actor7', before, limit: 20 })],
    ['a tenant', 'idx_audit_events_tenant', ({ audit }) => audit.list({ tenantId: 'tenant7', before, limit: 20 })],
    ['audit deliveries', 'audit_outbox_pkey', ({ audit }) => audit.listDeliveries({ before, limit: 20 })],
    [
      'audit deliveries that wait',
      'idx_audit_outbox_state',
      ({ audit }) => audit.listDeliveries({ state: 'retry_wait', before, limit: 20 }),
    ],
    [
      'audit deliveries to a sink',
      'idx_audit_outbox_destination',
      ({ audit }) => audit.listDeliveries({ destination: 'siem9', before, limit: 20 }),
    ],
    [
      'audit deliveries of an event',
      'idx_audit_outbox_event',
      ({ audit }) => audit.listDeliveries({ auditEventId: idOf(7), limit: 20 }),
    ],
    ['audit dead letters', 'idx_audit_dead_letter_time', ({ audit }) => audit.listDeadLetters({ before, limit: 20 })],
    [
      'open audit dead letters',
      'idx_audit_dead_letter_status_time',
      ({ audit }) => audit.listDeadLetters({ operatorStatus: 'open', before, limit: 20 }),
    ],
    [
      'audit dead letters of a sink',
      'idx_audit_dead_letter_destination',
      ({ audit }) => audit.listDeadLetters({ destination: 'siem9', before, limit: 20 }),
    ],
    ['egress records', 'egress_log_time', ({ egress }) => egress.list({ before: 'e30000', limit: 20 })],
    ['egress of a change', 'egress_log_change', ({ egress }) => egress.list({ changelistId: 'main/7', limit: 20 })],
    ['egress of a job', 'egress_log_job', ({ egress }) => egress.list({ jobId: 'j7', limit: 20 })],
    [
      'egress of a destination',
      'egress_log_destination',
      ({ egress }) => egress.list({ destination: 'mail', limit: 20 }),
    ],
  ];
  it.each(lists)(`WQ-1: %s reads %s, and no more than its page, among ${rows} rows`, async (_, index, list) => {
    const nodes = await planOf(list);
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort');
    // The row of `before` is found by its key; the page itself by the index of the list.
    expect(
      nodes.flatMap((node) => node['Index Name'] ?? []).filter((name) => !placeKeys.has(name) || name === index),
    ).toEqual([index]);
    expect(Math.max(...nodes.map((node) => node['Actual Rows']))).toBeLessThanOrEqual(20);
  });
});
