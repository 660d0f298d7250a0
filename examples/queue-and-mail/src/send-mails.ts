// #region run
// Sends two mails, one of them to two readers and with a file. Run it twice: the second time it sends none.
import { setTimeout as delay } from 'node:timers/promises';
import { createMailOutbox } from '@criticizer/notify';
import { createSmtpMailer } from '@criticizer/notify/smtp';
import { createSqliteStores } from '@criticizer/queue-sqlite';

const { SMTP_HOST = '127.0.0.1', SMTP_PORT = '1025', MAILS_FILE = 'mails.db' } = process.env;
const stores = createSqliteStores({ file: MAILS_FILE, modules: ['notify'], migrate: 'auto' });
const mailer = createSmtpMailer({ host: SMTP_HOST, port: Number(SMTP_PORT), tls: 'none', helloName: 'localhost' });
const mails = createMailOutbox({ stores, mailer, from: { address: 'billing@example.com', name: 'Billing' } });
await mails.start({ pollMs: 200 });

const report = { name: 'march.csv', contentType: 'text/csv', content: Buffer.from('item,amount\ndesk,120\n') };
const intents = await stores.transaction((tx) =>
  // Your own rows belong into the same transaction: they and the mails are there, or neither.
  mails.sendMany(
    [
      {
        dedupeKey: 'report/march',
        to: { address: 'ada@example.com', name: 'Ada' },
        cc: [{ address: 'bob@example.com' }],
        subject: 'March',
        text: 'The figures of March are attached.',
        attachments: [report],
      },
      {
        dedupeKey: 'reminder/7',
        to: { address: 'eve@example.com' },
        subject: 'Invoice 7 is due',
        text: 'It was due yesterday.',
        sendAt: new Date(Date.now() + 500), // not before
      },
    ],
    { tx },
  ),
);
console.log(intents.map(({ outcome }) => outcome).join(', '));
while ((await stores.outbox.stats()).sent < 3) await delay(50);
await mails.stop();
await mailer.close?.();
await stores.close();
// #endregion
