import { PgBoss, type WorkOptions } from 'pg-boss';
import type { Contender, JobData } from '../contender.ts';
import { openPool, readValue } from '../database.ts';

export interface PgBossSettings {
  work: WorkOptions;
  /** Wake-up by LISTEN/NOTIFY, of the instance and of the queue. */
  useListenNotify?: boolean;
  max?: number;
}

export function pgBoss(name: string, settings: PgBossSettings): Contender {
  const { work, useListenNotify = false, max = 10 } = settings;
  return {
    name,
    library: 'pg-boss',
    settings: { ...work, useListenNotify, max },
    async open(url) {
      const boss = new PgBoss({ connectionString: url, max, useListenNotify });
      boss.on('error', () => undefined);
      await boss.start();
      await boss.createQueue('bench', { notify: useListenNotify });
      const pool = openPool(url, 1);
      return {
        enqueue: async (numbers) =>
          void (await boss.insert(
            'bench',
            numbers.map((number) => ({ data: { number } })),
          )),
        enqueueOne: async (number) => void (await boss.send('bench', { number })),
        async work(ran) {
          await boss.work('bench', work, async (jobs) => {
            for (const { data } of jobs) ran((data as JobData).number);
          });
          return { stop: () => boss.offWork('bench') };
        },
        isDrained: () =>
          readValue<boolean>(
            pool,
            `SELECT NOT EXISTS (SELECT FROM pgboss.job WHERE name = 'bench' AND state < 'completed')`,
          ),
        async close() {
          await boss.stop({ graceful: false });
          await pool.end();
        },
      };
    },
  };
}

/** Its fastest documented way: batches of 500, ten workers, fetching on while batches come back full. */
export const pgBossBurst = pgBoss('pg-boss burst', {
  work: { batchSize: 500, localConcurrency: 10, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
  max: 12,
});

export const pgBossNotify = pgBoss('pg-boss listen/notify', {
  work: { pollingIntervalSeconds: 0.5, localConcurrency: 10 },
  useListenNotify: true,
  max: 12,
});
