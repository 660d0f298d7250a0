import {
  checkArray,
  checkDate,
  checkedElsewhere,
  checkName,
  type OptionShape,
  optional,
} from '@criticizer/core/internal';
import type { ContentLevel, MailAttachment, OutboxRow } from '@criticizer/core/ports';
import { mailbox } from '../option-shapes.js';

/** One who gets a mail. */
export interface Mailbox {
  address: string;
  name?: string | undefined;
}

/** A mail of the host: what it says, to whom, and the key that makes it one mail. */
export interface OutgoingMail {
  /**
   * What makes this mail this mail: a second one with the same key to the same recipient is never
   * sent. 1 to 200 characters.
   */
  dedupeKey: string;
  to: Mailbox;
  /**
   * Others who read it, at most 100. Everybody sees `to` and these, and each gets a copy of its own,
   * with a row of its own: one refused address holds nobody else up. Names an address once.
   */
  cc?: readonly Mailbox[] | undefined;
  subject: string;
  text: string;
  /** Left out: plain text only. */
  html?: string | undefined;
  /** `X-…`, `List-…` and others that name nobody. */
  headers?: readonly { name: string; value: string }[] | undefined;
  /** At most 20, and 10 MB together. Default: none. */
  attachments?: readonly MailAttachment[] | undefined;
  /** Where replies go. Default: `from`. */
  replyTo?: Mailbox | undefined;
  /** It is not sent before this instant, by the store's clock; its Date is then this one. Default: now. */
  sendAt?: Date | undefined;
  /** Id of the mailer that delivers it. Default: the first one. */
  via?: string | undefined;
  /** A higher one is a new mail under the same `dedupeKey`. Default 1. */
  version?: number | undefined;
  /**
   * How much of a review the mail holds, for `outbound`: a mail with none of it says `none`. Default
   * `code`, since only you know.
   */
  content?: ContentLevel | undefined;
}

/**
 * `existing`: a mail with this `dedupeKey`, recipient and version is there already, sent or on its
 * way, and stands as it was first written. `differs` is true where its text, subject, names, files or
 * headers are not those given now, null where the first mail is gone or cannot be read.
 */
export type MailIntent = (
  | { outcome: 'added'; row: OutboxRow }
  | { outcome: 'existing'; row: OutboxRow; differs: boolean | null }
) & {
  /** Of those in `cc`, in their order. Left out: there are none. */
  copies?: readonly MailIntent[] | undefined;
};

/** `encodeFrozenMail` checks the values. */
export const mailShape: OptionShape<OutgoingMail> = {
  dedupeKey: checkedElsewhere,
  to: mailbox,
  cc: optional((option, value) => {
    checkArray(option, value);
    for (const [at, one] of (value as readonly unknown[]).entries()) mailbox(`${option}[${at}]`, one);
  }),
  subject: checkedElsewhere,
  text: checkedElsewhere,
  html: checkedElsewhere,
  headers: optional(checkArray),
  attachments: optional(checkArray),
  replyTo: optional(mailbox),
  sendAt: optional(checkDate),
  via: optional(checkName),
  version: checkedElsewhere,
  content: checkedElsewhere,
};

/** Holds no `/`, which every `<serverId>/<number>` has: a host's mails never meet a review's. */
export function scopeOf(dedupeKey: string): string {
  if (
    typeof dedupeKey !== 'string' ||
    dedupeKey.length === 0 ||
    dedupeKey.length > 200 ||
    /[\p{Cc}\p{Cs}]/u.test(dedupeKey)
  ) {
    throw new TypeError('mail outbox: dedupeKey: expected 1 to 200 characters without controls');
  }
  return `mail:${encodeURIComponent(dedupeKey)}`;
}
