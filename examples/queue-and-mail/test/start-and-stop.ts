// Starts a worker, a Criticizer and a mail outbox on one store, runs a job of each and sends a mail,
// and stops them; the process must then end by itself. Arguments: a folder, the store, the URL
// and schema of PostgreSQL; `leak` as the last one stops the worker only after the print.
import { join } from 'node:path';
import { createCriticizer, createMemoryStores, createStaticRecipients, type Stores } from '@criticizer/core';
import { createLocalKeyRing, createMemoryArtifactStore } from '@criticizer/core/artifacts';
import { createQueueWorker, type JobKind } from '@criticizer/core/queue';
import { createMailOutbox } from '@criticizer/notify';
import { createSmtpMailer } from '@criticizer/notify/smtp';
import { z } from 'zod';
import { startMailServer } from '../src/mail-server.js';
import { openStores } from '../src/open-stores.js';

const [directory = '', store, databaseUrl, schema = ''] = process.argv.slice(2);
const unreached = (): never => {
  throw new Error('no change is reviewed here');
};

function open(): { stores: Stores<unknown>; close(): Promise<void> } {
  if (store === 'memory') {
    const stores = createMemoryStores() as Stores<unknown>;
    return { stores, close: () => stores.close() };
  }
  const opened = openStores({ directory, databaseUrl: store === 'postgres' ? databaseUrl : undefined, schema });
  return { stores: opened.stores, close: async () => opened[Symbol.asyncDispose]() };
}

const { stores, close } = open();
await stores.migrate();
const server = await startMailServer(join(directory, 'mail'), () => undefined);
const mailer = createSmtpMailer({ host: '127.0.0.1', port: server.port, tls: 'none', helloName: 'test' });
const mails = createMailOutbox({
  stores,
  mailer,
  from: { address: 'billing@example.test' },
});
const kindNamed = (kind: string, run: () => Promise<unknown>): JobKind<unknown> => ({
  kind,
  payload: z.unknown(),
  stages: [{ name: 'make', run: async () => run().then(() => ({ kind: 'done', result: {} }) as const) }],
});
const mail = { dedupeKey: 'a', to: { address: 'ann@example.test' }, subject: 'Report', text: 'Done.' };
const worker = createQueueWorker({
  stores,
  kinds: [kindNamed('report', () => mails.send(mail))],
  redactText: String,
});
const criticizer = createCriticizer({
  stores,
  kinds: [kindNamed('digest', async () => undefined)],
  changes: { contract: 1, serverId: 'main', fetch: unreached },
  redactor: { contract: 1, rules: { version: '1', policyHash: 'p' }, session: unreached, scan: unreached },
  llm: {
    contract: 1,
    id: 'model',
    model: 'm',
    modes: ['prompt'],
    limits: { contextTokens: 64_000, maxOutputTokens: 4_096 },
    prepare: unreached,
    send: unreached,
  },
  mailer,
  composer: { compose: unreached, composeCounts: unreached },
  recipients: createStaticRecipients([{ address: 'dev@example.test', required: true }]),
  artifacts: {
    store: createMemoryArtifactStore(),
    keys: createLocalKeyRing({ source: { contract: 1, read: unreached }, name: 'ARTIFACT_KEY' }),
  },
});
await worker.start();
await criticizer.start();
const added = await stores.jobs.enqueue(
  ['report', 'digest'].map((kind) => ({ kind, payload: null, stage: 'make', idempotencyKey: kind })),
);
const ids = added.map(({ job }) => job.id);
const areDone = async () => (await stores.jobs.get(ids)).every((job) => job?.status === 'completed');
while (!(await areDone())) await new Promise(setImmediate);
// The Criticizer delivers what is due as well: whichever came first, the mail is there.
await mails.runDue();
const isLeaking = process.argv.at(-1) === 'leak';
if (!isLeaking) await worker.stop();
await criticizer.stop();
await mailer.close?.();
await server.close();
await close();
// Timers that were cleared in this turn go with the next ones.
for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
console.log(JSON.stringify(process.getActiveResourcesInfo()));
if (isLeaking) await worker.stop();
