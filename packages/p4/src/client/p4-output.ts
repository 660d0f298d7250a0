import { Buffer } from 'node:buffer';
import { CriticizerError } from '@criticizer/core/ports';
import type { MarshalRecord, MarshalValue } from './marshal-reader.js';
import type { P4Message } from './messages/p4-messages.js';

/** One record of tagged output. */
export interface P4Fields {
  has(key: string): boolean;
  /** In the order sent. */
  keys(): Iterable<string>;
  /** The bytes as sent. */
  get(key: string): Buffer | undefined;
  /**
   * The bytes as text, null where the field is absent. Bytes that are not UTF-8 become U+FFFD: for
   * paths use the bytes.
   */
  text(key: string): string | null;
}

/** What the client prints, told apart. */
export type P4Output =
  | { kind: 'stat'; fields: P4Fields }
  | { kind: 'text' | 'binary'; data: Buffer }
  | { kind: 'info'; data: Buffer }
  | { kind: 'message'; message: P4Message };

/**
 * Reads the meaning of a record. Throws `P4_MALFORMED_OUTPUT` for a record that is none of these or
 * names a field twice.
 */
export function p4Output({ keys, values }: MarshalRecord): P4Output {
  const code = keys[0] === 'code' ? values[0] : undefined;
  const fields = new Map<string, MarshalValue>();
  for (let at = 1; at < keys.length; at += 1) fields.set(keys[at] ?? '', values[at] ?? 0);
  if (fields.size !== keys.length - 1 || fields.has('code')) throw malformed('a field twice');
  if (code === 'stat') return { kind: 'stat', fields: new TaggedFields(fields) };
  const data = bytesOf(fields.get('data'));
  if (data === undefined) throw malformed('a record without data');
  if (code === 'text' || code === 'binary' || code === 'info') return { kind: code, data };
  if (code !== 'error') throw malformed('a record of an unknown kind');
  const severity = fields.get('severity');
  const generic = fields.get('generic');
  return {
    kind: 'message',
    message: {
      severity: typeof severity === 'number' ? severity : null,
      generic: typeof generic === 'number' ? generic : null,
      text: data.toString('utf8'),
    },
  };
}

/** A field as text; see `P4Fields.text`. */
export function fieldText(fields: P4Fields, key: string): string | null {
  return fields.text(key);
}

/** A field as a whole number >= 0, or null where it is absent or not one. */
export function fieldNumber(fields: P4Fields, key: string): number | null {
  const text = fieldText(fields, key);
  if (text === null || !/^[0-9]{1,15}$/.test(text)) return null;
  return Number(text);
}

class TaggedFields implements P4Fields {
  constructor(private readonly values: ReadonlyMap<string, MarshalValue>) {
    for (const value of values.values()) if (typeof value === 'number') throw malformed('a number in a tagged record');
  }

  has(key: string): boolean {
    return this.values.has(key);
  }

  keys(): Iterable<string> {
    return this.values.keys();
  }

  get(key: string): Buffer | undefined {
    return bytesOf(this.values.get(key));
  }

  text(key: string): string | null {
    const value = this.values.get(key);
    // ASCII is the same in both encodings.
    if (typeof value === 'string' && /^[\0-\x7f]*$/.test(value)) return value;
    return bytesOf(value)?.toString('utf8') ?? null;
  }
}

function bytesOf(value: MarshalValue | undefined): Buffer | undefined {
  if (typeof value === 'string') return Buffer.from(value, 'latin1');
  return typeof value === 'number' ? undefined : value;
}

function malformed(why: string): CriticizerError {
  return new CriticizerError('P4_MALFORMED_OUTPUT', `The p4 client sent a record this version cannot read: ${why}.`, {
    category: 'upstream',
  });
}
