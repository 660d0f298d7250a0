import { buildDBClient, Runner, SqliteQueue } from 'liteque';
import type { Contender, JobData } from '../contender.ts';

export function openLiteque(file: string, synchronous: 'normal' | 'full') {
  const db = buildDBClient(file, { runMigrations: true, walEnabled: true });
  db.session.client.pragma(`synchronous = ${synchronous}`);
  // better-sqlite3 from 11.10 on refuses its asynchronous transaction callback, which before then
  // ran without a transaction as well.
  db.transaction = (body) => body(db);
  const queue = new SqliteQueue<JobData>('bench', db, { defaultJobArgs: { numRetries: 1 }, keepFailedJobs: false });
  return { queue, close: () => db.session.client.close() };
}

export function liteque(name: string, synchronous: 'normal' | 'full'): Contender {
  const options = { concurrency: 10, pollIntervalMs: 10, timeoutSecs: 60 };
  return {
    name,
    library: 'liteque',
    settings: { synchronous, ...options, walEnabled: true },
    async open(file) {
      const { queue, close } = openLiteque(file, synchronous);
      return {
        // It has no call for many.
        async enqueue(numbers) {
          for (const number of numbers) await queue.enqueue({ number });
        },
        enqueueOne: async (number) => void (await queue.enqueue({ number })),
        async work(ran) {
          const runner = new Runner(queue, { run: async (job) => ran(job.data.number) }, options);
          const ended = runner.run();
          return {
            async stop() {
              runner.stop();
              await ended;
            },
          };
        },
        async isDrained() {
          const { pending, pending_retry, running } = await queue.stats();
          return pending + pending_retry + running === 0;
        },
        close: async () => close(),
      };
    },
  };
}
