import { DatabaseSync } from 'node:sqlite';
import { createQueueWorker, type JobKind, type Stores } from '@criticizer/core/queue';
import { createPostgresStores } from '@criticizer/queue-pg';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { z } from 'zod';
import type { Contender, JobData, OpenQueue } from '../contender.ts';
import { openPool, readValue } from '../database.ts';

export interface CriticizerSettings {
  worker: { concurrency?: number; prefetch?: number; leaseMs?: number; pollMinMs?: number; pollMaxMs?: number };
  deleteCompleted?: boolean;
}

const payload = z.strictObject({ number: z.number().int() });

export function createKind(ran: (number: number) => void, deleteCompleted: boolean): JobKind<JobData> {
  return {
    kind: 'bench',
    payload,
    deleteCompleted,
    stages: [
      {
        name: 'run',
        async run(context) {
          ran(context.payload.number);
          return { kind: 'done', result: {} };
        },
      },
    ],
  };
}

export const newJob = (number: number) => ({
  kind: 'bench',
  payload: { number },
  stage: 'run',
  idempotencyKey: `bench-${number}`,
});

const notDrained = `EXISTS (SELECT 1 FROM work_queue WHERE status = 'queued' OR status = 'running')`;

function openQueue<Tx>(
  stores: Stores<Tx>,
  settings: CriticizerSettings,
  rest: Pick<OpenQueue, 'isDrained' | 'close'>,
): OpenQueue {
  return {
    enqueue: async (numbers) => void (await stores.jobs.enqueue(numbers.map(newJob))),
    enqueueOne: async (number) => void (await stores.jobs.enqueue([newJob(number)])),
    async work(ran) {
      const kinds = [createKind(ran, settings.deleteCompleted ?? false)];
      const worker = createQueueWorker({
        stores,
        kinds,
        redactText: () => '[withheld]',
        settings: { worker: settings.worker },
      });
      await worker.start();
      return { stop: () => worker.stop() };
    },
    isDrained: rest.isDrained,
    async close() {
      await stores.close();
      await rest.close();
    },
  };
}

/** Ours on PostgreSQL, with a pool of its own of 10 connections. */
export function criticizerOnPostgres(name: string, settings: CriticizerSettings): Contender {
  return {
    name,
    library: '@criticizer/queue-pg',
    settings: { ...settings, pool: 10 },
    async open(url) {
      const pool = openPool(url, 10);
      const stores = createPostgresStores({ pool, migrate: 'auto' });
      await stores.migrationPlan(); // migrates
      return openQueue(stores, settings, {
        isDrained: () =>
          readValue<boolean>(pool, `SELECT NOT ${notDrained.replace('work_queue', 'criticizer.work_queue')}`),
        close: () => pool.end(),
      });
    },
  };
}

/** Ours on a SQLite file. */
export function criticizerOnSqlite(
  name: string,
  synchronous: 'normal' | 'full',
  settings: CriticizerSettings,
): Contender {
  return {
    name,
    library: '@criticizer/queue-sqlite',
    settings: { ...settings, synchronous },
    async open(file) {
      const stores = createSqliteStores({ file, migrate: 'auto', synchronous });
      await stores.migrationPlan();
      const database = new DatabaseSync(file, { timeout: 5_000 });
      const statement = database.prepare(`SELECT NOT ${notDrained} AS drained`);
      return openQueue(stores, settings, {
        isDrained: async () => statement.get()?.['drained'] === 1,
        close: async () => database.close(),
      });
    },
  };
}
