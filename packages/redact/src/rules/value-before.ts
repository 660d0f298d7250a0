import { isQuote, isSpace } from '../charset.js';
import type { Scan } from '../rule.js';
import { type Key, reportIfSecret } from './key-values.js';

/** `"value" == `, `'value'.equals(`: the value stands before its name. */
const VALUE_BEFORE =
  /(?:(?:===?|!==?)[ \t]{0,4}|\.(?:equals|equalsIgnoreCase|compareTo|eql\?)\([ \t]{0,2})(?:[A-Za-z_$][\w$]{0,30}(?:\.|->|::))?$/;

/** `value="v" key="`, `"value": "v", "name": "`: the value of a pair stands before its name. */
const PAIR_BEFORE =
  /\bvalue["']?[ \t]{0,4}[:=][ \t]{0,4}["']([^"'\n]{4,160})["'],?\s{1,40}["']?(?:key|name)["']?[ \t]{0,4}[:=][ \t]{0,4}["']$/i;
/** `assertEquals("v", config.`: the literal is what the name behind it should hold. */
const ASSERTED =
  /\b(?:assert|expect|require|verify)\w{0,24}(?:\.\w{1,24})?\((?:[ \t]{0,2}\w{1,16},)?[ \t]{0,2}(["'])([^"'\n]{4,120})\1,[ \t]{0,4}$/;

/** The last character before `start` that is no space. */
function lastBefore(text: string, start: number): number {
  let at = start - 1;
  while (start - at < 6 && isSpace(text.charCodeAt(at))) at -= 1;
  return at;
}

/** The quick way out before the patterns above. */
export function mayFollowValue(text: string, start: number): boolean {
  let at = lastBefore(text, start);
  const code = text.charCodeAt(at);
  if (code === 40 || code === 61) return true;
  // The end of a literal before a comma; `key="`, `"name": "`.
  if (code === 44) return isQuote(text.charCodeAt(at - 1));
  if (!isQuote(code)) return false;
  at -= 1;
  while (start - at < 10 && isSpace(text.charCodeAt(at))) at -= 1;
  return text.charCodeAt(at) === 61 || text.charCodeAt(at) === 58;
}

/** Start and end of the literal that a pair or an assertion puts before the name at `start`. */
function literalBefore(text: string, start: number, asserted: boolean): [start: number, end: number] | undefined {
  const from = Math.max(0, start - 240);
  const found = (asserted ? ASSERTED : PAIR_BEFORE).exec(text.slice(from, start));
  const value = asserted ? found?.[2] : found?.[1];
  if (found === null || value === undefined) return undefined;
  const at = from + found.index + (asserted ? found[0].lastIndexOf(value) : found[0].search(/["'][^"']*["'],?\s/) + 1);
  return [at, at + value.length];
}

/** Reports a literal that is compared with the name behind it if it is a secret; gives the end of the name, or 0. */
export function confirmValueBefore(scan: Scan, key: Key): number {
  const { text } = scan;
  const last = text.charCodeAt(lastBefore(text, key.start));
  if (last === 44 || isQuote(last)) {
    const literal = literalBefore(text, key.start, last === 44);
    const context = { quoted: true, loose: text.charCodeAt(key.start - 1) <= 44, config: false, generated: false };
    return literal !== undefined && reportIfSecret(scan, key, literal, context) > 0 ? key.end : 0;
  }
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
