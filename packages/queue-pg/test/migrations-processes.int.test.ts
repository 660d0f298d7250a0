import { afterAll, afterEach, describe, expect, inject, it } from 'vitest';
import { type Dialogue, testScript } from '../../../tools/testing/run-process.js';
import { migrationSteps } from '../src/migrations.js';
import { shapeOf } from './schema-shape.js';
import { freshSchema, openStores, testPool } from './stores-on-postgres.js';

const databaseUrl = inject('databaseUrl');
const pool = testPool(databaseUrl);
const made: string[] = [];

function schemaName(): string {
  const schema = freshSchema();
  made.push(schema);
  return schema;
}

const migrateSchemas = testScript(new URL('migrate-schemas.ts', import.meta.url));
const startMigrator = (): Dialogue => migrateSchemas.converse(databaseUrl);

/** Resolves once a session waits for a lock in a statement about this schema. */
async function untilOneWaits(schema: string): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%'`,
      [schema],
    );
    if (rows.length > 0) return;
  }
}

afterEach(async () => {
  for (const schema of made.splice(0)) await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
});
afterAll(() => pool.end());

describe('migrations by processes', () => {
  it('AUD-1: ten processes migrate a new schema at once: one applies every step, all can work', {
    timeout: 120_000,
  }, async () => {
    const processes = Array.from({ length: 10 }, startMigrator);
    try {
      await Promise.all(processes.map(({ opened }) => opened));
      for (let round = 0; round < 4; round++) {
        const schema = schemaName();
        const answers = await Promise.all(processes.map(({ ask }) => ask(schema)));
        expect(answers.sort()).toEqual([...Array(9).fill('0'), String(migrationSteps.length)].sort());
      }
    } finally {
      await Promise.all(processes.map(({ end }) => end()));
    }
  });

  it('AUD-1: a process killed in the middle of its steps leaves nothing, and the next applies all', {
    timeout: 60_000,
  }, async () => {
    const whole = schemaName();
    const schema = schemaName();
    await openStores({ pool, schema: whole }).migrate();
    await pool.query(`CREATE SCHEMA ${schema}`);
    const other = await pool.connect();
    const killed = startMigrator();
    try {
      await killed.opened;
      // Its later steps must wait for the end of this transaction, its earlier ones are done by then.
      await other.query('BEGIN');
      await other.query(`CREATE TABLE ${schema}.audit_events (id int)`);
      const answer = killed.ask(schema);
      await untilOneWaits(schema);
      await Promise.all([killed.kill(), expect(answer).rejects.toThrow('ended without an answer')]);
      await other.query('ROLLBACK');
    } finally {
      other.release();
      await killed.kill();
    }
    // Waits for the lock of the killed one, whose server process ends when it finds nobody to answer.
    expect(await openStores({ pool, schema }).migrate()).toHaveLength(migrationSteps.length);
    expect(await shapeOf(pool, schema)).toEqual(await shapeOf(pool, whole));
  });
});
