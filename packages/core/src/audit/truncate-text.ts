import { createHash } from 'node:crypto';

const encoder = new TextEncoder();

/**
 * The longest prefix of `text` that takes at most `maxBytes` in UTF-8 and ends at a character.
 * Gives the prefix and its size in bytes. Looks at no more of the text than it keeps.
 */
export function cutAtCharacter(text: string, maxBytes: number): { kept: string; bytes: number } {
  const { read, written } = encoder.encodeInto(text, new Uint8Array(maxBytes));
  return { kept: text.slice(0, read), bytes: written };
}

/**
 * `text` where it takes at most `maxBytes` in UTF-8; else a prefix that ends at a character and
 * `<TRUNCATED bytes_original=… bytes_kept=… sha256=…>`, at most `maxBytes` together (AUD-9, ruling
 * R5). The digest is that of the whole text.
 */
export function truncateText(text: string, maxBytes: number): string {
  const original = Buffer.byteLength(text);
  if (original <= maxBytes) return text;
  const sha256 = createHash('sha256').update(text).digest('hex');
  const marker = (kept: number): string => `<TRUNCATED bytes_original=${original} bytes_kept=${kept} sha256=${sha256}>`;
  const { kept, bytes } = cutAtCharacter(text, Math.max(0, maxBytes - marker(maxBytes).length));
  return kept + marker(bytes);
}
