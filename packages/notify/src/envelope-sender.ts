import { parseRecipient } from '@criticizer/core/ports';

/**
 * Where bounces go: one address, or a function of the outbox key (32 lower-case hex characters), so
 * that a bounce names the row it is about: `(key) => \`bounces+${key}@reviews.example.com\`` (VERP).
 * The function is pure; its answer is frozen with the mail.
 */
export type EnvelopeFrom = string | ((key: string) => string);

/**
 * The bounce address for a key, checked. Throws `RECIPIENT_INVALID` here for an address, or a
 * function's answer to a sample key, that is not one plain address; `TypeError` naming `option` for
 * what is neither.
 */
export function createEnvelopeSender(option: string, given: EnvelopeFrom): (key: string) => string {
  if (typeof given === 'string') {
    const { recipientKey } = parseRecipient(given);
    return () => recipientKey;
  }
  if (typeof given !== 'function') throw new TypeError(`${option}: expected an address or a function of the key`);
  const senderFor = (key: string): string => parseRecipient(given(key)).recipientKey;
  senderFor('0'.repeat(32)); // a wrong function is a mistake of now, not of the first mail
  return senderFor;
}
