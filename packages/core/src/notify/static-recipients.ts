import type { Recipient, RecipientResolver } from './recipient-resolver.js';

/** The same recipients for every change. */
export function createStaticRecipients(recipients: readonly Recipient[]): RecipientResolver {
  const copy = recipients.map((recipient) => ({ ...recipient }));
  return { resolve: async () => copy.map((recipient) => ({ ...recipient })) };
}
