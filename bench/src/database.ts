import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../../tools/postgres/postgres.ts';
import type { DatabaseServer } from './measurement.ts';

/** Commits are durable, as a server's are; the rest is room, so that no checkpoint falls into a round. */
export const serverSettings = [
  'fsync=on',
  'synchronous_commit=on',
  'full_page_writes=on',
  'shared_buffers=256MB',
  'max_wal_size=4GB',
  'checkpoint_timeout=30min',
  'max_connections=200',
];

export function openPool(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/** Gives the first column of the first row. */
export async function readValue<T>(queryable: Pick<pg.Pool, 'query'>, sql: string, values: unknown[] = []): Promise<T> {
  const { rows } = await queryable.query({ text: sql, values, rowMode: 'array' });
  const [row] = rows as unknown[][];
  if (row === undefined) throw new Error(`no row: ${sql}`);
  return row[0] as T;
}

export interface RunningServer extends DatabaseServer {
  version: string;
  stop(): Promise<void>;
}

/** One server for the whole run; a fresh database for each contender and round. */
export async function startServer(): Promise<RunningServer> {
  const server = await startPostgres({ settings: serverSettings });
  const admin = openPool(server.url, 2);
  let databases = 0;
  return {
    version: server.version,
    async withDatabase(body, settings = []) {
      const name = `bench_${++databases}`;
      await admin.query(`CREATE DATABASE ${name} TEMPLATE template0`);
      for (const setting of settings) await admin.query(`ALTER DATABASE ${name} SET ${setting}`);
      try {
        await admin.query('CHECKPOINT');
        return await body(server.url.replace('/postgres?', `/${name}?`));
      } finally {
        // Not by force: a client that is still closing would end this process with its error. One
        // that stays keeps its database until the end.
        for (let tries = 0; tries < 100; tries++) {
          if (
            (await readValue<string>(admin, 'SELECT count(*) FROM pg_stat_activity WHERE datname = $1', [name])) === '0'
          ) {
            await admin.query(`DROP DATABASE IF EXISTS ${name}`);
            break;
          }
          await sleep(20);
        }
      }
    },
    async stop() {
      await admin.end();
      await server.stop();
    },
  };
}
