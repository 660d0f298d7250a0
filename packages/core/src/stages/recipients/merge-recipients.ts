import { CriticizerError } from '../../foundation/errors.js';
import { parseRecipient } from '../../outbox/recipient-key.js';
import type { Mailers } from '../../outbox/senders/mailers.js';
import type { Recipient } from './recipient-resolver.js';

/** A recipient whose address was parsed: once, where it came in. */
export interface ParsedRecipient extends Recipient {
  recipientKey: string;
}

/** A recipient with the mailer that it goes by, resolved. */
export interface KeyedRecipient extends ParsedRecipient {
  via: string;
}

/** Throws `RECIPIENT_INVALID` for an address that is not usable. */
export function parseRecipients(recipients: readonly Recipient[]): readonly ParsedRecipient[] {
  return recipients.map((recipient) => ({ ...recipient, ...parseRecipient(recipient.address) }));
}

/** More is a mailing list's work, not a review's. */
const maxRecipients = 500;

/**
 * One entry an address, required wins, the first name, mailer and reason given stay; in the order
 * first seen. Throws `MAILER_UNKNOWN`, and `RECIPIENTS_TOO_MANY` above 500.
 */
export function mergeRecipients(all: readonly ParsedRecipient[], mailers: Mailers): readonly KeyedRecipient[] {
  const merged = new Map<string, ParsedRecipient>();
  for (const recipient of all) {
    const { address, recipientKey } = recipient;
    const earlier = merged.get(recipientKey);
    merged.set(recipientKey, {
      address: earlier?.address ?? address,
      name: earlier?.name ?? recipient.name,
      via: earlier?.via ?? recipient.via,
      reason: earlier?.reason ?? recipient.reason,
      required: recipient.required || (earlier?.required ?? false),
      recipientKey,
    });
  }
  if (merged.size > maxRecipients)
    throw new CriticizerError(
      'RECIPIENTS_TOO_MANY',
      `${merged.size} recipients; a review goes to at most ${maxRecipients}. Use a mailing list.`,
      {
        category: 'validation',
        details: { recipients: merged.size },
      },
    );
  return [...merged.values()].map((one) => ({ ...one, via: mailers.resolve(one.via) }));
}
