import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CriticizerError } from '../foundation/errors.js';
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

/** Unfolded, a longer token would make a line that RFC 5322 forbids. */
const MAX_TOKEN_BYTES = 900;
const MAX_HEADER_BYTES = 8_192;
const MAX_BODY_CHARS = 5_000_000;
const CONTROL_OR_UNPAIRED = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
/** Set by the mailer from other fields, or able to add recipients or change how the body is read. */
const RESERVED =
  /^(?:from|sender|to|cc|bcc|subject|date|message-id|mime-version|content-.*|return-path|received|resent-.*|dkim-.*|arc-.*)$/i;

function fitsHeader(value: string): boolean {
  if (CONTROL_OR_UNPAIRED.test(value) || Buffer.byteLength(value) > MAX_HEADER_BYTES) return false;
  return value.split(' ').every((token) => Buffer.byteLength(token) <= MAX_TOKEN_BYTES);
}

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
const headerName = z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/);

const frozenMailSchema = z.strictObject({
  version: z.literal(1),
  messageId: z.string().regex(/^<[A-Za-z0-9._-]{1,64}@[A-Za-z0-9.-]{1,253}>$/),
  from: mailbox,
  envelopeFrom: address,
  to: mailbox,
  subject: headerText.max(998),
  date: z.iso.datetime({ precision: 3 }),
  text: z.string().max(MAX_BODY_CHARS),
  html: z.string().max(MAX_BODY_CHARS),
  headers: z
    .array(
      z.strictObject({
        name: headerName.refine((name) => !RESERVED.test(name), 'set by the mailer'),
        value: headerText,
      }),
    )
    .max(100),
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
    version: 1,
    messageId: mail.messageId,
    from: box(mail.from),
    envelopeFrom: mail.envelopeFrom,
    to: box(mail.to),
    subject: mail.subject,
    date: mail.date.toISOString(),
    text: mail.text,
    html: mail.html,
    headers: mail.headers.map((header) => ({ name: header.name, value: header.value })),
  };
  const checked = frozenMailSchema.safeParse(canonical);
  if (!checked.success) throw new TypeError(`encodeFrozenMail: ${problems(checked.error)}`);
  const bytes = Buffer.from(JSON.stringify(canonical), 'utf8');
  return { bytes, sha256: digest(bytes) };
}

/**
 * Reads a frozen mail back, checked as strictly as it was written. Throws `MAIL_DIGEST_MISMATCH`
 * where the bytes are not those the row was made with, `MAIL_UNREADABLE` where they are no frozen
 * mail of a version this release knows; both category `bug`.
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
  const { version: _version, date, ...rest } = checked.data;
  return { ...rest, date: new Date(date) };
}
