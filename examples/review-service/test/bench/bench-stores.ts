import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStores, type Stores } from '@criticizer/core';
import { type ArtifactStore, createFileArtifactStore, createMemoryArtifactStore } from '@criticizer/core/artifacts';
import { createPostgresStores } from '@criticizer/queue-pg';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import pg from 'pg';
import { startPostgres } from '../../../../tools/postgres/postgres.js';

/** In the order in which they are measured. */
export const storeNames = ['memory', 'sqlite', 'postgres'] as const;
export type StoreName = (typeof storeNames)[number];

/** Empty stores with the artifacts that belong to them. */
export interface BenchStores extends AsyncDisposable {
  stores: Stores<unknown>;
  artifacts: ArtifactStore;
}

/** Databases for one run of the bench. */
export interface Databases extends AsyncDisposable {
  /** Null before PostgreSQL was used. */
  postgresVersion(): string | null;
  open(name: StoreName, atOnce: number): Promise<BenchStores>;
}

/** Commits are durable in both databases, as a service has them. */
const durable = ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on', 'max_wal_size=4GB'];

/** Memory keeps artifacts in memory; the databases have them in files of a folder of their own. */
export function createDatabases(): Databases {
  const folder = mkdtempSync(join(tmpdir(), 'crit-bench-'));
  let server: ReturnType<typeof startPostgres> | undefined;
  let version: string | null = null;
  let opened = 0;

  async function openPostgres(schema: string, atOnce: number) {
    server ??= startPostgres({ settings: durable });
    const running = await server;
    version = running.version;
    const pool = new pg.Pool({ connectionString: running.url, max: atOnce + 4 });
    pool.on('error', () => undefined);
    const stores = createPostgresStores({ pool, schema });
    return { stores, close: () => stores.close().then(() => pool.end()) };
  }

  return {
    postgresVersion: () => version,
    async open(name, atOnce) {
      const directory = join(folder, `run-${++opened}`);
      if (name === 'memory') {
        const stores = createMemoryStores();
        const close = () => stores.close();
        return { stores, artifacts: createMemoryArtifactStore(), [Symbol.asyncDispose]: close };
      }
      const artifacts = createFileArtifactStore({ directory });
      if (name === 'postgres') {
        const { stores, close } = await openPostgres(`bench_${opened}`, atOnce);
        await stores.migrate();
        return { stores, artifacts, [Symbol.asyncDispose]: close };
      }
      const stores = createSqliteStores({ file: `${directory}.db` });
      await stores.migrate();
      return { stores, artifacts, [Symbol.asyncDispose]: () => stores.close() };
    },
    async [Symbol.asyncDispose]() {
      await (await server)?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
