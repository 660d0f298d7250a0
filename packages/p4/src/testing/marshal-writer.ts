import { Buffer } from 'node:buffer';

/** Writes one record as `p4 -G` does: `{`, pairs of key and value, `0`. */
export function marshalRecord(entries: readonly (readonly [string, string | number | Uint8Array])[]): Buffer {
  const parts: Buffer[] = [Buffer.from('{')];
  for (const [key, value] of entries) parts.push(marshalValue(key), marshalValue(value));
  parts.push(Buffer.from('0'));
  return Buffer.concat(parts);
}

function marshalValue(value: string | number | Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  if (typeof value === 'number') {
    head.write('i');
    head.writeInt32LE(value, 1);
    return head;
  }
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  head.write('s');
  head.writeUInt32LE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
