// #region mail
import type { Stores } from '@criticizer/core';
import type { Mailer, MessageVault } from '@criticizer/core/ports';
import { createMailOutbox, type MailOutbox } from '@criticizer/notify';

/**
 * Mails of the host's own on the outbox table. `vault` keeps the message bytes; the database holds
 * only their digest.
 */
export function createInvoiceMails<Tx>(stores: Stores<Tx>, vault: MessageVault, mailer: Mailer): MailOutbox<Tx> {
  const from = { address: 'billing@example.com', name: 'Billing' };
  return createMailOutbox({
    outbox: stores.outbox,
    vault,
    mailer,
    from,
    host: 'example.com',
    storeNow: () => stores.now(),
  });
}

/** The mail is promised exactly if the host's own transaction commits. */
export async function payAndTell<Tx>(
  stores: Stores<Tx>,
  mails: MailOutbox<Tx>,
  invoice: string,
  pay: (tx: Tx) => Promise<void>,
) {
  return stores.transaction(async (tx) => {
    await pay(tx);
    const to = { address: 'customer@example.com' };
    const { outcome } = await mails.send(
      { dedupeKey: `paid/${invoice}`, to, subject: `Invoice ${invoice}`, text: 'Paid.' },
      { tx },
    );
    return outcome;
  });
}
// #endregion
