// A worker process: claims from the file given until nothing is queued, settles each job, prints
// what it did as one JSON line.
import { randomUUID } from 'node:crypto';
import { createSqliteStores } from '../src/sqlite-stores.js';

const [file = '', kind = ''] = process.argv.slice(2);
const stores = createSqliteStores({ file, busyTimeoutMs: 30_000, synchronous: 'normal' });
const owner = `worker-${process.pid}-${randomUUID()}`;
const done: string[] = [];
const outcomes: string[] = [];
for (;;) {
  const claimed = await stores.jobs.claim({ kinds: [kind], owner, token: randomUUID(), leaseMs: 60_000, limit: 7 });
  if (claimed.length === 0) break;
  done.push(...claimed.map(({ job }) => job.id));
  const settled = await stores.jobs.settle(
    claimed.map(({ lease }) => ({ lease, kind: 'done', result: { owner }, requireNotified: false })),
  );
  outcomes.push(...settled);
}
await stores.close();
process.stdout.write(`${JSON.stringify({ done, outcomes })}\n`);
