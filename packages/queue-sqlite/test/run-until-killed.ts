// A worker process whose jobs take a while, and of which those whose payload says so kill the process that runs them.
import { settingsSchema } from '@criticizer/core';
import { createQueueWorker } from '@criticizer/core/queue';
import { createSqliteStores } from '../src/sqlite-stores.js';

const [file = '', prefix = ''] = process.argv.slice(2);
const stores = createSqliteStores({ file, synchronous: 'normal' });
const worker = createQueueWorker({
  stores,
  kinds: [
    {
      kind: 'work',
      payload: settingsSchema, // any schema will do
      stages: [
        {
          name: 'run',
          async run({ job }) {
            if (job.idempotencyKey.startsWith(prefix)) process.kill(process.pid, 'SIGKILL');
            await new Promise((resolve) => setTimeout(resolve, 100));
            return { kind: 'done' as const, result: {} };
          },
        },
      ],
    },
  ],
  redactText: String,
  settings: { worker: { concurrency: 4, prefetch: 4, leaseMs: 1_000, pollMinMs: 10, pollMaxMs: 50 } },
});
await worker.start();
for (let open = 1; open > 0; ) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  const { due, scheduled, running } = await stores.jobs.depth();
  open = due + scheduled + running;
}
await worker.stop();
await stores.close();
