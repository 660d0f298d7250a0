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
  return 5 + (typeof value === 'string' ? Buffer.byteLength(value) : value.length);
}

/** Returns the position after it. */
function writeValue(record: Buffer, value: string | number | Uint8Array, from: number): number {
  if (typeof value === 'number') return record.writeInt32LE(value, from + record.write('i', from));
  const start = from + record.write('s', from) + 4;
  if (typeof value === 'string') {
    const bytes = record.write(value, start);
    record.writeUInt32LE(bytes, start - 4);
    return start + bytes;
  }
  record.set(value, start);
  record.writeUInt32LE(value.length, start - 4);
  return start + value.length;
}
