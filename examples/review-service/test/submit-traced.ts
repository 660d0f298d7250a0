// A process that submits the change of each line it reads and answers with the spans it exported.
// Arguments: the database and its schema.
import { createInterface } from 'node:readline';
import type { Stores } from '@criticizer/core';
import { createTracedReviewer, openSharedStores } from './traced-reviewer.js';

async function submitEach<Tx>(stores: Stores<Tx>): Promise<void> {
  process.stdout.write('open\n');
  for await (const line of createInterface({ input: process.stdin })) {
    const { criticizer, spans } = createTracedReviewer(stores, false);
    const { job } = await criticizer.submit({ serverId: 'main', number: Number(line), reviewVersion: 1 });
    while (spans.length === 0) await new Promise(setImmediate); // it ends once the kill switch was read
    process.stdout.write(`${JSON.stringify({ jobId: job.id, spans })}\n`);
  }
  process.exit(0);
}

const [database = '', schema = ''] = process.argv.slice(2);
const stores = openSharedStores(database, schema);
await submitEach(stores as Stores<unknown>);
