import { randomUUID } from 'node:crypto';
import type { Stores } from '@criticizer/core';
import pg from 'pg';
import { createStoresOnPostgres, type PostgresStoresOptions, type PostgresTestOptions } from '../src/pg-stores.js';
import type { PgTx } from '../src/shared/pg-database.js';

/** A pool on the test server; `end` it. */
export function testPool(databaseUrl: string, max = 10): pg.Pool {
  const pool = new pg.Pool({ connectionString: databaseUrl, max });
  pool.on('error', () => undefined);
  return pool;
}

/** A run through a transaction pooler, see tools/postgres/pgbouncer.ts: nothing may rest in a session. */
const connection = process.env['CRITICIZER_TEST_POOLER'] ? { preparedStatements: false, listen: false as const } : {};

/** Stores as the host of such a database makes them. */
export function openStores(options: PostgresStoresOptions, test: PostgresTestOptions = {}): Stores<PgTx> {
  return createStoresOnPostgres({ ...connection, ...options }, test);
}

/** A schema name of its own. */
export function freshSchema(): string {
  return `t_${randomUUID().replaceAll('-', '')}`;
}

interface Given {
  stores: Stores<PgTx>;
  another(): Stores<PgTx>;
  schema: string;
  clock: { advance(ms: number): void };
  dispose(): Promise<void>;
}

const idle: string[] = [];

/** Migrating takes longer than a case does: a schema serves one case after the other, emptied in between. */
async function emptied(pool: pg.Pool, schema: string): Promise<void> {
  const tables = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = $1 AND tablename NOT IN ('migrations', 'artifact_manifest_id')`,
    [schema],
  );
  const names = tables.rows.map(({ name }) => name);
  // What is kept refuses to be emptied: its triggers rest meanwhile, which only the owner of the tables may ask for.
  const switchTriggers = (verb: 'DISABLE' | 'ENABLE'): string =>
    names.map((name) => `ALTER TABLE ${name} ${verb} TRIGGER USER`).join('; ');
  await pool.query(
    `BEGIN; ${switchTriggers('DISABLE')}; TRUNCATE ${names.join(', ')}; ${switchTriggers('ENABLE')}; COMMIT`,
  );
  idle.push(schema);
}

/**
 * Fresh, empty stores in a schema that nobody else uses, whose clock stands still until it is
 * advanced. `pool` migrates, and empties it in the end; the stores work as `user` where one is
 * given.
 */
export async function freshStores(
  pool: pg.Pool,
  user?: { pool: pg.Pool; grant(schema: string): Promise<void> },
): Promise<Given> {
  let nowMs = Date.UTC(2026, 0, 1);
  const schema = idle.pop() ?? freshSchema();
  await openStores({ pool, schema }).migrate();
  await user?.grant(schema);
  const stores = openStores({ pool: user?.pool ?? pool, schema }, { nowMs: () => nowMs });
  const opened = [stores];
  return {
    stores,
    another() {
      const more = openStores({ pool, schema }, { nowMs: () => nowMs });
      opened.push(more);
      return more;
    },
    schema,
    clock: {
      advance(ms) {
        nowMs += ms;
      },
    },
    async dispose() {
      for (const one of opened) await one.close();
      await emptied(pool, schema);
    },
  };
}
