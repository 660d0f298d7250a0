import { createHash } from 'node:crypto';

const FENCE_CHARS = 32;
/** As long as every fence: for planning. */
export const fenceOfAnyRequest = '0'.repeat(FENCE_CHARS);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * The word that fences the untrusted texts of a request: 32 hex digits of their SHA-256, so that the
 * same content gives the same request and a dry run gives the bytes that a review sends (EGR-3).
 * No author can close a block: a text that holds the digest of itself takes 2^128 tries. Should one
 * hold it all the same, in whatever case, the next counter gives another. `digest` is for tests.
 */
export function deriveFence(contents: readonly string[], digest: (text: string) => string = sha256): string {
  const lower = contents.map((text) => text.toLowerCase());
  for (let counter = 0; ; counter += 1) {
    const fence = digest(JSON.stringify([counter, ...contents])).slice(0, FENCE_CHARS);
    if (!lower.some((text) => text.includes(fence))) return fence;
  }
}
