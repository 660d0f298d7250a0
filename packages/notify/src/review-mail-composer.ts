import { type MailComposer, messageIdFor, parseRecipient } from '@criticizer/core';
import { composeReviewMail } from './compose-review-mail.js';
import type { ReviewMailInput, ReviewMailLabels } from './review-mail-input.js';

export interface ReviewMailComposerOptions {
  from: { address: string; name?: string | undefined };
  /** Where bounces go. Default: the address of `from`. */
  envelopeFrom?: string | undefined;
  /** Domain of Message-ID, List-Id and thread root. Keep it for good: a new one makes a new Message-ID for an open mail. */
  host: string;
  labels?: Partial<ReviewMailLabels> | undefined;
  /** The one link of the mail, from the change alone: the same change must give the same link. */
  changeUrl?: ((change: ReviewMailInput['change']) => string | undefined) | undefined;
}

/** The composer that a review service plugs into core: one look, one sender. Throws `TypeError` or `RECIPIENT_INVALID` for wrong options. */
export function createReviewMailComposer(options: ReviewMailComposerOptions): MailComposer {
  const { from, host, labels } = options;
  const envelopeFrom = parseRecipient(options.envelopeFrom ?? from.address).recipientKey;
  parseRecipient(from.address);
  messageIdFor('0'.repeat(32), host); // a wrong host is a mistake of now, not of the first mail
  return {
    compose(content, { recipient, key, date }) {
      const change = options.changeUrl?.(content.change);
      const input: ReviewMailInput = { ...content, labels, links: { change } };
      return composeReviewMail({ input, recipient, from, envelopeFrom, host, key, date });
    },
  };
}
