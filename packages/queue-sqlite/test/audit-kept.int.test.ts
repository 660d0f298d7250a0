import { randomUUID } from 'node:crypto';
import type { NewAuditEvent, NewEgressRecord } from '@criticizer/core/ports';
import { afterEach, describe, expect, it } from 'vitest';
import { openSqlite } from '../src/shared/sqlite-database.js';
import { createSqliteStores } from '../src/sqlite-stores.js';

const opened: { close?(): void }[] = [];
afterEach(() => {
  for (const database of opened.splice(0)) database.close?.();
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
  const database = openSqlite(':memory:');
  opened.push(database);
  const stores = createSqliteStores({ database, migrate: 'auto' });
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
  database.exec(`INSERT INTO audit_seals VALUES (1, 1, 'root', 'none', 0, 'key', 'signature')`);
  database.exec(`INSERT INTO audit_seal_leaves VALUES (1, 0, 'event', 0, 's', 's', 's', 'a', 't', 'p', 'c', 'h')`);
  const count = (table: string): unknown => database.prepare(`SELECT count(*) AS n FROM ${table}`).all()[0];
  return { database, stores, count };
}

describe('what is kept on SQLite', () => {
  it('AUD-1: audit events, deliveries and dead letters cannot be deleted or replaced', async () => {
    const { database, count } = await filled();
    for (const statement of [
      'DELETE FROM audit_events',
      `DELETE FROM audit_events WHERE action = 'a.alone'`,
      'DELETE FROM audit_dead_letter',
      'DELETE FROM audit_outbox',
      `DELETE FROM audit_outbox WHERE destination = 'dead'`,
      `DELETE FROM audit_outbox WHERE destination = 'waits'`,
      `DELETE FROM audit_outbox WHERE destination = 'done'`,
      'REPLACE INTO audit_events SELECT * FROM audit_events',
      'REPLACE INTO audit_outbox SELECT * FROM audit_outbox',
      'REPLACE INTO audit_dead_letter SELECT * FROM audit_dead_letter',
    ])
      expect(() => database.exec(statement), statement).toThrow(/are kept/);
    expect([count('audit_events'), count('audit_outbox'), count('audit_dead_letter')]).toEqual([
      { n: 2 },
      { n: 3 },
      { n: 1 },
    ]);
  });

  it('AUD-1: no column but those of a delivery and of an ended dead letter takes an update', async () => {
    const { database } = await filled();
    const columns = database
      .prepare(
        `SELECT m.name AS "table", c.name AS "column" FROM sqlite_master AS m, pragma_table_info(m.name) AS c
          WHERE m.type = 'table' AND m.name LIKE 'audit\\_%' ESCAPE '\\' AND m.name <> 'audit_verb'`,
      )
      .all() as { table: string; column: string }[];
    const changeable = columns.filter(({ table, column }) => {
      try {
        database.exec(`UPDATE ${table} SET ${column} = ${column}`);
        return true;
      } catch (error) {
        expect(String(error), `${table}.${column}`).toMatch(/never change|only status, note and operator/);
        return false;
      }
    });
    expect(changeable.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(changeableColumns);
  });

  it('AUD-1: the mark of an erasure lets nobody write anything but blanks', async () => {
    const { database } = await filled();
    const blank = `payload_redacted = '{"_erasure_meta": {}}', actor_id = NULL`;
    const as = (verb: string, set: string): string => {
      database.exec(`BEGIN; INSERT INTO audit_verb (verb) VALUES ('${verb}')`);
      try {
        database.exec(`UPDATE audit_events SET ${set}`);
        return 'done';
      } catch (error) {
        return String((error as Error).message);
      } finally {
        database.exec('ROLLBACK');
      }
    };
    expect(as('prune', blank)).toMatch(/never change/);
    expect(as('erase', blank)).toBe('done');
    for (const set of [
      'actor_id = NULL',
      ...['action', 'tenant_id', 'trace_id', 'request_id', 'target_type', 'id'].map((c) => `${blank}, ${c} = 'forged'`),
      ...['occurred_at_utc', 'created_at_utc', 'schema_version', 'http_status'].map((c) => `${blank}, ${c} = 7`),
      `${blank}, actor_type = 'admin_user'`,
      `${blank}, result_status = 'failure'`,
      ...['actor_id', 'target_id', 'user_agent', 'source_ip'].map(
        (column) => `payload_redacted = '{"_erasure_meta": {}}', ${column} = 'forged'`,
      ),
    ])
      expect(as('erase', set), set).toMatch(/never change/);
  });

  it('AUD-1: a seal is kept, and of a leaf only salts go, while a verb runs', async () => {
    const { database, count } = await filled();
    for (const statement of [
      'DELETE FROM audit_seals',
      'DELETE FROM audit_seal_leaves',
      'REPLACE INTO audit_seals SELECT * FROM audit_seals',
      'REPLACE INTO audit_seal_leaves SELECT * FROM audit_seal_leaves',
      'UPDATE audit_seal_leaves SET actor_salt = NULL',
    ])
      expect(() => database.exec(statement), statement).toThrow(/are kept|never change/);
    database.exec(`INSERT INTO audit_verb VALUES ('erase')`);
    for (const column of ['leaf_hash', 'actor_digest', 'payload_salt'])
      expect(() => database.exec(`UPDATE audit_seal_leaves SET ${column} = 'x'`)).toThrow(/never change/);
    database.exec('UPDATE audit_seal_leaves SET payload_salt = NULL');
    expect([count('audit_seals'), count('audit_seal_leaves WHERE payload_salt IS NULL')]).toEqual([{ n: 1 }, { n: 1 }]);
  });

  it('EGR-1: rows of the egress log cannot be deleted or replaced', async () => {
    const { database, stores, count } = await filled();
    await stores.egress.append([egress]);
    for (const statement of ['DELETE FROM egress_log', 'REPLACE INTO egress_log SELECT * FROM egress_log'])
      expect(() => database.exec(statement), statement).toThrow(/append only/);
    expect(count('egress_log')).toEqual({ n: 1 });
  });
});
