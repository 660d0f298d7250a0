import { checkFields, type Mailers, messageIdFor, outboxKey } from '@criticizer/core/internal';
import {
  type ContentLevel,
  type EncodedMail,
  encodeFrozenMail,
  type FrozenMail,
  type NewOutboxRow,
  parseRecipient,
} from '@criticizer/core/ports';
import { type Mailbox, mailShape, type OutgoingMail, scopeOf } from './outgoing-mail.js';

/** One copy of a mail, for one recipient, before it is stored. */
export interface FrozenCopy {
  frozen: FrozenMail;
  encoded: EncodedMail;
  /** Without the id that the vault gives. */
  row: Omit<NewOutboxRow, 'messageArtifactId'>;
}

/** What every mail of one outbox shares. */
export interface FreezingParts {
  mailers: Mailers;
  from: Mailbox;
  host: string;
  senderFor(key: string): string;
  /** Throws where a mail with this content may not go to the recipient. */
  refuseDenied(via: string, recipientKey: string, content: ContentLevel): void;
}

const withKey = ({ address, name }: Mailbox): Mailbox => ({ address: parseRecipient(address).recipientKey, name });

/** `to` first, then those in `cc`, each address once. */
function readersOf({ to, cc = [] }: OutgoingMail): readonly Mailbox[] {
  if (cc.length > 100) throw new TypeError('mail outbox: mail.cc: expected at most 100 mailboxes');
  const readers = new Map<string, Mailbox>();
  for (const reader of [to, ...cc]) {
    const { recipientKey } = parseRecipient(reader.address);
    if (!readers.has(recipientKey)) readers.set(recipientKey, reader);
  }
  return [...readers.values()];
}

/**
 * The copies of one mail, frozen: the same for the same mail and date. Nothing is stored. Throws
 * `RECIPIENT_INVALID`, `MAILER_UNKNOWN`, what `refuseDenied` throws, and `TypeError` for what cannot
 * be a mail.
 */
export function freezeOutgoing(parts: FreezingParts, mail: OutgoingMail, now: Date): readonly FrozenCopy[] {
  checkFields('mail outbox: mail', mail, mailShape);
  const changelistId = scopeOf(mail.dedupeKey);
  const reviewVersion = mail.version ?? 1;
  const via = parts.mailers.resolve(mail.via);
  const readers = readersOf(mail);
  const [first, ...others] = readers.map(withKey);
  const shown = first !== undefined && others.length > 0 ? { to: first, cc: others } : undefined;
  const date = mail.sendAt !== undefined && mail.sendAt > now ? mail.sendAt : now;
  return readers.map((reader) => {
    const { address: recipient, recipientKey } = parseRecipient(reader.address);
    parts.refuseDenied(via, recipientKey, mail.content ?? 'code');
    const key = outboxKey({ changelistId, recipientKey, reviewVersion });
    const frozen: FrozenMail = {
      messageId: messageIdFor(key, parts.host),
      from: parts.from,
      envelopeFrom: parts.senderFor(key),
      replyTo: mail.replyTo,
      to: withKey(reader),
      shown,
      subject: mail.subject,
      date,
      text: mail.text,
      html: mail.html ?? '',
      content: mail.content,
      headers: mail.headers ?? [],
      attachments: mail.attachments,
    };
    const encoded = encodeFrozenMail(frozen);
    const row = {
      ...{ changelistId, reviewVersion, recipient, recipientKey, key, via },
      ...{ required: false, jobId: null, messageSha256: encoded.sha256, sendAt: mail.sendAt ?? null },
    };
    return { frozen, encoded, row };
  });
}
