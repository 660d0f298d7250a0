// A worker process: runs invoice jobs and delivers mails until it is told to stop, or whoever
// started it is gone. Any number of them may run.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createQueueWorker, errorFacts, type JobEvent } from '@criticizer/core/queue';
import { createMailOutbox, type MailOutbox } from '@criticizer/notify';
import { createMaildirLookup, createSmtpMailer } from '@criticizer/notify/smtp';
import { createFileVault } from './file-vault.js';
import { createInvoiceKind } from './invoice-kind.js';
import { openStores, type StoresPlace } from './open-stores.js';

export interface WorkerOptions {
  place: Omit<StoresPlace, 'databaseUrl'>; // the URL may hold a password: it comes by the environment
  smtpPort: number;
  helloName: string;
}
export type WorkerMessage = { type: 'ready' } | { type: 'job'; event: JobEvent } | { type: 'trouble'; code: string };

const { place, smtpPort, helloName } = JSON.parse(process.argv[2] ?? '{}') as WorkerOptions;
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
// Ctrl-C reaches all of a terminal's processes; who started us stops us.
process.on('SIGINT', () => process.connected || stopping.abort());
process.once('disconnect', () => stopping.abort());
const nothing = (): void => undefined;
const tell = (message: WorkerMessage): void =>
  void (process.connected && process.send?.(message, undefined, undefined, nothing));
const trouble = (facts: object): void =>
  tell({ type: 'trouble', code: 'code' in facts ? String(facts.code) : 'UNEXPECTED' });

async function work(signal: AbortSignal): Promise<void> {
  await using opened = openStores({ ...place, databaseUrl: process.env['DATABASE_URL'] });
  const { stores } = opened;
  const logger = { debug: nothing, info: nothing, warn: trouble, error: trouble };
  const lookup = createMaildirLookup({ directory: join(place.directory, 'mail'), settleMs: 1_000 });
  const mailer = createSmtpMailer({ host: '127.0.0.1', port: smtpPort, tls: 'none', helloName, lookup });
  const mails = createMailOutbox({
    stores,
    mailer,
    from: { address: 'billing@example.test', name: 'Billing' },
    logger,
  });
  await using worker = createQueueWorker({
    stores,
    kinds: [createInvoiceKind(createFileVault(join(place.directory, 'invoices')), mails)],
    redactText: () => '[withheld]', // of errors: they may name customers
    // A killed worker's jobs are taken up after two seconds; a real service keeps the default of a minute.
    settings: { worker: { concurrency: 2, leaseMs: 2_000, pollMinMs: 20, pollMaxMs: 200 } },
    onEvent: (event) => tell({ type: 'job', event }),
    logger,
  });
  await worker.start();
  tell({ type: 'ready' });
  // One at a time: what a killed worker had in hand is the mail that the server just kept, and a look-up finds it.
  await mails.start({ concurrency: 1, leaseMs: 3_000, pollMs: 100 });
  await delay(2 ** 31 - 1, undefined, { signal }).catch(() => undefined);
  await mails.stop();
  await mailer.close?.();
}

await work(stopping.signal);
if (process.connected) process.disconnect();
