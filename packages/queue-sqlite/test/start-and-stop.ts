// Starts a queue worker on a file, stops it after one job; the process must then end by itself.
// Arguments: the file.
import { createQueueWorker } from '@criticizer/core/queue';
import { z } from 'zod';
import { createSqliteStores } from '../src/index.js';

const stores = createSqliteStores({ file: process.argv[2] ?? '' });
await stores.migrate();
const run = async () => ({ kind: 'done', result: {} }) as const;
const worker = createQueueWorker({
  stores,
  kinds: [{ kind: 'report', payload: z.unknown(), stages: [{ name: 'make', run }] }],
  redactText: String,
});
await worker.start();
const [result] = await stores.jobs.enqueue([{ kind: 'report', payload: null, stage: 'make', idempotencyKey: 'a' }]);
const status = async () => (await stores.jobs.get([result?.job.id ?? '']))[0]?.status;
while ((await status()) !== 'completed') await new Promise(setImmediate);
await worker.stop();
await stores.close();
// Timers that were cleared in this turn go with the next ones.
for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
console.log(JSON.stringify(process.getActiveResourcesInfo()));
