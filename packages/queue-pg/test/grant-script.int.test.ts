import { randomUUID } from 'node:crypto';
import type { NewAuditEvent } from '@criticizer/core/ports';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { appRights, createGrantScript } from '../src/grant-script.js';
import { migrationSteps } from '../src/migrations.js';
import { createGrantedRoles, type GrantedRoles } from './granted-roles.js';
import { freshSchema, openStores, testPool } from './stores-on-postgres.js';

const superuser = testPool(inject('databaseUrl'), 3);
const schema = freshSchema();
let roles: GrantedRoles;
const none = { tenantId: null, traceId: null, requestId: null, targetType: null, targetId: null, httpStatus: null };
const event = (): NewAuditEvent => ({
  ...{ ...none, id: randomUUID(), occurredAt: new Date(0), actorType: 'admin_user', actorId: 'bob', action: 'a.b' },
  ...{ resultStatus: 'success', sourceIp: null, userAgent: null, payload: {}, payloadSha256: 'a'.repeat(64) },
  schemaVersion: 1,
});
const blank = { payload: { _erasure_meta: {} }, payloadSha256: 'b'.repeat(64) };
const erasure = { subjectId: 'bob', targetTypes: null, ...blank, limit: 10 };
const pruning = { olderThanMs: 1, includeDeadLetters: false, limit: 10, after: null };

beforeAll(async () => {
  roles = await createGrantedRoles(superuser, inject('databaseUrl'), { hasKeeper: true });
  await openStores({ pool: superuser, schema }).migrate();
  await roles.grant(schema);
});
afterAll(async () => {
  await roles.drop();
  await superuser.query(`DROP SCHEMA ${schema} CASCADE`);
  await superuser.end();
});

const tables = ['audit_events', 'audit_outbox', 'audit_dead_letter', 'audit_seals', 'audit_seal_leaves'] as const;

/** The SQLSTATE with which a statement is refused, or `done`; whatever it did is rolled back. */
async function outcome(pool: pg.Pool, sql: string): Promise<string> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(sql);
    return 'done';
  } catch (error) {
    return String((error as { code?: string }).code);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

describe('the grant script', () => {
  it('AUD-1: names every table that a migration makes', () => {
    const made = migrationSteps.flatMap(({ sql }) =>
      [...sql.matchAll(/^CREATE TABLE (?:IF NOT EXISTS )?\{schema\}\.(\w+)/gm)].map(([, name = '']) => name),
    );
    expect([...new Set(made)].sort()).toEqual(Object.keys(appRights).sort());
  });

  it('AUD-1: the application can neither change, delete, empty nor drop what is kept, nor switch a trigger off', async () => {
    await openStores({ pool: roles.pools.app, schema }).audit.record(event(), ['siem']);
    const { rows } = await superuser.query<{ table: string; trigger: string }>(
      `SELECT c.relname AS table, t.tgname AS trigger FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
        WHERE c.relnamespace = to_regnamespace($1) AND NOT t.tgisinternal AND c.relname LIKE 'audit%'`,
      [schema],
    );
    expect(rows.length).toBeGreaterThan(8);
    const mark = (verb: string): string => `SELECT set_config('criticizer.audit_verb', '${verb}', true)`;
    const statements = [
      ...tables.flatMap((table) => [
        `DELETE FROM ${schema}.${table}`,
        `TRUNCATE ${schema}.${table} CASCADE`,
        `DROP TABLE ${schema}.${table} CASCADE`,
        `ALTER TABLE ${schema}.${table} DISABLE TRIGGER USER`,
      ]),
      ...rows.map(({ table, trigger }) => `DROP TRIGGER ${trigger} ON ${schema}.${table}`),
      `${mark('prune')}; DELETE FROM ${schema}.audit_events`,
      `${mark('erase')}; UPDATE ${schema}.audit_events SET payload_redacted = '{"_erasure_meta": {}}'`,
      `UPDATE ${schema}.audit_events SET action = 'a.c'`,
      `UPDATE ${schema}.audit_outbox SET destination = 'elsewhere'`,
      `UPDATE ${schema}.audit_dead_letter SET error_summary = 'x'`,
      'SET session_replication_role = replica',
      `SET ROLE ${roles.owner}`,
      `CREATE OR REPLACE FUNCTION ${schema}.has_audit_verb(verb text, relation oid) RETURNS boolean LANGUAGE sql AS 'SELECT true'`,
      `CREATE FUNCTION ${schema}.own() RETURNS void LANGUAGE sql AS ''`,
    ];
    for (const sql of statements) expect(await outcome(roles.pools.app, sql), sql).toBe('42501');
    for (const sql of statements.filter((text) => /^(DELETE|UPDATE|SET|SELECT)/.test(text)))
      expect(await outcome(roles.pools.keeper, sql), sql).toBe('42501');
  });

  it('AUD-1: only the keeper prunes and erases, and by the verbs of the store alone', async () => {
    const stores = openStores({ pool: roles.pools.app, schema });
    const keepers = openStores({ pool: roles.pools.keeper, schema });
    const { id } = await keepers.audit.record(event(), []);
    await expect(stores.audit.eraseSubject(erasure)).rejects.toMatchObject({ code: 'PG_FORBIDDEN' });
    await expect(stores.audit.prune(pruning)).rejects.toMatchObject({ code: 'PG_FORBIDDEN' });
    expect((await keepers.audit.eraseSubject(erasure)).eventIds).toContain(id);
    expect((await keepers.audit.prune(pruning)).events).toBeGreaterThan(0);
    expect(await keepers.audit.get(id)).toBe(null);
  });

  it('AUD-1: the auditor reads the trail and the egress log, and nothing else', async () => {
    const { rows } = await superuser.query<{ right: string }>(
      `SELECT table_name || ' ' || privilege_type AS right FROM information_schema.role_table_grants
        WHERE grantee = $1 AND table_schema = $2 ORDER BY 1`,
      [roles.auditor, schema],
    );
    const read = [...tables, 'egress_log', 'migrations'].sort().map((table) => `${table} SELECT`);
    expect(rows.map(({ right }) => right)).toEqual(read);
    const stores = openStores({ pool: roles.pools.auditor, schema });
    await openStores({ pool: roles.pools.app, schema }).audit.record(event(), []);
    expect((await stores.audit.list({})).length).toBeGreaterThan(0);
    await expect(stores.audit.record(event(), [])).rejects.toMatchObject({ code: 'PG_FORBIDDEN' });
    for (const verb of ['erase_audit_events(NULL, NULL, NULL, NULL, NULL)', 'prune_audit_events(NULL, NULL, NULL)'])
      expect(await outcome(roles.pools.auditor, `SELECT ${schema}.${verb}`)).toBe('42501');
  });

  it('AUD-1: the owner has no login, and run again the script takes back what was granted beside it', async () => {
    const { rows } = await superuser.query<{ login: boolean; super: boolean }>(
      'SELECT rolcanlogin AS login, rolsuper AS super FROM pg_roles WHERE rolname = $1',
      [roles.owner],
    );
    expect(rows).toEqual([{ login: false, super: false }]);
    await superuser.query(`GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO PUBLIC, ${roles.app}`);
    const { owner, app, auditor, keeper } = roles;
    await superuser.query(createGrantScript({ schema, owner, app, auditor, keeper }));
    expect(await outcome(roles.pools.app, `DELETE FROM ${schema}.audit_events`)).toBe('42501');
    expect(await outcome(roles.pools.auditor, `SELECT FROM ${schema}.work_queue`)).toBe('42501');
  });

  it('AUD-1: a name that is none, or that two roles have, is a TypeError', () => {
    for (const wrong of [{ owner: 'x"; DROP' }, { app: 'pg_monitor' }, { auditor: '' }, { schema: 'A' }])
      expect(() => createGrantScript(wrong)).toThrow(TypeError);
    expect(() => createGrantScript({ owner: 'same', app: 'same' })).toThrow(/roles of their own/);
    expect(() => createGrantScript({ auditor: 'same', app: 'same' })).toThrow(/roles of their own/);
  });
});
