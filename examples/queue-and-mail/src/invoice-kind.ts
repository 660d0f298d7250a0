// #region kind
import { CriticizerError, type JobKind, type NewJob } from '@criticizer/core';
import type { MailOutbox } from '@criticizer/notify';
import type { FileVault } from './file-vault.js';
import { type Invoice, invoiceSchema, invoiceText } from './invoice.js';

const kind = 'monthly-invoice';

/**
 * Two stages: the invoice is rendered once and kept, then sent. The job is completed when the mail
 * server has taken the mail.
 */
export function createInvoiceKind(documents: FileVault, mails: MailOutbox<unknown>): JobKind<Invoice> {
  return {
    kind,
    payload: invoiceSchema,
    stages: [
      {
        name: 'render',
        async run({ payload }) {
          const id = await documents.save(Buffer.from(invoiceText(payload)));
          return { kind: 'next', effects: { outputs: { 'render.document': id } } };
        },
      },
      {
        name: 'send',
        async run({ payload: { customer, month }, outputs }) {
          const document = await documents.load(outputs()['render.document'] ?? '');
          if (document === null) throw new CriticizerError('INVOICE_MISSING', 'the rendered invoice is gone');
          const to = { address: customer.mail, name: customer.name };
          const text = Buffer.from(document).toString('utf8');
          // However often this runs, there is one mail: the first call writes it, the others find it.
          const { row } = await mails.send({ dedupeKey: `invoice/${month}`, to, subject: `Invoice ${month}`, text });
          if (row.status === 'sent') return { kind: 'done', result: { mail: row.key } };
          if (row.status === 'failed')
            throw new CriticizerError('INVOICE_REFUSED', 'the mail server refused it', { category: 'policy' });
          return { kind: 'wait', delayMs: 300, reason: 'the mail server' };
        },
      },
    ],
  };
}

/** The key makes one job of however many calls: whoever starts the month's run twice starts it once. */
export function invoiceJob(invoice: Invoice): NewJob {
  return {
    kind,
    stage: 'render',
    payload: invoice,
    idempotencyKey: `${kind}:${invoice.month}:${invoice.customer.mail}`,
  };
}
// #endregion
