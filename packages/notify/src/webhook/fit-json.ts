/** Bytes of the text as JSON in UTF-8, quotes included. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

const ellipsis = '…';

/**
 * The text, or as much of its start as is at most `maxBytes` as JSON, with an ellipsis behind it. Cuts
 * between code points. `maxBytes` is at least 8.
 */
export function fitJson(text: string, maxBytes: number): { text: string; isCut: boolean } {
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
