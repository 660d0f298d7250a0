import { CriticizerError } from '../foundation/errors.js';
import { parseRecipient } from '../outbox/recipient-key.js';
import type { Recipient } from './recipient-resolver.js';

export interface KeyedRecipient extends Recipient {
  recipientKey: string;
}

/** More is a mailing list's work, not a review's. */
const maxRecipients = 500;

/**
 * One entry an address, required wins, the first name given stays; in the order first seen. Throws
 * `RECIPIENT_INVALID`, and `RECIPIENTS_TOO_MANY` above 500.
 */
export function mergeRecipients(all: readonly Recipient[]): readonly KeyedRecipient[] {
  const merged = new Map<string, KeyedRecipient>();
  for (const recipient of all) {
    const { address, recipientKey } = parseRecipient(recipient.address);
    const earlier = merged.get(recipientKey);
    merged.set(recipientKey, {
      address: earlier?.address ?? address,
      name: earlier?.name ?? recipient.name,
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
  return [...merged.values()];
}
