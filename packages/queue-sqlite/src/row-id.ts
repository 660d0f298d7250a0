import { randomFillSync } from 'node:crypto';

const randomLength = 6;

/**
 * Makes UUIDs of version 7 whose order is the order of making: the store's milliseconds, then a count that goes on within one store,
 * then 48 random bits. Rows created in one batch so keep the caller's order when sorted by (created_at, id).
 */
export function createRowIds(): (nowMs: number) => string {
  const random = Buffer.alloc(randomLength * 128); // a call per id would cost more than its row's look-ups
  let used = random.length;
  let made = 0;
  return (nowMs) => {
    if (used === random.length) {
      randomFillSync(random);
      used = 0;
    }
    const tail = random.toString('hex', used, used + randomLength);
    used += randomLength;
    const count = made++ & 0xffffff;
    const time = nowMs.toString(16).padStart(12, '0');
    const high = (count >>> 12).toString(16).padStart(3, '0');
    const low = (count & 0xfff).toString(16).padStart(3, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-8${low}-${tail}`;
  };
}
