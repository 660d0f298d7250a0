// A worker process for measurements/kill.ts: tells when a job starts, ends it when it is told to.
import { createQueueWorker, type JobKind } from '@criticizer/core/queue';
import { createPostgresStores } from '@criticizer/queue-pg';
import { createKind } from './contenders/criticizer.ts';
import { openPool } from './database.ts';

const [url = '', leaseMs = ''] = process.argv.slice(2);
const pool = openPool(url, 4);
const stores = createPostgresStores({ pool });
let finish: () => void = () => undefined;
const kind: JobKind<{ number: number }> = {
  ...createKind(() => undefined, false),
  stages: [
    {
      name: 'run',
      async run({ payload }) {
        const told = new Promise<void>((resolve) => {
          finish = resolve;
        });
        process.send?.({ started: payload.number });
        await told;
        return { kind: 'done', result: {} };
      },
    },
  ],
};
const worker = createQueueWorker({
  stores,
  kinds: [kind],
  redactText: () => '[withheld]',
  settings: { worker: { concurrency: 1, leaseMs: Number(leaseMs) } },
});
process.on('message', () => finish());
process.on('disconnect', () => process.exit(0));
await worker.start();
process.send?.('ready');
