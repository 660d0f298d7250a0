// #region mail
import type { Stores } from '@criticizer/core';
import type { Mailer } from '@criticizer/core/ports';
import { createMailOutbox, type MailOutbox } from '@criticizer/notify';

/** Mails of the host's own. Rows and bytes lie in the tables of `stores`, whose module `notify` is enough. */
export function createInvoiceMails<Tx>(stores: Stores<Tx>, mailer: Mailer): MailOutbox<Tx> {
  const from = { address: 'billing@example.com', name: 'Billing' };
  return createMailOutbox({ stores, mailer, from });
}

/** The mail is promised exactly if the host's own transaction commits. */
export async function payAndTell<Tx>(
  stores: Stores<Tx>,
  mails: MailOutbox<Tx>,
  invoice: { number: string; pdf: Uint8Array },
  pay: (tx: Tx) => Promise<void>,
) {
  return stores.transaction(async (tx) => {
    await pay(tx);
    const { outcome } = await mails.send(
      {
        dedupeKey: `paid/${invoice.number}`,
        to: { address: 'customer@example.com' },
        cc: [{ address: 'accounts@example.com', name: 'Accounts' }],
        subject: `Invoice ${invoice.number}`,
        text: 'Paid. The invoice is attached.',
        attachments: [{ name: `${invoice.number}.pdf`, contentType: 'application/pdf', content: invoice.pdf }],
      },
      { tx },
    );
    return outcome;
  });
}
// #endregion
