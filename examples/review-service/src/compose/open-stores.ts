import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { revealSecret, type Stores } from '@criticizer/core';
import { createPostgresStores } from '@criticizer/queue-pg';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import pg from 'pg';
import type { Configuration } from '../config/configuration.js';
import { secretIn } from '../config/files.js';

/** The stores of the service, and how to close what is under them. */
export interface OpenStores extends AsyncDisposable {
  stores: Stores<unknown>;
}

/** Reads the password anew for each connection, so that a rotated one is taken up. */
function passwordReader(file: string): () => Promise<string> {
  const { source, name } = secretIn(file);
  return async () => revealSecret((await source.read(name)).current.secret);
}

/** Opens the configured database; PostgreSQL is connected at the first call. */
export function openStores(database: Configuration['database']): OpenStores {
  if (database.kind === 'sqlite') {
    mkdirSync(dirname(database.file), { recursive: true, mode: 0o700 });
    const stores = createSqliteStores({ file: database.file });
    return { stores, [Symbol.asyncDispose]: () => stores.close() };
  }
  const { url, schema, passwordFile } = database;
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 10_000,
    ...(passwordFile === undefined ? {} : { password: passwordReader(passwordFile) }),
  });
  pool.on('error', () => undefined); // an idle client was lost; the next call takes another
  const stores = createPostgresStores({ pool, schema });
  return {
    stores,
    async [Symbol.asyncDispose]() {
      await stores.close();
      await pool.end();
    },
  };
}
