import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingsSchema } from '@criticizer/core';
import { createQueueWorker, type JobKind, type Logger, type Settings, silentLogger } from '@criticizer/core/queue';
import { expect, it, vi } from 'vitest';
import { createSqliteStores } from '../src/index.js';
import { openSqlite } from '../src/shared/sqlite-database.js';

it('OPS-2: a lock that another holds on the file is an outage: what ran is settled once it is free, without a dead letter', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crit-lock-'));
  const file = join(folder, 'queue.db');
  const stores = createSqliteStores({ file, migrate: 'auto', busyTimeoutMs: 50 });
  await stores.jobs.enqueue([{ kind: 'report', payload: {}, stage: 'make', idempotencyKey: 'report:1' }]);
  const other = openSqlite(file);
  const outages: unknown[] = [];
  const logger: Logger = {
    ...silentLogger,
    error: (fields) => void outages.push(fields),
  };
  const kind = {
    kind: 'report',
    payload: settingsSchema, // any schema will do
    stages: [
      {
        name: 'make',
        async run() {
          await vi.waitFor(() => other.exec('BEGIN IMMEDIATE')); // the claim may still be committing
          return { kind: 'done' as const, result: {} };
        },
      },
    ],
  } satisfies JobKind<Settings>;
  const worker = createQueueWorker({ stores, kinds: [kind], redactText: String, logger });
  await worker.start();
  await vi.waitFor(() => expect(outages).toEqual([{ event: 'outage.begun', stage: 'store', code: 'SQLITE_BUSY' }]), {
    timeout: 30_000,
  });
  other.exec('ROLLBACK');
  await vi.waitFor(async () => expect((await stores.jobs.list({}))[0]?.status).toBe('completed'), { timeout: 30_000 });
  expect(await stores.jobs.list({})).toMatchObject([{ attempts: { make: 1 }, lostLeases: 0 }]);
  expect([await stores.deadLetters.list({}), outages.length]).toEqual([[], 1]);
  await worker.stop();
  await stores.close();
  other.close?.();
  rmSync(folder, { recursive: true, force: true });
});
