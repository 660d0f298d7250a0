import { isSpace } from '../../lexicon/charset.js';
import type { Scan } from '../rule.js';
import { type Key, reportIfSecret } from './key-values.js';

/** Elements of a page: what they hold is shown. */
const SHOWING = /<(?:a|label|button|th|h[1-6]|legend|option|li|dt|summary)\b[^<>]{0,200}$/i;
const LONGEST_TAG = 220;
const CDATA = '<![CDATA[';
const MAX_ELEMENT = 512;
/** A character of the value that markup has another use for. */
const ENTITY = /&(?:amp|lt(?!;\/)|gt|quot|apos|#\d{1,7}|#x[\da-f]{1,6});/iy;
/** The same where the tags themselves are escaped. */
const ESCAPED_ENTITY = /&(?:amp(?:;amp|;quot|;apos)?|quot|apos|#\d{1,7});/iy;

/** `<label for="password">`, and `<a href="…password">`, whose name is but the end of an attribute. */
export function isShownOnPage(text: string, keyStart: number): boolean {
  return SHOWING.test(text.slice(Math.max(0, keyStart - LONGEST_TAG), keyStart));
}

/** Reports the text of an element from `from` on if it is a secret of its name; gives its end, or 0. */
export function confirmElement(scan: Scan, key: Key, from: number): number {
  const { text } = scan;
  let start = from;
  while (
    start - from < 80 &&
    (isSpace(text.charCodeAt(start)) || text.charCodeAt(start) === 10 || text.charCodeAt(start) === 13)
  )
    start += 1;
  if (text.startsWith(CDATA, start)) return confirmCdata(scan, key, start + CDATA.length);
  // A number of Verilog's: `'h2b7e…`.
  if (text.startsWith("'h", start)) start += 2;
  let end = endOfText(text, start);
  let close = end;
  while (text.charCodeAt(close) <= 32 && close - end < 80) close += 1;
  if (!text.startsWith('</', close) && !text.startsWith('&lt;', close)) return 0;
  while (end > start && text.charCodeAt(end - 1) <= 32) end -= 1;
  return reportIfSecret(scan, key, [start, end], { quoted: true, loose: false, config: true, generated: false });
}

/** To the next tag, escaped or not, line break or lone ampersand. */
function endOfText(text: string, start: number): number {
  const stop = Math.min(text.length, start + MAX_ELEMENT);
  const entity = text.charCodeAt(start - 1) === 59 ? ESCAPED_ENTITY : ENTITY;
  let end = start;
  while (end < stop) {
    const code = text.charCodeAt(end);
    if (code === 60 || code === 10) break;
    if (code !== 38) end += 1;
    else {
      entity.lastIndex = end;
      if (!entity.test(text)) break;
      end = entity.lastIndex;
    }
  }
  return end;
}

/** `<password><![CDATA[value]]></password>`. */
function confirmCdata(scan: Scan, key: Key, start: number): number {
  const length = scan.text.slice(start, start + MAX_ELEMENT).indexOf(']]>');
  if (length <= 0 || scan.text.slice(start, start + length).includes('\n')) return 0;
  return reportIfSecret(scan, key, [start, start + length], {
    quoted: true,
    loose: false,
    config: true,
    generated: false,
  });
}
