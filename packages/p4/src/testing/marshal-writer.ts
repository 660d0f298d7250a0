import { Buffer } from 'node:buffer';

/** Writes one record as `p4 -G` does: `{`, pairs of key and value, `0`. */
export function marshalRecord(entries: readonly (readonly [string, string | number | Uint8Array])[]): Buffer {
  let size = 2;
  for (const [key, value] of entries) size += valueBytes(key) + valueBytes(value);
  const record = Buffer.allocUnsafe(size);
  let at = record.write('{', 0);
  for (const [key, value] of entries) at = writeValue(record, value, writeValue(record, key, at));
  record.write('0', at);
  return record;
}

function valueBytes(value: string | number | Uint8Array): number {
  if (typeof value === 'number') return 5;
  return 5 + (typeof value === 'string' ? textBytes(value) : value.length);
}

/** Returns the position after it. */
function writeValue(record: Buffer, value: string | number | Uint8Array, from: number): number {
  if (typeof value === 'number') return record.writeInt32LE(value, from + record.write('i', from));
  const start = from + record.write('s', from) + 4;
  if (typeof value === 'string' && !loneBytes.test(value)) {
    const length = record.write(value, start);
    record.writeUInt32LE(length, start - 4);
    return start + length;
  }
  const bytes = typeof value === 'string' ? encodeText(value) : value;
  record.set(bytes, start);
  record.writeUInt32LE(bytes.length, start - 4);
  return start + bytes.length;
}

const loneBytes = /[\uDC80-\uDCFF]/u;

function textBytes(text: string): number {
  return loneBytes.test(text) ? encodeText(text).length : Buffer.byteLength(text);
}

/** UTF-8; a lone `\uDCFC` is the byte FC, so that a model in JSON can hold what is no text. */
function encodeText(text: string): Buffer {
  const parts = [...text].map((character) =>
    loneBytes.test(character) ? Buffer.from([character.charCodeAt(0) & 0xff]) : Buffer.from(character),
  );
  return Buffer.concat(parts);
}
