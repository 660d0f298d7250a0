import { createPostgresBackend, Queue, runMigrations, Worker } from 'bullmq';
import type { Contender, JobData } from '../contender.ts';
import { openPool, readValue } from '../database.ts';

/** BullMQ 6 on its PostgreSQL backend, finished jobs removed as its page advises. */
export const bullmq: Contender = {
  name: 'BullMQ on PostgreSQL',
  library: 'bullmq',
  settings: { concurrency: 10, max: 12, removeOnComplete: true },
  async open(url) {
    const pool = openPool(url, 1);
    const client = await pool.connect();
    try {
      await runMigrations(client);
    } finally {
      client.release();
    }
    const connection = { connectionString: url, max: 12 };
    const queue = new Queue(
      'bench',
      { connection, defaultJobOptions: { removeOnComplete: true } },
      createPostgresBackend,
    );
    queue.on('error', () => undefined);
    await queue.waitUntilReady();
    return {
      enqueue: async (numbers) =>
        void (await queue.addBulk(numbers.map((number) => ({ name: 'bench', data: { number } })))),
      enqueueOne: async (number) => void (await queue.add('bench', { number })),
      async work(ran) {
        const handler = async (job: { data: unknown }): Promise<void> => ran((job.data as JobData).number);
        const worker = new Worker('bench', handler, { connection, concurrency: 10 }, createPostgresBackend);
        worker.on('error', () => undefined);
        await worker.waitUntilReady();
        return { stop: () => worker.close() };
      },
      isDrained: () =>
        readValue<boolean>(
          pool,
          `SELECT NOT EXISTS (SELECT FROM bullmq.job WHERE state NOT IN ('completed', 'failed'))`,
        ),
      async close() {
        await queue.close();
        await pool.end();
      },
    };
  },
};
