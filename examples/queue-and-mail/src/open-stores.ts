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

export interface StoresPlace {
  /** The SQLite file lies here. */
  directory: string;
  /** Left out: SQLite. */
  databaseUrl: string | undefined;
  /** Of PostgreSQL. */
  schema: string;
}

/** The one place that knows which database it is. Whatever runs on the stores is the same on both. */
export function openStores({ directory, databaseUrl, schema }: StoresPlace): OpenStores {
  if (databaseUrl === undefined) {
    const file = join(directory, 'queue.sqlite');
    const stores = createSqliteStores({ file });
    return { stores, where: `SQLite, ${file}`, [Symbol.asyncDispose]: () => stores.close() };
  }
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  pool.on('error', () => undefined); // an idle client was lost; the next call takes another
  const stores = createPostgresStores({ pool, schema });
  return {
    stores,
    where: `PostgreSQL, schema ${schema}`,
    async [Symbol.asyncDispose]() {
      await stores.close();
      await pool.end();
    },
  };
}
