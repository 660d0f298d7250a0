import { makeVisible } from '../foundation/visible-text.js';
import { fenceOfAnyRequest } from './fence.js';

/** Text of the change, fenced in a block of its own, or our own words between blocks. */
export type PromptBlock = { kind: string; redacted: string } | { trusted: string };

export function openBlock(fence: string, kind: string): string {
  return `<<<${fence} ${kind}\n`;
}

export function closeBlock(fence: string): string {
  return `${fence}>>>\n`;
}

/** Bytes of a block's frame. */
export function frameBytes(kind: string): number {
  return openBlock(fenceOfAnyRequest, kind).length + closeBlock(fenceOfAnyRequest).length;
}

/** Cuts at a character, within `maxBytes` of UTF-8. */
export function clip(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}

/** Prose, each line behind a bar, at most `maxBytes` of it. Tells whether it was cut. */
export function quoteProse(prose: string, maxBytes: number): { text: string; cut: boolean } {
  const whole = makeVisible(prose.replaceAll('\r\n', '\n').trim());
  const text = clip(whole, maxBytes);
  const quoted = text === '' ? '(none)' : text.replaceAll('\n', '\n| ');
  return { text: `| ${quoted}\n`, cut: text.length < whole.length };
}
