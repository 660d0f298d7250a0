import { checkFields, type OptionShape } from '../../foundation/check-options.js';
import { checkArray, checkBoolean, oneOf } from '../../foundation/option-checks.js';
import { checkMs, checkText, checkWhole } from '../../foundation/store-input.js';
import type { MessagePruning } from '../message-store.js';
import { mailChoices, type RecipientPreference } from '../preference-store.js';

/** A mail has at most 5 million characters of text and of HTML, and 10 MB of attachments as Base64. */
const maxMessageBytes = 40_000_000;

/** What every store checks before it keeps a message. Throws `TypeError` naming the option. */
export function checkMessage(bytes: Uint8Array, about: { changelistId: string; jobId: string | null }): void {
  if (!(bytes instanceof Uint8Array) || bytes.byteLength === 0 || bytes.byteLength > maxMessageBytes)
    throw new TypeError(`bytes: expected 1 to ${maxMessageBytes} bytes`);
  checkText('about.changelistId', about.changelistId);
  if (about.jobId !== null) checkText('about.jobId', about.jobId);
}

/** Throws `TypeError` naming the option. */
export function checkMessagePruning({ olderThanMs, limit }: MessagePruning): void {
  checkMs('pruning.olderThanMs', olderThanMs);
  checkWhole('pruning.limit', limit, 1, 10_000);
}

const preferenceShape: OptionShape<RecipientPreference> = {
  mails: oneOf(...mailChoices),
  linkOnly: checkBoolean,
};

/** A key as outbox rows have it: at most as long as an address may be. */
const checkKey = (option: string, value: unknown): void => checkText(option, value, 320);

/** What every store checks before it writes a preference. Throws `TypeError` naming the option. */
export function checkPreference(recipientKey: string, preference: RecipientPreference): void {
  checkKey('recipientKey', recipientKey);
  checkFields('preference', preference, preferenceShape);
}

/** Throws `TypeError` unless these are 1 to 1,000 keys. */
export function checkRecipientKeys(recipientKeys: readonly string[]): void {
  checkArray('recipientKeys', recipientKeys);
  checkWhole('recipientKeys.length', recipientKeys.length, 1, 1_000);
  for (const key of recipientKeys) checkKey('recipientKeys: a key', key);
}
