import { Buffer } from 'node:buffer';
import { CriticizerError } from '@criticizer/core';
import type { MarshalRecord } from './marshal-reader.js';
import type { P4Message } from './p4-messages.js';

/** One record of tagged output: fields in the order sent, values as bytes. */
export type P4Fields = ReadonlyMap<string, Buffer>;

/** What the client prints, told apart. */
export type P4Output =
  | { kind: 'stat'; fields: P4Fields }
  | { kind: 'text' | 'binary'; data: Buffer }
  | { kind: 'info'; data: Buffer }
  | { kind: 'message'; message: P4Message };

/** Reads the meaning of a record. Throws `P4_MALFORMED_OUTPUT` for a record that is none of these or names a field twice. */
export function p4Output(record: MarshalRecord): P4Output {
  const { entries } = record;
  const code = entries[0]?.[0] === 'code' && typeof entries[0][1] !== 'number' ? entries[0][1].toString('latin1') : '';
  if (code === 'stat') return { kind: 'stat', fields: textFields(entries) };
  const values = new Map(entries);
  if (values.size !== entries.length) throw malformed('a field twice');
  const data = values.get('data');
  if (!Buffer.isBuffer(data)) throw malformed('a record without data');
  if (code === 'text' || code === 'binary') return { kind: code, data };
  if (code === 'info') return { kind: 'info', data };
  if (code !== 'error') throw malformed('a record of an unknown kind');
  const severity = values.get('severity');
  const generic = values.get('generic');
  return {
    kind: 'message',
    message: {
      severity: typeof severity === 'number' ? severity : null,
      generic: typeof generic === 'number' ? generic : null,
      text: data.toString('utf8'),
    },
  };
}

/** A field as text, or null where it is absent. Bytes that are not UTF-8 become U+FFFD: for paths use the bytes. */
export function fieldText(fields: P4Fields, key: string): string | null {
  return fields.get(key)?.toString('utf8') ?? null;
}

/** A field as a whole number >= 0, or null where it is absent or not one. */
export function fieldNumber(fields: P4Fields, key: string): number | null {
  const text = fieldText(fields, key);
  if (text === null || !/^[0-9]{1,15}$/.test(text)) return null;
  return Number(text);
}

/** All but `code`, which comes first. */
function textFields(entries: MarshalRecord['entries']): P4Fields {
  const fields = new Map<string, Buffer>();
  for (let at = 1; at < entries.length; at += 1) {
    const [key, value] = entries[at] ?? ['', 0];
    if (typeof value === 'number') throw malformed('a number in a tagged record');
    fields.set(key, value);
  }
  if (fields.size !== entries.length - 1 || fields.has('code')) throw malformed('a field twice');
  return fields;
}

function malformed(why: string): CriticizerError {
  return new CriticizerError('P4_MALFORMED_OUTPUT', `The p4 client sent a record this version cannot read: ${why}.`, {
    category: 'upstream',
  });
}
