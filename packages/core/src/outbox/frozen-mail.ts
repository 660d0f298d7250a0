import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CriticizerError } from '../foundation/errors.js';
import { contentLevels } from '../foundation/outbound.js';
import { attachmentsSchema, decodeAttachments, encodeAttachments } from './mail-attachments.js';
import { fitsHeader, isAllowedHeader } from './mail-headers.js';
import type { FrozenMail } from './mailer.js';
import { parseRecipient } from './recipient-key.js';

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

/** Of the bytes of a mail; another one is unreadable for this release, not broken. */
const FORMAT = 1;
/** What is frozen. Messages of other channels are to have kinds of their own. */
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
export interface EncodedMail {
  /** Canonical JSON, UTF-8: fixed order of members, no white space. */
  bytes: Uint8Array;
  /** SHA-256 of the bytes, hex. */
  sha256: string;
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Paths and reasons of the first problems; never a value. */
function problems(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.') || 'mail'}: ${issue.message}`)
    .join('; ');
}

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
  if (!checked.success) throw new TypeError(`encodeFrozenMail: ${problems(checked.error)}`);
  const bytes = Buffer.from(JSON.stringify(canonical), 'utf8');
  return { bytes, sha256: digest(bytes) };
}

/**
 * A message of a newer release, or of a channel that this one lacks, is sound: it waits for a
 * worker that knows it.
 */
function refuseUnknown(parsed: unknown): void {
  const { kind, format } = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as Record<string, unknown>;
  const isMessage = typeof kind === 'string' && kind.length <= 64 && Number.isSafeInteger(format);
  if (!isMessage || (kind === KIND && format === FORMAT)) return;
  const message = 'The stored message is of a kind or format that this release does not know.';
  const details = { kind, format: format as number };
  throw new CriticizerError('MESSAGE_KIND_UNKNOWN', message, { category: 'validation', parks: true, details });
}

/**
 * Reads a frozen mail back, checked as strictly as it was written. Throws `MAIL_DIGEST_MISMATCH`
 * where the bytes are not those the row was made with, `MAIL_UNREADABLE` where they are no frozen
 * message (both category `bug`), and `MESSAGE_KIND_UNKNOWN` (parks) for a kind or format that this
 * release does not know.
 */
export function decodeFrozenMail(bytes: Uint8Array, sha256: string): FrozenMail {
  if (digest(bytes) !== sha256) {
    throw new CriticizerError('MAIL_DIGEST_MISMATCH', 'The stored mail is not the one this row was made with.', {
      category: 'bug',
    });
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw new CriticizerError('MAIL_UNREADABLE', 'The stored mail is not JSON.', { category: 'bug' });
  }
  refuseUnknown(parsed);
  const checked = frozenMailSchema.safeParse(parsed);
  if (!checked.success) {
    throw new CriticizerError(
      'MAIL_UNREADABLE',
      `The stored mail does not fit its schema: ${problems(checked.error)}`,
      {
        category: 'bug',
      },
    );
  }
  const { format: _format, kind: _kind, date, attachments, ...rest } = checked.data;
  const files = attachments === undefined ? {} : { attachments: decodeAttachments(attachments) };
  return { ...rest, ...files, date: new Date(date) };
}
