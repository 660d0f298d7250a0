import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyMigrations, migrationSteps } from '../src/migrations.js';
import { openSqlite, type SqliteDatabase } from '../src/shared/sqlite-database.js';
import { createSqliteStores } from '../src/sqlite-stores.js';
import { scratchFolder } from './stores-on-sqlite.js';

function schemaOf(database: SqliteDatabase): unknown[] {
  return database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name').all();
}

describe('migrations', () => {
  let folder: ReturnType<typeof scratchFolder>;
  let file: string;
  beforeEach(() => {
    folder = scratchFolder();
    file = join(folder.path, 'criticizer.db');
  });
  afterEach(() => folder.remove());

  it('AUD-1: every prefix of the steps is upgraded to the same schema', async () => {
    const whole = openSqlite(':memory:');
    applyMigrations(whole);
    for (let prefix = 0; prefix <= migrationSteps.length; prefix++) {
      const database = openSqlite(':memory:');
      applyMigrations(database, migrationSteps.slice(0, prefix));
      const stores = createSqliteStores({ database });
      expect((await stores.migrationPlan()).map(({ name }) => name)).toEqual(
        migrationSteps.slice(prefix).map(({ name }) => name),
      );
      expect(await stores.migrate()).toHaveLength(migrationSteps.length - prefix);
      expect(schemaOf(database)).toEqual(schemaOf(whole));
      expect(await stores.jobs.list({})).toEqual([]);
      await stores.close();
      database.close?.();
    }
    whole.close?.();
  });

  it('AUD-1: the three tables have the columns, indexes and checks of the specification, in its order', async () => {
    const database = openSqlite(file);
    applyMigrations(database);
    const names = (sql: string): string[] =>
      database
        .prepare(sql)
        .all()
        .map((row) => String((row as { name: unknown }).name));
    const columns = (table: string): string => names(`PRAGMA table_info(${table})`).join(' ');
    const order = [...(migrationSteps.at(-1)?.sql ?? '').matchAll(/^CREATE TABLE (?!IF )(\w+)/gm)].map(
      ([, name]) => name,
    );
    expect(order.slice(0, 3)).toEqual(['audit_events', 'audit_outbox', 'audit_dead_letter']);
    expect(columns('audit_events')).toBe(
      'id occurred_at_utc actor_type actor_id tenant_id trace_id request_id action target_type target_id result_status http_status ' +
        'source_ip user_agent payload_redacted payload_hash_sha256 schema_version created_at_utc',
    );
    // first_failed_at_utc is added, see ruling R2; sink_receipt, see decision 121.
    expect(columns('audit_outbox')).toBe(
      'id audit_event_id destination idempotency_key delivery_state attempt_count next_attempt_at_utc last_error_code last_error_message ' +
        'first_failed_at_utc last_attempt_at_utc delivered_at_utc sink_receipt lease_owner lease_expires_at_utc created_at_utc updated_at_utc',
    );
    expect(columns('audit_dead_letter')).toBe(
      'id outbox_id audit_event_id destination final_attempt_count first_failed_at_utc dead_lettered_at_utc error_summary error_details ' +
        'operator_status operator_note operator_id updated_at_utc',
    );
    const indexes = names(
      `SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name LIKE 'audit_%' AND sql IS NOT NULL ORDER BY name`,
    );
    // Those of the specification; others serve the lists of an operator.
    expect(indexes).toEqual(
      expect.arrayContaining([
        ...['idx_audit_dead_letter_destination', 'idx_audit_dead_letter_status_time', 'idx_audit_events_action'],
        ...['idx_audit_events_actor', 'idx_audit_events_occurred_at', 'idx_audit_events_tenant'],
        ...['idx_audit_events_trace', 'idx_audit_outbox_lease', 'idx_audit_outbox_sched'],
        ...['ux_audit_outbox_destination_event', 'ux_audit_outbox_idempotency_key'],
      ]),
    );
    const event = `INSERT INTO audit_events (id, occurred_at_utc, actor_type, action, result_status, payload_redacted, payload_hash_sha256,
      created_at_utc) VALUES ('e', 0, 'system', 'a.b', ?, '{}', 'x', 0)`;
    expect(() => database.prepare(event).run('perhaps')).toThrow();
    database.prepare(event).run('partial');
    const delivery = `INSERT INTO audit_outbox (id, audit_event_id, destination, idempotency_key, delivery_state, next_attempt_at_utc,
      created_at_utc, updated_at_utc) VALUES (?, 'e', 'siem', ?, ?, 0, 0, 0)`;
    database.prepare(delivery).run('1', 'k1', 'pending');
    expect(() => database.prepare(delivery).run('2', 'k2', 'lost')).toThrow();
    expect(() => database.prepare(delivery).run('2', 'k2', 'pending')).toThrow();
    database.close?.();
  });

  it('INV-5: instants are stored as UTC milliseconds, whatever zone the host is in', async () => {
    const zone = process.env['TZ'];
    process.env['TZ'] = 'Asia/Tokyo';
    try {
      const before = Date.now();
      const runAt = new Date('2026-03-01T00:00:00.000Z');
      const stores = createSqliteStores({ file, migrate: 'auto' });
      await stores.jobs.enqueue([{ kind: 'review', payload: 1, stage: 'fetch', idempotencyKey: 'k', runAt }]);
      await stores.close();
      const database = openSqlite(file);
      const [row] = database.prepare('SELECT run_at, created_at FROM work_queue').all() as {
        run_at: number;
        created_at: number;
      }[];
      expect(row?.run_at).toBe(Date.UTC(2026, 2, 1));
      expect(row?.created_at).toBeGreaterThanOrEqual(before);
      expect(row?.created_at).toBeLessThanOrEqual(Date.now());
      const columns = database
        .prepare(
          `SELECT m.name || '.' || c.name AS name, c.type FROM sqlite_master m, pragma_table_info(m.name) c
            WHERE m.type = 'table' AND m.name <> 'criticizer_migrations'`,
        )
        .all() as { name: string; type: string }[];
      const types = columns.filter(({ name }) => /_at(_utc)?$/.test(name));
      expect(types.length).toBeGreaterThan(30);
      expect(types.filter(({ type }) => type !== 'INTEGER')).toEqual([]);
      database.close?.();
    } finally {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
  });

  it('AUD-1: the printed plan, run by hand, counts as applied', async () => {
    const stores = createSqliteStores({ file });
    const database = openSqlite(file);
    for (const { sql } of await stores.migrationPlan()) database.exec(sql);
    database.close?.();
    expect(await stores.migrationPlan()).toEqual([]);
    expect(await stores.jobs.stats()).toMatchObject({ due: 0 });
    await stores.close();
  });

  it('AUD-1: work on an old schema fails with a code and names the steps; a migration by another process cures it', async () => {
    const stores = createSqliteStores({ file });
    await expect(stores.jobs.stats()).rejects.toMatchObject({
      code: 'SCHEMA_OLD',
      details: { steps: expect.arrayContaining(['queue/0001-work-queue']) },
    });
    await expect(stores.transaction(async () => 1)).rejects.toMatchObject({ code: 'SCHEMA_OLD' });
    const other = createSqliteStores({ file, migrate: 'auto' });
    await other.jobs.stats();
    await other.close();
    expect(await stores.jobs.stats()).toMatchObject({ due: 0 });
    await stores.close();
  });

  it('AUD-1: nothing is created unasked, and a migration that fails in the middle leaves nothing of itself', async () => {
    const stores = createSqliteStores({ file });
    await expect(
      stores.jobs.claim({ kinds: ['k'], owner: 'o', token: 't', leaseMs: 1000, limit: 1 }),
    ).rejects.toMatchObject({
      code: 'SCHEMA_OLD',
    });
    expect(await stores.migrationPlan()).toHaveLength(migrationSteps.length);
    const database = openSqlite(file);
    expect(schemaOf(database)).toEqual([]);
    // The second step makes an index of this name.
    database.exec('CREATE TABLE mine (id INTEGER); CREATE INDEX dead_letters_open ON mine (id)');
    const before = schemaOf(database);
    await expect(stores.migrate()).rejects.toMatchObject({ code: 'SQLITE_ERROR' });
    expect(schemaOf(database)).toEqual(before);
    database.exec('DROP INDEX dead_letters_open');
    expect(await stores.migrate()).toHaveLength(migrationSteps.length);
    await stores.close();
    database.close?.();
  });

  it('AUD-1: with auto the plan of a new file is empty as the first call, without it names every step', async () => {
    const shy = createSqliteStores({ file });
    expect((await shy.migrationPlan()).map(({ name }) => name)).toEqual(migrationSteps.map(({ name }) => name));
    const eager = createSqliteStores({ file, migrate: 'auto' });
    expect(await eager.migrationPlan()).toEqual([]);
    expect(await shy.migrationPlan()).toEqual([]);
    expect(await shy.jobs.stats()).toMatchObject({ due: 0 });
    expect(await eager.migrate()).toEqual([]);
    await Promise.all([shy.close(), eager.close()]);
    await expect(eager.migrationPlan()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    await expect(createSqliteStores({ file: ':memory:', migrate: 'auto' }).migrationPlan()).resolves.toEqual([]);
  });

  it('AUD-1: a database with a table of one of these names that is another’s is refused, and left as it is', async () => {
    const database = openSqlite(file);
    database.exec('CREATE TABLE Work_Queue (id INTEGER PRIMARY KEY); CREATE TABLE mine (id INTEGER)');
    const before = schemaOf(database);
    const foreign = { code: 'SCHEMA_FOREIGN', category: 'validation', details: { table: 'work_queue' } };
    for (const migrate of ['auto', 'never'] as const) {
      const stores = createSqliteStores({ file, migrate });
      await expect(stores.jobs.stats()).rejects.toMatchObject(foreign);
      await expect(stores.migrationPlan()).rejects.toMatchObject(foreign);
      await expect(stores.migrate()).rejects.toMatchObject(foreign);
      await stores.close();
    }
    expect(schemaOf(database)).toEqual(before);
    database.exec('DROP TABLE Work_Queue; CREATE VIEW audit_outbox AS SELECT 1');
    const stores = createSqliteStores({ file, migrate: 'auto' });
    await expect(stores.jobs.stats()).rejects.toMatchObject({
      code: 'SCHEMA_FOREIGN',
      details: { table: 'audit_outbox' },
    });
    database.exec('DROP VIEW audit_outbox');
    expect(await stores.jobs.stats()).toMatchObject({ due: 0 }); // a table of another name is no obstacle
    await stores.close();
    database.close?.();
  });

  it('AUD-1: a schema of a later version is refused', async () => {
    const database = openSqlite(file);
    applyMigrations(database);
    const text = 'SELECT 1;';
    const sha256 = createHash('sha256').update(text).digest('hex');
    database
      .prepare('INSERT INTO criticizer_migrations (module, name, sha256) VALUES (?, ?, ?)')
      .run('queue', '9999-later', sha256);
    database.close?.();
    const stores = createSqliteStores({ file, migrate: 'auto' });
    await expect(stores.migrationPlan()).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
    await expect(stores.migrate()).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
    await expect(stores.jobs.stats()).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
    await stores.close();
  });

  it('AUD-1: a step whose text is another one is refused', async () => {
    const database = openSqlite(file);
    applyMigrations(database);
    database.exec(`UPDATE criticizer_migrations SET sha256 = 'x' WHERE name = '0001-work-queue'`);
    database.close?.();
    const stores = createSqliteStores({ file });
    await expect(stores.migrate()).rejects.toMatchObject({ code: 'SCHEMA_CHANGED' });
    await stores.close();
  });
});
