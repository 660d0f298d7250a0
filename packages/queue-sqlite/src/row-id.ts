import { randomUUID } from 'node:crypto';

/**
 * Makes UUIDs of version 7 whose order is the order of making: the store's milliseconds, then a count that goes on within one store,
 * then 48 random bits. Rows created in one batch so keep the caller's order when sorted by (created_at, id).
 */
export function createRowIds(): (nowMs: number) => string {
  let made = 0;
  return (nowMs) => {
    const count = made++ & 0xffffff;
    const time = nowMs.toString(16).padStart(12, '0');
    const high = (count >>> 12).toString(16).padStart(3, '0');
    const low = (count & 0xfff).toString(16).padStart(3, '0');
    // The last 12 digits of a random UUID are all random, and it draws from the system once for many.
    return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-8${low}-${randomUUID().slice(24)}`;
  };
}
