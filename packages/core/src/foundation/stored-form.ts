import type { z } from 'zod';
import { CriticizerError } from './errors.js';

/** What one kind of stored document looks like, by the number in its `format`. */
export interface StoredForm<T> {
  /** For messages: `change summary`. */
  name: string;
  /** The formats that this version reads: the one that it writes, and earlier ones where there are any. */
  formats: Readonly<Record<number, z.ZodType<T>>>;
  /** The error for a document that does not have the form of its format; `path` is the first wrong field. */
  invalid(path: string): CriticizerError;
}

/** Bytes of stored JSON as a value; undefined where they are none, which no form accepts. */
export function parseStoredJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Reads a stored document by its format. Throws `STORED_FORMAT_UNKNOWN` (validation) for a number
 * that this version does not know, and what `form.invalid` makes for everything else that does not
 * fit. Neither quotes the document.
 */
export function readStoredForm<T>(value: unknown, form: StoredForm<T>): T {
  const format = typeof value === 'object' && value !== null && 'format' in value ? value.format : undefined;
  if (typeof format !== 'number') throw form.invalid('format');
  const schema = Object.hasOwn(form.formats, format) ? form.formats[format] : undefined;
  if (schema === undefined) {
    const reads = Object.keys(form.formats).map(Number);
    throw new CriticizerError(
      'STORED_FORMAT_UNKNOWN',
      `A stored ${form.name} has format ${format}; this version reads ${reads.join(', ')}.`,
      { category: 'validation', details: { name: form.name, format, reads } },
    );
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw form.invalid(read.error.issues[0]?.path.map(String).join('.') ?? '');
}
