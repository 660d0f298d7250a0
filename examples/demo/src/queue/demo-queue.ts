// The demo's queue: a SQLite file in the state folder, or a schema of the folder's own in the
// PostgreSQL of DATABASE_URL.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCriticizerError, type Stores } from '@criticizer/core';
import { createPostgresStores } from '@criticizer/queue-pg';
import { createSqliteStores, type SqliteTx } from '@criticizer/queue-sqlite';
import pg from 'pg';
import { UsageError } from '../settings/usage-error.js';
import { createOnce } from '../state/create-once.js';

/** Where a demo on PostgreSQL keeps its tables, and nothing else is. */
export interface DemoDatabase {
  url: string;
  schema: string;
}

export interface DemoQueue {
  stores: Stores<unknown>;
  /**
   * A torn file opens, and fails somewhere in the middle of the work. Throws `UsageError` where
   * SQLite finds a page amiss.
   */
  check(): Promise<void>;
  close(): Promise<void>;
}

const schemaFile = (directory: string): string => join(directory, 'postgres-schema');
const sqliteFile = (directory: string): string => join(directory, 'queue.sqlite');

/**
 * A folder's jobs, keys, artifacts and mails belong together: it stays with the database it began
 * on. Throws `UsageError`.
 */
function requireSameDatabase(directory: string, databaseUrl: string | null): void {
  const other = 'or choose another folder with --state DIR.';
  if (databaseUrl === null && existsSync(schemaFile(directory)))
    throw new UsageError(`The queue of ${directory} is on PostgreSQL: set DATABASE_URL as it was, ${other}`);
  if (databaseUrl !== null && existsSync(sqliteFile(directory)))
    throw new UsageError(`The queue of ${directory} is a SQLite file: unset DATABASE_URL, ${other}`);
}

/**
 * The folder's schema, named at its first run: two people on one database do not meet. Null for
 * SQLite. Throws `UsageError`.
 */
export function databaseOf(directory: string, databaseUrl: string | null): DemoDatabase | null {
  requireSameDatabase(directory, databaseUrl);
  if (databaseUrl === null) return null;
  const file = schemaFile(directory);
  if (!existsSync(file)) createOnce(file, `criticizer_demo_${randomBytes(4).toString('hex')}`);
  const schema = readFileSync(file, 'utf8');
  if (!/^criticizer_demo_[0-9a-f]{8}$/.test(schema))
    throw new UsageError(`${file} does not name a schema of the demo's: choose another folder with --state DIR.`);
  return { url: databaseUrl, schema };
}

function openPool({ url }: DemoDatabase): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on('error', () => undefined); // an idle client was lost; the next call takes another
  return pool;
}

async function checkPages(stores: Stores<SqliteTx>, file: string): Promise<void> {
  const found = await stores
    .transaction(async (tx) => JSON.stringify(tx.prepare('PRAGMA quick_check(1)').all()))
    .catch((error: unknown) => {
      if (isCriticizerError(error)) throw error;
      return error instanceof Error ? error.message : 'unreadable';
    });
  if (!/^\[\{"\w+":"ok"\}\]$/.test(found))
    throw new UsageError(
      `SQLITE_CORRUPT: ${file} is damaged. Start over with --fresh, or choose another folder with --state DIR.`,
    );
}

/** Opens what the folder's jobs lie in; connects at the first call. */
export function openQueue(directory: string, database: DemoDatabase | null): DemoQueue {
  if (database === null) {
    const stores = createSqliteStores({ file: sqliteFile(directory), migrate: 'auto' });
    return { stores, check: () => checkPages(stores, sqliteFile(directory)), close: () => stores.close() };
  }
  const pool = openPool(database);
  const stores = createPostgresStores({ pool, schema: database.schema, migrate: 'auto' });
  return {
    stores,
    check: async () => undefined,
    async close() {
      await stores.close();
      await pool.end();
    },
  };
}

/** Removes the tables of earlier runs, and nothing else in that database. */
export async function forgetSchema(database: DemoDatabase): Promise<void> {
  const pool = openPool(database);
  try {
    await pool.query(`DROP SCHEMA IF EXISTS ${database.schema} CASCADE`);
  } finally {
    await pool.end();
  }
}
