/** What JSON may escape, and some characters that it does not: those take the slow way. */
const ESCAPED = /["\\\p{Cc}\p{Surrogate}]/u;

/** Size in UTF-8 bytes of a text as JSON, quotes and escapes included. */
export function jsonTextBytes(text: string): number {
  return ESCAPED.test(text) ? Buffer.byteLength(JSON.stringify(text)) : Buffer.byteLength(text) + 2;
}

/** Size in UTF-8 bytes of the brackets, commas and colons around `count` children. */
export function jsonFrameBytes(kind: 'array' | 'object', count: number): number {
  return 2 + Math.max(0, count - 1) + (kind === 'object' ? count : 0);
}
