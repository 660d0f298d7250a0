import { isCriticizerError } from '../foundation/errors.js';
import type { JsonObject, JsonValue } from '../foundation/json.js';
import { storableText } from '../foundation/storable-text.js';

/** An error as it may reach a row, a log or an event (ERR-8). */
export interface SanitizedError {
  name: string;
  code: string | null;
  message: string;
  /** Stack and causes, cut. */
  stack: string;
  details: JsonObject;
}

/** Redacts free text; the injected redactor's `session().redact(text).text`. */
export type RedactText = (text: string) => string;

export const maxMessageBytes = 1_024;
const maxStackBytes = 8_192;
const maxLabelBytes = 512;

/** Cuts to at most `maxBytes` of UTF-8 without splitting a code point. */
export function cutUtf8(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

function text(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

function read(error: object, name: string): unknown {
  try {
    return (error as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}

/**
 * Redacting must not lose the failure itself: text that cannot be redacted is withheld, not shown.
 * What no store could hold is replaced.
 */
function safely(redactText: RedactText, value: string): string {
  try {
    return storableText(redactText(storableText(value)));
  } catch {
    return '[withheld: redaction failed]';
  }
}

/**
 * Of a word in capitals nobody expects a secret; whoever puts one there must not reach a row
 * (ERR-8). Null for what is no text.
 */
function label(redactText: RedactText, value: unknown): string | null {
  return typeof value === 'string' ? cutUtf8(safely(redactText, value), maxLabelBytes) : null;
}

function printed(value: unknown): string {
  try {
    return String(value);
  } catch {
    return typeof value; // a function behind a revoked proxy
  }
}

const maxDetailDepth = 8;

/**
 * Adapters promise that details are JSON and hold no secret; whoever breaks that promise must not
 * reach a row (ERR-8), and must not keep the failure from being stored.
 */
function redactDetails(details: unknown, redactText: RedactText): JsonObject {
  const clean = (value: unknown, depth: number): JsonValue | undefined => {
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
    if (typeof value === 'string' || typeof value === 'bigint')
      return cutUtf8(safely(redactText, String(value)), maxMessageBytes);
    if (typeof value !== 'object') return undefined;
    if (depth >= maxDetailDepth) return '[withheld: too deep]';
    if (Array.isArray(value)) return value.map((inner) => clean(inner, depth + 1) ?? null);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    const entries = Object.entries(value).map(([key, inner]) => [storableText(key), clean(inner, depth + 1)] as const);
    return Object.fromEntries(entries.filter((entry): entry is readonly [string, JsonValue] => entry[1] !== undefined));
  };
  try {
    const cleaned = clean(details, 0);
    return typeof cleaned === 'object' && cleaned !== null && !Array.isArray(cleaned) ? (cleaned as JsonObject) : {};
  } catch {
    return {}; // a getter that throws tells nothing
  }
}

/**
 * The only way from an error to something stored or printed: takes an allow-list of fields (name,
 * code, message, stack, causes' heads and a CriticizerError's details), redacts, cuts, and leaves
 * nothing that a store could not hold. Never throws.
 */
export function sanitizeError(error: unknown, redactText: RedactText): SanitizedError {
  if (typeof error !== 'object' || error === null)
    return {
      name: 'NonError',
      code: null,
      message: cutUtf8(safely(redactText, printed(error)), maxMessageBytes),
      stack: '',
      details: {},
    };
  const stacks: string[] = [];
  for (
    let at: unknown = error, depth = 0;
    typeof at === 'object' && at !== null && depth < 5;
    at = read(at, 'cause'), depth++
  ) {
    const head = `${text(read(at, 'name'), 'Error')}: ${text(read(at, 'message'), '')}`;
    stacks.push(`${depth === 0 ? '' : 'caused by '}${text(read(at, 'stack'), head)}`);
  }
  return {
    name: label(redactText, read(error, 'name')) ?? 'Error',
    code: label(redactText, read(error, 'code')),
    message: cutUtf8(safely(redactText, text(read(error, 'message'), '')), maxMessageBytes),
    stack: cutUtf8(safely(redactText, stacks.join('\n')), maxStackBytes),
    details: isCriticizerError(error) ? redactDetails(error.details, redactText) : {},
  };
}
