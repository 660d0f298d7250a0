// Servers leave out and add fields at will; nothing here trusts a shape.
import { CriticizerError } from '../../foundation/errors.js';
import type { HttpResponse } from '../../http/http-client.js';

/** The fields of a JSON object; none for anything else. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value's fields, or none where it is no object. */
export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** The value's items, or none where it is no array. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value where it is a string, else the empty string. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A count of tokens, or null for what is no whole number of at least 0. */
export function tokens(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** The sum of counts, leaving out those that are null; null where all are. */
export function sumTokens(...counts: readonly (number | null)[]): number | null {
  const known = counts.filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0);
}

/** Parses the body as JSON; undefined where it is none. */
export function parseBody(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** The fields of a reply. Throws `LLM_REPLY_UNREADABLE` (upstream) where the body is not a JSON object at all. */
export function readReplyFields(response: HttpResponse, { host }: { host: string }): Fields {
  const parsed = parseBody(response.body);
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Fields;
  throw new CriticizerError('LLM_REPLY_UNREADABLE', 'the reply of the model endpoint is not a JSON object', {
    category: 'upstream',
    details: { host, status: response.status, bytes: response.body.byteLength },
  });
}

const idText = /^[\x21-\x7e]{1,200}$/;

/** A vendor's id for support; a value that is not short printable ASCII is not passed on. */
export function readRequestId(id: unknown): string | null {
  return typeof id === 'string' && idText.test(id) ? id : null;
}
