import { z } from 'zod';
import { contentLevels } from '../../foundation/outbound.js';
import { parseRecipient } from '../recipient-key.js';
import type { FrozenMail } from '../senders/mailer.js';
import { decodeMessage, describeProblems, type EncodedMessage, encodeMessage, FORMAT } from './frozen-message.js';
import { attachmentsSchema, decodeAttachments, encodeAttachments } from './mail-attachments.js';
import { fitsHeader, isAllowedHeader } from './mail-headers.js';

/**
 * Where frozen mails rest between composition and delivery; over the artifact store in production,
 * never a database row (EGR-5).
 */
export interface MessageVault<Tx = unknown> {
  /**
   * Keeps the bytes and gives the id an outbox row refers to. With `tx` they are kept exactly if
   * that transaction commits: after a rollback `load` gives null for the id, and no readable copy
   * stays.
   */
  save(
    bytes: Uint8Array,
    about: { changelistId: string; jobId: string | null },
    options?: { tx?: Tx | undefined },
  ): Promise<string>;
  /** null when it is gone: expired, purged, discarded. Throws `CriticizerError` with its own category for outages. */
  load(id: string, options?: { signal?: AbortSignal | undefined }): Promise<Uint8Array | null>;
  /** Gives up what `save` kept and no row came to refer to. Left out: it stays until the vault's own clean-up. */
  discard?(id: string, options?: { tx?: Tx | undefined }): Promise<void>;
}

const MAX_BODY_CHARS = 5_000_000;

function isAddress(value: string): boolean {
  try {
    parseRecipient(value);
    return true;
  } catch {
    return false;
  }
}

const headerText = z.string().refine(fitsHeader, 'control characters, or a token too long for a header');
const address = z.string().refine(isAddress, 'not a plain address');
const mailbox = z.strictObject({ address, name: headerText.optional() });

/** What is frozen. Posts of channels have a kind of their own. */
const KIND = 'mail';

const frozenMailSchema = z.strictObject({
  format: z.literal(FORMAT),
  kind: z.literal(KIND),
  messageId: z.string().regex(/^<[A-Za-z0-9._-]{1,64}@[A-Za-z0-9.-]{1,253}>$/),
  from: mailbox,
  envelopeFrom: address,
  replyTo: mailbox.optional(),
  to: mailbox,
  shown: z.strictObject({ to: mailbox, cc: z.array(mailbox).max(100) }).optional(),
  subject: headerText.max(998),
  date: z.iso.datetime({ precision: 3 }),
  text: z.string().max(MAX_BODY_CHARS),
  html: z.string().max(MAX_BODY_CHARS),
  content: z.enum(contentLevels).optional(),
  headers: z
    .array(
      z.strictObject({
        name: z.string().refine(isAllowedHeader, 'a header that the mailer sets, or that names a recipient'),
        value: headerText,
      }),
    )
    .max(100),
  attachments: attachmentsSchema.optional(),
});

/** The bytes of a mail and their digest, as an outbox row refers to them. */
export type EncodedMail = EncodedMessage;

function box(value: FrozenMail['to']): FrozenMail['to'] {
  return { address: value.address, ...(value.name === undefined ? {} : { name: value.name }) };
}

/**
 * Freezes a mail (NOT-5): the same mail gives the same bytes in every process. Throws `TypeError`,
 * naming the field, where a header field holds a control character, a token no line can carry, a
 * reserved name, or an address that is not one plain address.
 */
export function encodeFrozenMail(mail: FrozenMail): EncodedMail {
  if (!(mail.date instanceof Date) || Number.isNaN(mail.date.getTime()))
    throw new TypeError('encodeFrozenMail: date: expected a valid Date');
  const canonical = {
    format: FORMAT,
    kind: KIND,
    messageId: mail.messageId,
    from: box(mail.from),
    envelopeFrom: mail.envelopeFrom,
    ...(mail.replyTo === undefined ? {} : { replyTo: box(mail.replyTo) }),
    to: box(mail.to),
    ...(mail.shown === undefined ? {} : { shown: { to: box(mail.shown.to), cc: mail.shown.cc.map(box) } }),
    subject: mail.subject,
    date: mail.date.toISOString(),
    text: mail.text,
    html: mail.html,
    ...(mail.content === undefined ? {} : { content: mail.content }),
    headers: mail.headers.map((header) => ({ name: header.name, value: header.value })),
    ...(mail.attachments === undefined ? {} : { attachments: encodeAttachments(mail.attachments) }),
  };
  const checked = frozenMailSchema.safeParse(canonical);
  if (!checked.success) throw new TypeError(`encodeFrozenMail: ${describeProblems(checked.error)}`);
  return encodeMessage(canonical);
}

/**
 * Reads a frozen mail back, checked as strictly as it was written. Throws `MAIL_DIGEST_MISMATCH`
 * where the bytes are not those the row was made with, `MAIL_UNREADABLE` where they are no frozen
 * message (both category `bug`), and `MESSAGE_KIND_UNKNOWN` (parks) for a kind or format that this
 * release does not know.
 */
export function decodeFrozenMail(bytes: Uint8Array, sha256: string): FrozenMail {
  const checked = decodeMessage(bytes, sha256, KIND, frozenMailSchema);
  const { format: _format, kind: _kind, date, attachments, ...rest } = checked;
  const files = attachments === undefined ? {} : { attachments: decodeAttachments(attachments) };
  return { ...rest, ...files, date: new Date(date) };
}
