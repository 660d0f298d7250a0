import { randomBytes } from 'node:crypto';
import { createMemoryMailer, createMemoryStores } from '@criticizer/core';
import { silentLogger } from '@criticizer/core/queue';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { createPayloadRedactor, createRedactor } from '@criticizer/redact';
import { expect, it } from 'vitest';
import { changeRole } from './audit-alone.js';
import { createInvoiceMails, payAndTell } from './mail-outbox-alone.js';
import { createInvoiceKind, createInvoiceWorker, enqueueInvoice } from './queue-alone.js';
import { redactJson, redactText } from './redact-alone.js';

it('text and JSON come out without what was planted', () => {
  const planted = randomBytes(18).toString('base64url');
  const text = redactText(`PORT=80\nDB_PASSWORD=${planted}\n`, randomBytes(32));
  expect(text).not.toContain(planted);
  expect(text).toContain('PORT=80');
  expect(text).toContain('1 withheld');
  expect(redactJson({ password: planted, port: 80 })).not.toContain(planted);
});

it('a job is stored once, done once, and retried when it fails', async () => {
  const stores = createSqliteStores({ file: ':memory:', migrate: 'auto' });
  expect(await enqueueInvoice(stores, '42', 'ada@example.test')).toBe('enqueued');
  expect(await enqueueInvoice(stores, '42', 'ada@example.test')).toBe('duplicate');
  const sent: string[] = [];
  let over: () => void = () => undefined;
  const twice = new Promise<void>((resolve) => {
    over = resolve;
  });
  const kind = createInvoiceKind(async (to) => {
    sent.push(to);
    if (sent.length === 2) over();
    return sent.length > 1; // the first answer is lost
  });
  const redactor = createRedactor({ fingerprintKey: randomBytes(32) });
  await using worker = createInvoiceWorker(stores, kind, { redactor, logger: silentLogger });
  await worker.start();
  await twice;
  await worker.stop();
  expect(sent).toEqual(['ada@example.test', 'ada@example.test']);
  const [job] = await stores.jobs.list({ kind: 'invoice' });
  expect(job).toMatchObject({ status: 'completed', attempts: { send: 2 }, result: { sent: true } });
  await stores.close();
});

it('a mail follows the fate of the transaction it was written in, and leaves once', async () => {
  const stores = createMemoryStores();
  const mailer = createMemoryMailer();
  const pdf = Buffer.from('%PDF');
  const mails = createInvoiceMails(stores, mailer);
  await expect(
    payAndTell(stores, mails, { number: '1', pdf }, () => Promise.reject(new Error('no money'))),
  ).rejects.toThrow();
  expect(await mails.deliverDue()).toEqual([]);
  expect(await payAndTell(stores, mails, { number: '2', pdf }, async () => undefined)).toBe('added');
  expect(await payAndTell(stores, mails, { number: '2', pdf }, async () => undefined)).toBe('existing');
  expect(await mails.deliverDue()).toMatchObject([{ outcome: 'sent' }, { outcome: 'sent' }]);
  expect(mailer.accepted()).toHaveLength(2);
});

it('an admin action and its audit event commit together', async () => {
  const stores = createMemoryStores();
  const redactor = createPayloadRedactor();
  const change = { admin: 'root', user: 'ada', role: 'owner', apply: async () => undefined };
  expect(await changeRole(stores, redactor, change)).toBe(true);
  await expect(
    changeRole(stores, redactor, { ...change, apply: () => Promise.reject(new Error('no')) }),
  ).rejects.toThrow();
  expect(await stores.audit.list({})).toMatchObject([{ action: 'admin.user.update', targetId: 'ada' }]);
});
