import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Stores } from '@criticizer/core';
import { createPostgresStores } from '@criticizer/queue-pg';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import pg from 'pg';

export interface OpenStores extends AsyncDisposable {
  stores: Stores<unknown>;
  /** For a person. */
  where: string;
}

/** A SQLite file in the folder; with a `databaseUrl` a schema of its own in that PostgreSQL, dropped in the end. */
export function openStores(directory: string, databaseUrl: string | undefined): OpenStores {
  if (databaseUrl === undefined) {
    const file = join(directory, 'queue.sqlite');
    const stores = createSqliteStores({ file });
    return { stores, where: `SQLite, ${file}`, [Symbol.asyncDispose]: () => stores.close() };
  }
  const schema = `criticizer_example_${randomBytes(4).toString('hex')}`;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 6 });
  pool.on('error', () => undefined); // an idle client was lost; the next call takes another
  const stores = createPostgresStores({ pool, schema });
  return {
    stores,
    where: `PostgreSQL, schema ${schema}`,
    async [Symbol.asyncDispose]() {
      await stores.close();
      await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await pool.end();
    },
  };
}
