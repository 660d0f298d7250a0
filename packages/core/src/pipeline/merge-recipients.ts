import { parseRecipient } from '../notify/recipient-key.js';
import type { Recipient } from '../notify/recipient-resolver.js';

export interface KeyedRecipient extends Recipient {
  recipientKey: string;
}

/** One entry an address, required wins, the first name given stays; in the order first seen. Throws `RECIPIENT_INVALID`. */
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
  return [...merged.values()];
}
