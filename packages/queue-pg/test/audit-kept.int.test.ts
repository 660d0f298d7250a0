import { randomUUID } from 'node:crypto';
import type { NewAuditEvent, NewEgressRecord } from '@criticizer/core/ports';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { freshSchema, openStores, testPool } from './stores-on-postgres.js';

const pool = testPool(inject('databaseUrl'));
const made: string[] = [];
afterAll(async () => {
  for (const schema of made) await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await pool.end();
});

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

/** One delivered and one pending delivery of an event, and one dead letter. */
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
  const count = async (table: string): Promise<unknown> =>
    (await pool.query(`SELECT count(*)::int AS n FROM ${schema}.${table}`)).rows[0];
  return { schema, stores, count };
}

describe('what is kept on PostgreSQL', () => {
  it('AUD-1: audit events, dead letters and deliveries that are due cannot be deleted or emptied', async () => {
    const { schema, count } = await filled();
    for (const statement of [
      `DELETE FROM ${schema}.audit_events`,
      `DELETE FROM ${schema}.audit_events WHERE action = 'a.alone'`,
      `DELETE FROM ${schema}.audit_dead_letter`,
      `DELETE FROM ${schema}.audit_outbox`,
      `DELETE FROM ${schema}.audit_outbox WHERE destination = 'dead'`,
      `DELETE FROM ${schema}.audit_outbox WHERE destination = 'waits'`,
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
    await pool.query(`DELETE FROM ${schema}.audit_outbox WHERE destination = 'done'`);
    expect(await count('audit_outbox')).toEqual({ n: 2 });
  });

  it('EGR-1: rows of the egress log cannot be deleted or emptied', async () => {
    const { schema, stores, count } = await filled();
    await stores.egress.append([egress]);
    for (const statement of [`DELETE FROM ${schema}.egress_log`, `TRUNCATE ${schema}.egress_log`])
      await expect(pool.query(statement), statement).rejects.toMatchObject({ code: '23000' });
    expect(await count('egress_log')).toEqual({ n: 1 });
  });
});
