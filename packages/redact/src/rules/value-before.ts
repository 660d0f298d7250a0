import { isSpace } from '../charset.js';
import type { Scan } from '../rule.js';
import { type Key, reportIfSecret } from './key-values.js';

/** `"value" == `, `'value'.equals(`: the value stands before its name. */
const VALUE_BEFORE =
  /(?:(?:===?|!==?)[ \t]{0,4}|\.(?:equals|equalsIgnoreCase|compareTo|eql\?)\([ \t]{0,2})(?:[A-Za-z_$][\w$]{0,30}(?:\.|->|::))?$/;

/** The quick way out before VALUE_BEFORE. */
export function mayFollowValue(text: string, start: number): boolean {
  let at = start - 1;
  while (start - at < 6 && isSpace(text.charCodeAt(at))) at -= 1;
  const code = text.charCodeAt(at);
  return code === 40 || code === 61;
}

/** Reports a literal that is compared with the name behind it if it is a secret; gives the end of the name, or 0. */
export function confirmValueBefore(scan: Scan, key: Key): number {
  const { text } = scan;
  const before = VALUE_BEFORE.exec(text.slice(Math.max(0, key.start - 56), key.start));
  if (before === null) return 0;
  let close = key.start - before[0].length - 1;
  while (isSpace(text.charCodeAt(close))) close -= 1;
  const quote = text.charCodeAt(close);
  if (quote !== 34 && quote !== 39) return 0;
  let open = close - 1;
  while (close - open < 200 && open >= 0 && text.charCodeAt(open) !== quote && text.charCodeAt(open) !== 10) open -= 1;
  if (text.charCodeAt(open) !== quote) return 0;
  return reportIfSecret(scan, key, [open + 1, close], { quoted: true, loose: true, config: false, generated: false }) > 0 ? key.end : 0;
}
