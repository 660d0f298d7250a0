import { randomUUID } from 'node:crypto';

/**
 * Makes the last 20 hex digits of UUIDs of version 7: a count that goes on within one store, then
 * 48 random bits. A store puts its own milliseconds in front, so that ids sort like (created_at,
 * id) and rows of one batch keep the caller's order. `uuid` gives the random digits.
 */
export function createIdTails(uuid: () => string = randomUUID): () => string {
  let made = 0;
  return () => {
    const count = made++ & 0xffffff;
    const high = (count >>> 12).toString(16).padStart(3, '0');
    const low = (count & 0xfff).toString(16).padStart(3, '0');
    // The last 12 digits of a random UUID are all random, and it draws from the system once for many.
    return `7${high}8${low}${uuid().slice(24)}`;
  };
}
