/** Bytes of the text as JSON in UTF-8, quotes included. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

const ellipsis = '…';

/** The text with U+FFFD in place of each unpaired surrogate, which JSON escapes and strict parsers refuse. */
export const wellFormed = (text: string): string => text.replaceAll(/\p{Cs}/gu, '\ufffd');

/**
 * The text, well formed, or as much of its start as is at most `maxBytes` as JSON, with an ellipsis behind it. Cuts
 * between code points. `maxBytes` is at least 8.
 */
export function fitJson(given: string, maxBytes: number): { text: string; isCut: boolean } {
  const text = wellFormed(given);
  // No code unit takes less than a byte, so what lies behind is not measured.
  if (text.length <= maxBytes && jsonBytes(text) <= maxBytes) return { text, isCut: false };
  const room = maxBytes - jsonBytes(ellipsis);
  let used = 0;
  let end = 0;
  for (const point of text) {
    used += jsonBytes(point) - 2;
    if (used > room) break;
    end += point.length;
  }
  return { text: `${text.slice(0, end)}${ellipsis}`, isCut: true };
}
