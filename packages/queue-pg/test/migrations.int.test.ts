import { createQueueWorker, silentLogger } from '@criticizer/core/queue';
import type pg from 'pg';
import { afterAll, afterEach, describe, expect, inject, it, vi } from 'vitest';
import { z } from 'zod';
import { applyMigrations, migrationSteps, planMigrations } from '../src/migrations.js';
import { createPostgresStores } from '../src/pg-stores.js';
import { createLimitedRole } from './limited-role.js';
import { shapeOf } from './schema-shape.js';
import { freshSchema, openStores, testPool } from './stores-on-postgres.js';

const pool = testPool(inject('databaseUrl'));
const made: string[] = [];

function schemaName(): string {
  const schema = freshSchema();
  made.push(schema);
  return schema;
}

async function inTransaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const value = await work(client);
    await client.query('COMMIT');
    return value;
  } finally {
    client.release();
  }
}

/** Jobs as the first step has them: one that waits, and one whose owner died. */
const oldRows = (
  schema: string,
): string => `INSERT INTO ${schema}.work_queue (id, kind, payload, status, ready, stage, priority, run_at,
    created_at, updated_at, started_at, idempotency_key, claimed_by, claim_token, lease_expires_at, attempts, lost_leases, outputs, transition_no)
  VALUES (gen_random_uuid(), 'k', '{"a":1}', 'queued', true, 's', 9, now(), now(), now(), NULL, 'waits', NULL, NULL, NULL, '{}', 0, '{}', 1),
    (gen_random_uuid(), 'k', '[]', 'running', false, 's', 0, now(), now(), now(), now(), 'died', 'x', 'y', now(), '{"s":1}', 0, '{}', 2)`;
/** How a claim finds them: key, payload, attempts, lost leases, transitions. */
const oldRowsClaimed = [
  ['waits', { a: 1 }, { s: 1 }, 0, 2],
  ['died', [], { s: 2 }, 1, 4],
];

afterEach(async () => {
  for (const schema of made.splice(0)) await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
});
afterAll(() => pool.end());

describe('migrations', () => {
  it('AUD-1: every prefix of the steps is upgraded to the same schema', { timeout: 60_000 }, async () => {
    const whole = schemaName();
    await inTransaction((client) => applyMigrations(client, whole));
    const expected = await shapeOf(pool, whole);
    for (let prefix = 0; prefix < migrationSteps.length; prefix++) {
      const schema = schemaName();
      await inTransaction((client) => applyMigrations(client, schema, migrationSteps.slice(0, prefix)));
      if (prefix > 0) await pool.query(oldRows(schema));
      const stores = openStores({ pool, schema });
      expect((await stores.migrationPlan()).map(({ name }) => name)).toEqual(
        migrationSteps.slice(prefix).map(({ name }) => name),
      );
      expect(await stores.migrate()).toHaveLength(migrationSteps.length - prefix);
      expect(await shapeOf(pool, schema)).toEqual(expected);
      const claimed = await stores.jobs.claim({ kinds: ['k'], owner: 'o', token: 't', leaseMs: 60_000, limit: 5 });
      const lived = claimed.map(({ job }) => [
        job.idempotencyKey,
        job.payload,
        job.attempts,
        job.lostLeases,
        job.transitionNo,
      ]);
      expect(lived).toEqual(prefix === 0 ? [] : oldRowsClaimed);
      const ends = claimed.map(({ lease }) => ({ lease, kind: 'done', result: {}, requireNotified: true }) as const);
      expect(await stores.jobs.settle(ends)).toEqual(claimed.map(() => 'settled'));
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    }
  });

  it('INV-5: every instant is stored with its zone', async () => {
    const schema = schemaName();
    await inTransaction((client) => applyMigrations(client, schema));
    const { rows } = await pool.query<{ name: string; type: string }>(
      `SELECT table_name || '.' || column_name AS name, data_type AS type FROM information_schema.columns
        WHERE table_schema = $1 AND (column_name ~ '_at(_utc)?$' OR data_type LIKE 'timestamp%')`,
      [schema],
    );
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter(({ type }) => type !== 'timestamp with time zone')).toEqual([]);
  });

  it('INV-6: rows are stamped by the database, whatever the host’s clock says', async () => {
    const schema = schemaName();
    const stores = openStores({ pool, schema, migrate: 'auto' });
    await stores.jobs.stats();
    const { rows } = await pool.query<{ ms: string }>('SELECT extract(epoch FROM now()) * 1000 AS ms');
    const before = Math.floor(Number(rows[0]?.ms));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2001, 0, 1) });
    try {
      const [result] = await stores.jobs.enqueue([{ kind: 'review', payload: 1, stage: 'fetch', idempotencyKey: 'k' }]);
      expect(result?.job.createdAt.getTime()).toBeGreaterThanOrEqual(before);
      const [taken] = await stores.jobs.claim({ kinds: ['review'], owner: 'o', token: 't', leaseMs: 60_000, limit: 1 });
      expect(taken?.job.leaseExpiresAt?.getTime()).toBeGreaterThanOrEqual(before + 60_000);
    } finally {
      vi.useRealTimers();
    }
  });

  it('AUD-1: ten stores migrate at once and one applies the steps', async () => {
    const schema = schemaName();
    const applied = await Promise.all(Array.from({ length: 10 }, () => openStores({ pool, schema }).migrate()));
    expect(applied.map((steps) => steps.length).sort((a, b) => a - b)).toEqual([
      ...Array(9).fill(0),
      migrationSteps.length,
    ]);
  });

  it('AUD-1: work on an old schema fails with a code and names the steps; auto applies them', async () => {
    const schema = schemaName();
    const stores = openStores({ pool, schema });
    await expect(stores.jobs.stats()).rejects.toMatchObject({
      code: 'SCHEMA_OLD',
      details: { steps: expect.arrayContaining(['queue/0001-work-queue']) },
    });
    await openStores({ pool, schema, migrate: 'auto' }).jobs.stats();
    expect(await stores.jobs.stats()).toMatchObject({ due: 0 });
  });

  it('AUD-1: a worker does not start on a schema of some steps: it names those that miss and prints their SQL, which is all it takes', async () => {
    const schema = schemaName();
    await inTransaction((client) => applyMigrations(client, schema, migrationSteps.slice(0, 1)));
    const stores = openStores({ pool, schema });
    await pool.query(oldRows(schema));
    const printed: { step?: string; sql?: string }[] = [];
    const logger = { ...silentLogger, error: (facts: object) => void printed.push(facts) };
    let ran = 0;
    const run = async () => {
      ran++;
      return { kind: 'next' } as const;
    };
    const worker = () =>
      createQueueWorker({
        stores,
        kinds: [{ kind: 'k', payload: z.unknown(), stages: [{ name: 's', run }] }],
        redactText: String,
        logger,
      });
    const before = await shapeOf(pool, schema);
    const missing = migrationSteps.slice(1).map(({ module, name }) => `${module}/${name}`);
    await expect(worker().start()).rejects.toMatchObject({ code: 'SCHEMA_OLD', details: { steps: missing } });
    const plan = await stores.migrationPlan();
    const event = 'schema.migration_missing';
    expect(printed).toEqual(
      plan.map(({ module, name, sha256, sql }) => ({ event, step: `${module}/${name}`, sha256, sql })),
    );
    expect(printed.map(({ step }) => step)).toEqual(missing);
    expect([await shapeOf(pool, schema), ran]).toEqual([before, 0]);
    for (const { sql = '' } of printed) await pool.query(sql);
    await using started = worker();
    await started.start();
    await vi.waitFor(async () => expect((await stores.jobs.stats()).completed).toBe(2), {
      timeout: 10_000,
      interval: 5,
    });
    expect(ran).toBe(2);
  });

  it('AUD-1: nothing is created unasked, and a migration that fails in the middle leaves nothing of itself', async () => {
    const schema = schemaName();
    const stores = openStores({ pool, schema });
    await expect(
      stores.jobs.claim({ kinds: ['k'], owner: 'o', token: 't', leaseMs: 1000, limit: 1 }),
    ).rejects.toMatchObject({
      code: 'SCHEMA_OLD',
    });
    await expect(stores.transaction(async () => 1)).rejects.toMatchObject({ code: 'SCHEMA_OLD' });
    expect(await stores.migrationPlan()).toHaveLength(migrationSteps.length);
    const { rows } = await pool.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
    expect(rows).toEqual([]);
    // The third step makes a function of this name.
    await pool.query(
      `CREATE SCHEMA ${schema}; CREATE FUNCTION ${schema}.refuse_change() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
    );
    const before = await shapeOf(pool, schema);
    expect(before).toHaveLength(1);
    await expect(stores.migrate()).rejects.toMatchObject({ code: 'PG_ERROR', details: { sqlState: '42723' } });
    expect(await shapeOf(pool, schema)).toEqual(before);
    await pool.query(`DROP FUNCTION ${schema}.refuse_change()`);
    expect(await stores.migrate()).toHaveLength(migrationSteps.length);
  });

  it('AUD-1: names that are words of SQL, or as long as a name may be, are schemas like any other', {
    timeout: 60_000,
  }, async () => {
    const usual = schemaName();
    await openStores({ pool, schema: usual }).migrate();
    for (const schema of ['user', 'order', 'select', '_', freshSchema().padEnd(63, '_')]) {
      await pool.query(`CREATE SCHEMA "${schema}"`); // fails where somebody has one: it is not this test's to drop
      made.push(schema);
      const stores = openStores({ pool, schema });
      for (const { sql } of await stores.migrationPlan()) await pool.query(sql);
      expect(await shapeOf(pool, schema)).toEqual(await shapeOf(pool, usual));
      await stores.limits.set('running', 1);
      const [enqueued] = await stores.jobs.enqueue([
        { kind: 'k', payload: 1, stage: 's', idempotencyKey: 'k', changelistId: 'c', reviewVersion: 1 },
      ]);
      const [taken] = await stores.jobs.claim({ kinds: ['k'], owner: 'o', token: 't', leaseMs: 60_000, limit: 1 });
      expect(taken?.job.id).toBe(enqueued?.job.id);
    }
  });

  it('AUD-1: with auto the plan of a new schema is empty as the first call, without it names every step', async () => {
    const schema = schemaName();
    const shy = openStores({ pool, schema });
    expect((await shy.migrationPlan()).map(({ name }) => name)).toEqual(migrationSteps.map(({ name }) => name));
    const eager = openStores({ pool, schema, migrate: 'auto' });
    expect(
      await Promise.all([eager.migrationPlan(), openStores({ pool, schema, migrate: 'auto' }).migrationPlan()]),
    ).toEqual([[], []]);
    expect(await shy.migrationPlan()).toEqual([]);
    expect(await eager.migrate()).toEqual([]);
    await eager.close();
    await expect(eager.migrationPlan()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });

  it('AUD-1: a schema with a table of one of these names that is another’s is refused, and left as it is', async () => {
    for (const [table, columns] of [
      ['work_queue', 'id int'],
      ['migrations', 'id int, name text'],
    ]) {
      const schema = schemaName();
      await pool.query(
        `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.${table} (${columns}); CREATE TABLE ${schema}.mine (id int)`,
      );
      const before = await shapeOf(pool, schema);
      const foreign = { code: 'SCHEMA_FOREIGN', category: 'validation', details: { schema, table } };
      for (const migrate of ['auto', 'never'] as const) {
        const stores = openStores({ pool, schema, migrate });
        await expect(stores.jobs.stats()).rejects.toMatchObject(foreign);
        await expect(stores.migrationPlan()).rejects.toMatchObject(foreign);
        await expect(stores.migrate()).rejects.toMatchObject(foreign);
      }
      expect(await shapeOf(pool, schema)).toEqual(before);
      await pool.query(`DROP TABLE ${schema}.${table}`);
      // A table of another name is no obstacle.
      expect(await openStores({ pool, schema, migrate: 'auto' }).jobs.stats()).toMatchObject({ due: 0 });
    }
  });

  it('AUD-1: twenty first calls with auto while the schema comes into being never take it for another’s', async () => {
    const schema = schemaName();
    const first = Array.from({ length: 20 }, () => openStores({ pool, schema, migrate: 'auto' }).migrationPlan());
    expect(await Promise.all(first)).toEqual(Array(20).fill([]));
  });

  it('AUD-1: a schema of a later version, or with another text, is refused', async () => {
    const schema = schemaName();
    const stores = openStores({ pool, schema, migrate: 'auto' });
    await stores.migrate();
    await pool.query(`INSERT INTO ${schema}.migrations (module, name, sha256) VALUES ('queue', '9999-later', 'x')`);
    await expect(stores.jobs.stats()).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
    await expect(stores.migrate()).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
    await pool.query(`DELETE FROM ${schema}.migrations WHERE name = '9999-later'`);
    await pool.query(`UPDATE ${schema}.migrations SET sha256 = 'x' WHERE name = '0001-work-queue'`);
    await expect(stores.migrationPlan()).rejects.toMatchObject({ code: 'SCHEMA_CHANGED' });
  });

  it('AUD-1: a DBA runs the printed plan, and a role without CREATE works on the result', async () => {
    const schema = schemaName();
    for (const { sql } of await openStores({ pool, schema }).migrationPlan()) await pool.query(sql);
    expect(await planMigrations(pool, schema)).toEqual([]);
    const limited = await createLimitedRole(pool, inject('databaseUrl'), 2);
    await limited.grant(schema);
    try {
      const stores = openStores({ pool: limited.pool, schema, migrate: 'auto' });
      const [result] = await stores.jobs.enqueue([{ kind: 'review', payload: 1, stage: 'fetch', idempotencyKey: 'k' }]);
      expect(result?.outcome).toBe('enqueued');
      await expect(limited.pool.query(`CREATE TABLE ${schema}.x ()`)).rejects.toMatchObject({ code: '42501' });
    } finally {
      await limited.drop();
    }
  });

  it('AUD-1: options are checked at construction', () => {
    for (const schema of [
      '',
      'Public',
      'a-b',
      'a.b',
      '1a',
      'x; DROP',
      'a'.repeat(64),
      'pg_own',
      'information_schema',
    ]) {
      expect(() => createPostgresStores({ pool, schema })).toThrow(TypeError);
    }
    // As JavaScript calls it.
    const untyped = (...args: unknown[]): unknown => Reflect.apply(createPostgresStores, undefined, args);
    for (const given of [undefined, null, 'postgres://localhost', {}]) expect(() => untyped(given)).toThrow(TypeError);
    expect(() => untyped()).toThrow(/createPostgresStores: expected an object with pool, schema, migrate/);
    expect(() => untyped({ pool, schemaName: 'x' })).toThrow(TypeError);
    expect(() => untyped({ pool, schemaName: 'x' })).toThrow(/schemaName: .*pool, schema, migrate/);
  });
});
