// The database of a soak as its conductor sees it: set up, fed through the same way as the workers
// use, watched past all faults.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobStore } from '@criticizer/core/ports';
import { createPostgresStores } from '@criticizer/queue-pg';
import { createSqliteStores, type SqliteDatabase } from '@criticizer/queue-sqlite';
import pg from 'pg';
import { startPostgres } from '../postgres/postgres.js';
import { plant } from '../prove/planted-fault.js';
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.js';
import { type EffectRow, postgresLedger, sqliteLedger } from './ledger.js';
import type { PlantedFence } from './planted-fences.js';
import { openPostgresStore, openSqliteStore, type StoreAddress } from './soak-store.js';

export interface SoakDatabase {
  version: string;
  /** What a worker connects to. */
  address: StoreAddress;
  /** The enqueuer's, exposed to the same faults as the workers. */
  jobs: JobStore<never>;
  /** Jobs not finished yet; undefined where the database is away just now. */
  backlog(): Promise<number | undefined>;
  /** Number and status of every row. */
  rows(): Promise<Map<number, string>>;
  effects(): Promise<EffectRow[]>;
  /** What the faults of a server need; absent where there is no server. */
  server?: { proxy: CuttingProxy; crash(): Promise<void> };
  /** Whether the one write lock is free just now; absent where writers do not wait for each other. */
  isWritable?(): boolean;
  /** `ok`, or what the database says is broken. */
  integrity?(): string;
  close(): Promise<void>;
}

const numberOf = (key: string): number => Number(key.slice(5));

/**
 * The backlog by the partial indexes that claims use, so that watching costs the same at the end as
 * at the beginning.
 */
const backlogSql = (table: string, ready: string, waiting: string): string =>
  `SELECT (SELECT count(*) FROM ${table} WHERE ${ready}) + (SELECT count(*) FROM ${table} WHERE status = 'queued' AND ${waiting})
    + (SELECT count(*) FROM ${table} WHERE status = 'running') AS n`;

const ephemeral = { store: 'postgres', schema: 'criticizer' } as const;

/**
 * A server of its own, since it is going to be crashed. What it acknowledged must be on disk:
 * `synchronous_commit` is on.
 */
export async function openPostgresDatabase(edits: PlantedFence['sql'] = []): Promise<SoakDatabase> {
  const { schema } = ephemeral;
  const server = await startPostgres({ settings: ['synchronous_commit=on', 'max_connections=200'] });
  const proxy = await startCuttingProxy(join(new URL(server.url).searchParams.get('host') ?? '', '.s.PGSQL.5432'));
  const direct = new pg.Pool({ connectionString: server.url, max: 2 });
  direct.on('error', () => undefined);
  await createPostgresStores({ pool: direct, schema }).migrate();
  await direct.query(postgresLedger(schema));
  for (const { function: name, find, replace } of edits) {
    const { rows } = await direct.query<{ text: string }>('SELECT pg_get_functiondef($1::regproc) AS text', [
      `${schema}.${name}`,
    ]);
    await direct.query(plant(rows[0]?.text ?? '', { file: name, find, replace }));
  }
  const url = `postgresql://postgres@127.0.0.1:${proxy.port}/postgres`;
  const feeding = openPostgresStore(url, schema, 4);
  const watch = backlogSql(`${schema}.work_queue`, 'ready', 'NOT ready');
  return {
    version: server.version,
    address: { store: 'pg', url, schema },
    jobs: feeding.stores.jobs,
    async backlog() {
      const answer = await direct.query<{ n: string }>(watch).catch(() => undefined);
      return answer === undefined ? undefined : Number(answer.rows[0]?.n);
    },
    async rows() {
      const { rows } = await direct.query<{ key: string; status: string }>(
        `SELECT idempotency_key AS key, status FROM ${schema}.work_queue`,
      );
      return new Map(rows.map(({ key, status }) => [numberOf(key), status]));
    },
    effects: async () =>
      (
        await direct.query<EffectRow>(
          'SELECT source, n, job, effect, token, worker FROM soak_ledger.effects ORDER BY seq',
        )
      ).rows,
    server: { proxy, crash: () => server.restart({ mode: 'immediate' }) },
    async close() {
      await feeding.close();
      await direct.end();
      await proxy.close();
      await server.stop();
    },
  };
}

async function openSqlite(file: string): Promise<SqliteDatabase> {
  const { DatabaseSync }: { DatabaseSync: new (file: string) => SqliteDatabase } =
    process.getBuiltinModule('node:sqlite') ?? (await import('@photostructure/sqlite'));
  return new DatabaseSync(file);
}

export async function openSqliteDatabase(): Promise<SoakDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'crit-soak-'));
  const file = join(folder, 'queue.db');
  await createSqliteStores({ file, migrate: 'auto' }).migrate();
  const direct = await openSqlite(file);
  direct.exec('PRAGMA busy_timeout = 10000');
  direct.exec(sqliteLedger);
  const all = <Row>(sql: string): Row[] => direct.prepare(sql).all() as Row[];
  const feeding = openSqliteStore(file);
  const probe = await openSqlite(file);
  const watch = backlogSql('work_queue', 'ready = 1', 'ready = 0');
  return {
    version: `SQLite ${all<{ v: string }>('SELECT sqlite_version() AS v')[0]?.v}`,
    address: { store: 'sqlite', file },
    jobs: feeding.stores.jobs,
    backlog: async () => all<{ n: number }>(watch)[0]?.n,
    rows: async () =>
      new Map(
        all<{ key: string; status: string }>('SELECT idempotency_key AS key, status FROM work_queue').map((row) => [
          numberOf(row.key),
          row.status,
        ]),
      ),
    effects: async () => all<EffectRow>('SELECT source, n, job, effect, token, worker FROM soak_effects ORDER BY seq'),
    isWritable() {
      try {
        probe.exec('BEGIN IMMEDIATE; ROLLBACK');
        return true;
      } catch (error) {
        return !String(error).includes('locked');
      }
    },
    integrity: () =>
      all<{ integrity_check: string }>('PRAGMA integrity_check')
        .map((row) => row.integrity_check)
        .join('; '),
    async close() {
      await feeding.close();
      direct.close?.();
      probe.close?.();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
