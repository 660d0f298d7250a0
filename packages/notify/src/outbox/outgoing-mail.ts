import { checkArray, checkedElsewhere, checkName, type OptionShape, optional } from '@criticizer/core/internal';
import type { ContentLevel, OutboxRow } from '@criticizer/core/ports';
import { mailbox } from '../option-shapes.js';

/** A mail of the host: what it says, to whom, and the key that makes it one mail. */
export interface OutgoingMail {
  /**
   * What makes this mail this mail: a second one with the same key to the same recipient is never
   * sent. 1 to 200 characters.
   */
  dedupeKey: string;
  to: { address: string; name?: string | undefined };
  subject: string;
  text: string;
  /** Left out: plain text only. */
  html?: string | undefined;
  /** `X-…`, `List-…` and others that name nobody. */
  headers?: readonly { name: string; value: string }[] | undefined;
  /** Where replies go. Default: `from`. */
  replyTo?: { address: string; name?: string | undefined } | undefined;
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
 * way, and stands as it was first written. `differs` is true where its text, subject, names or
 * headers are not those given now, null where the first mail is gone or cannot be read.
 */
export type MailIntent =
  | { outcome: 'added'; row: OutboxRow }
  | { outcome: 'existing'; row: OutboxRow; differs: boolean | null };

/** `encodeFrozenMail` checks the values. */
export const mailShape: OptionShape<OutgoingMail> = {
  dedupeKey: checkedElsewhere,
  to: mailbox,
  subject: checkedElsewhere,
  text: checkedElsewhere,
  html: checkedElsewhere,
  headers: optional(checkArray),
  replyTo: optional(mailbox),
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
