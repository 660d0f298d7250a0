import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { CriticizerError } from '../../foundation/errors.js';

/** The bytes of a frozen message and their digest, as an outbox row refers to them. */
export interface EncodedMessage {
  /** Canonical JSON, UTF-8: fixed order of members, no white space. */
  bytes: Uint8Array;
  /** SHA-256 of the bytes, hex. */
  sha256: string;
}

/** Of the bytes of a message; another one is unreadable for this release, not broken. */
export const FORMAT = 1;

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Paths and reasons of the first problems; never a value. */
export function describeProblems(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.') || 'message'}: ${issue.message}`)
    .join('; ');
}

/** Canonical JSON as bytes with their digest. */
export function encodeMessage(canonical: object): EncodedMessage {
  const bytes = Buffer.from(JSON.stringify(canonical), 'utf8');
  return { bytes, sha256: digest(bytes) };
}

/**
 * A message of a newer release, or of a kind that the row's sender does not send, is sound: it waits
 * for a worker that knows it.
 */
function refuseUnknown(parsed: unknown, expected: string): void {
  const { kind, format } = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as Record<string, unknown>;
  const isMessage = typeof kind === 'string' && kind.length <= 64 && Number.isSafeInteger(format);
  if (!isMessage || (kind === expected && format === FORMAT)) return;
  const message = 'The stored message is of a kind or format that this release does not know.';
  const details = { kind, format: format as number };
  throw new CriticizerError('MESSAGE_KIND_UNKNOWN', message, { category: 'validation', parks: true, details });
}

/**
 * Reads a frozen message of one kind back, checked as strictly as it was written. Throws
 * `MAIL_DIGEST_MISMATCH` where the bytes are not those the row was made with, `MAIL_UNREADABLE` where
 * they are no frozen message (both category `bug`), and `MESSAGE_KIND_UNKNOWN` (parks) for another kind
 * or format.
 */
export function decodeMessage<T>(bytes: Uint8Array, sha256: string, kind: string, schema: z.ZodType<T>): T {
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
  refuseUnknown(parsed, kind);
  const checked = schema.safeParse(parsed);
  if (checked.success) return checked.data;
  const problems = describeProblems(checked.error);
  throw new CriticizerError('MAIL_UNREADABLE', `The stored mail does not fit its schema: ${problems}`, {
    category: 'bug',
  });
}
