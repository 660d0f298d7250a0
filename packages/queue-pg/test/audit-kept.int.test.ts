import { randomUUID } from 'node:crypto';
import type { NewAuditEvent, NewEgressRecord } from '@criticizer/core/ports';
import type pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { createLimitedRole } from './limited-role.js';
import { freshSchema, openStores, testPool } from './stores-on-postgres.js';

const pool = testPool(inject('databaseUrl'));
const made: string[] = [];
afterAll(async () => {
  for (const schema of made) await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await pool.end();
});

/** What a delivery and an operator's answer to a dead letter change. */
const changeableColumns = [
  ...['operator_id', 'operator_note', 'operator_status', 'updated_at_utc'].map((name) => `audit_dead_letter.${name}`),
  ...['attempt_count', 'delivered_at_utc', 'delivery_state', 'first_failed_at_utc', 'last_attempt_at_utc'],
  ...['last_error_code', 'last_error_message', 'lease_expires_at_utc', 'lease_owner', 'next_attempt_at_utc'],
  ...['sink_receipt', 'updated_at_utc'],
].map((name) => (name.includes('.') ? name : `audit_outbox.${name}`));

const none = { actorId: null, tenantId: null, traceId: null, requestId: null, targetType: null, targetId: null };
const event: NewAuditEvent = {
  ...none,
  id: randomUUID(),
  occurredAt: null,
  actorType: 'system',
  action: 'a.b',
  resultStatus: 'success',
  httpStatus: null,
  sourceIp: null,
  userAgent: null,
  payload: {},
  payloadSha256: 'a'.repeat(64),
  schemaVersion: 1,
};
const egress: NewEgressRecord = {
  destination: 'llm',
  content: 'code',
  messageKey: null,
  id: randomUUID(),
  jobId: 'j',
  changelistId: 'main/1',
  reviewVersion: 1,
  provider: 'p',
  host: 'h',
  model: 'm',
  promptVersion: '1.1',
  schemaVersion: '1.0',
  paths: [],
  bytes: 1,
  bodySha256: 'a'.repeat(64),
  redactions: {},
  rulesVersion: '1',
  policyHash: 'a'.repeat(64),
};

/** One delivered and one pending delivery of an event, one dead letter, and a seal with its leaf. */
async function filled() {
  const schema = freshSchema();
  made.push(schema);
  const stores = openStores({ pool, schema, migrate: 'auto' });
  await stores.audit.record(event, ['done', 'dead', 'waits']);
  await stores.audit.record({ ...event, id: randomUUID(), action: 'a.alone' }, []);
  const claimed = await stores.audit.claim({
    owner: 'o',
    token: 't',
    leaseMs: 60_000,
    limit: 9,
    destinations: ['done', 'dead'],
  });
  await stores.audit.settle(
    claimed.map(({ delivery, lease }) =>
      delivery.destination === 'done'
        ? { lease, kind: 'delivered' }
        : { lease, kind: 'dead-letter', errorCode: 'E', errorSummary: 's', errorDetails: null },
    ),
  );
  await pool.query(`INSERT INTO ${schema}.audit_seals VALUES (1, 1, 'root', 'none', now(), 'key', 'signature')`);
  await pool.query(
    `INSERT INTO ${schema}.audit_seal_leaves VALUES (1, 0, gen_random_uuid(), now(), 's', 's', 's', 'a', 't', 'p', 'c', 'h')`,
  );
  const count = async (table: string): Promise<unknown> =>
    (await pool.query(`SELECT count(*)::int AS n FROM ${schema}.${table}`)).rows[0];
  return { schema, stores, count };
}

describe('what is kept on PostgreSQL', () => {
  it('AUD-1: audit events, deliveries and dead letters cannot be deleted or emptied', async () => {
    const { schema, count } = await filled();
    for (const statement of [
      `DELETE FROM ${schema}.audit_events`,
      `DELETE FROM ${schema}.audit_events WHERE action = 'a.alone'`,
      `DELETE FROM ${schema}.audit_dead_letter`,
      `DELETE FROM ${schema}.audit_outbox`,
      `DELETE FROM ${schema}.audit_outbox WHERE destination = 'dead'`,
      `DELETE FROM ${schema}.audit_outbox WHERE destination = 'waits'`,
      `DELETE FROM ${schema}.audit_outbox WHERE destination = 'done'`,
      `TRUNCATE ${schema}.audit_events CASCADE`,
      `TRUNCATE ${schema}.audit_outbox CASCADE`,
      `TRUNCATE ${schema}.audit_dead_letter`,
    ])
      await expect(pool.query(statement), statement).rejects.toMatchObject({ code: '23000' });
    expect([await count('audit_events'), await count('audit_outbox'), await count('audit_dead_letter')]).toEqual([
      { n: 2 },
      { n: 3 },
      { n: 1 },
    ]);
  });

  it('AUD-1: no column but those of a delivery and of an ended dead letter takes an update', async () => {
    const { schema } = await filled();
    const { rows } = await pool.query<{ table: string; column: string }>(
      `SELECT table_name AS table, column_name AS column FROM information_schema.columns
        WHERE table_schema = $1 AND table_name LIKE 'audit\\_%'`,
      [schema],
    );
    const changeable: string[] = [];
    for (const { table, column } of rows) {
      const update = pool.query(`UPDATE ${schema}.${table} SET ${column} = ${column}`);
      const refusal: { code?: string } | null = await update.then(
        () => null,
        (error: { code?: string }) => error,
      );
      if (refusal === null) changeable.push(`${table}.${column}`);
      else expect(refusal.code, `${table}.${column}`).toBe('23000');
    }
    expect(changeable.sort()).toEqual(changeableColumns);
  });

  it('AUD-1: the setting of an erasure lets nobody write anything but blanks, and only the owner that', async () => {
    const { schema } = await filled();
    const limited = await createLimitedRole(pool, inject('databaseUrl'), 1);
    await limited.grant(schema);
    const blank = `payload_redacted = '{"_erasure_meta": {}}', actor_id = NULL`;
    const as = async (client: pg.Pool, verb: string, set: string): Promise<string> => {
      const begun = await client.connect();
      try {
        await begun.query(`BEGIN; SELECT set_config('criticizer.audit_verb', '${verb}', true)`);
        await begun.query(`UPDATE ${schema}.audit_events SET ${set}`);
        return 'done';
      } catch (error) {
        return String((error as { code?: string }).code);
      } finally {
        await begun.query('ROLLBACK');
        begun.release();
      }
    };
    try {
      expect(await as(limited.pool, 'erase', blank)).toBe('23000');
      expect(await as(pool, 'prune', blank)).toBe('23000');
      expect(await as(pool, 'erase', blank)).toBe('done');
      for (const set of [
        'actor_id = NULL',
        `${blank}, action = 'a.forged'`,
        `${blank}, occurred_at_utc = now()`,
        `${blank}, tenant_id = 'forged'`,
        ...['actor_id', 'target_id', 'user_agent'].map(
          (column) => `payload_redacted = '{"_erasure_meta": {}}', ${column} = 'forged'`,
        ),
        `payload_redacted = '{"_erasure_meta": {}}', source_ip = '192.0.2.9'`,
      ])
        expect(await as(pool, 'erase', set), set).toBe('23000');
    } finally {
      await limited.drop();
    }
  });

  it('AUD-1: a seal is kept, and of a leaf only salts go, by a verb that the owner runs', async () => {
    const { schema, count } = await filled();
    const [seals, leaves] = [`${schema}.audit_seals`, `${schema}.audit_seal_leaves`];
    for (const statement of [
      `DELETE FROM ${seals}`,
      `DELETE FROM ${leaves}`,
      `TRUNCATE ${seals} CASCADE`,
      `TRUNCATE ${leaves}`,
      `UPDATE ${leaves} SET actor_salt = NULL`,
      ...['leaf_hash', 'actor_digest', 'payload_salt'].map(
        (column) =>
          `BEGIN; SELECT set_config('criticizer.audit_verb', 'erase', true); UPDATE ${leaves} SET ${column} = 'x'; COMMIT`,
      ),
    ])
      await expect(pool.query(statement), statement).rejects.toMatchObject({ code: '23000' });
    await pool.query(
      `BEGIN; SELECT set_config('criticizer.audit_verb', 'erase', true); UPDATE ${leaves} SET payload_salt = NULL; COMMIT`,
    );
    expect([await count('audit_seals'), await count('audit_seal_leaves WHERE payload_salt IS NULL')]).toEqual([
      { n: 1 },
      { n: 1 },
    ]);
  });

  it('EGR-1: rows of the egress log cannot be deleted or emptied', async () => {
    const { schema, stores, count } = await filled();
    await stores.egress.append([egress]);
    for (const statement of [`DELETE FROM ${schema}.egress_log`, `TRUNCATE ${schema}.egress_log`])
      await expect(pool.query(statement), statement).rejects.toMatchObject({ code: '23000' });
    expect(await count('egress_log')).toEqual({ n: 1 });
  });
});
