import { isIn, isQuote, isSpace, pastSpacesBack, WORD } from '../../lexicon/charset.js';
import type { Scan } from '../rule.js';
import { type Key, reportIfSecret } from './key-values.js';

/** `"value" == `, `'value'.equals(`: the value stands before its name. */
const VALUE_BEFORE = /(?:(?:===?|!==?)[ \t]{0,4}|\.(?:equals|equalsIgnoreCase|compareTo|eql\?)\([ \t]{0,2})$/;
const LONGEST_OWNER = 31;

/**
 * `value="v" key="`, `"value": "v", "name": "`: the value of a pair stands before its name, perhaps
 * with a comment between.
 */
const PAIR_BEFORE =
  /\bvalue["']?[ \t]{0,4}[:=][ \t]{0,4}["'](?<value>[^"'\n]{4,160})["'],?\s{1,40}(?:(?:#|\/\/)[^\n]{0,60}\n\s{1,40}){0,2}["']?(?:key|name)["']?[ \t]{0,4}[:=][ \t]{0,4}["']$/i;
/** `assertEquals("v", config.`: the literal is what the name behind it should hold. */
const ASSERTED =
  /\b(?:assert|expect|require|verify)\w{0,24}(?:\.\w{1,24})?\((?:[ \t]{0,2}\w{1,16},)?[ \t]{0,2}(["'])(?<value>[^"'\n]{4,120})\1,[ \t]{0,4}$/;

/** `MOVE "v" TO `, as COBOL assigns. */
const MOVED = /\bMOVE\s{1,8}(["'])(?<value>[^"'\n]{4,120})\1\s{1,8}TO\s{1,5}$/i;

/** Where the expression starts that the name at `start` ends: `this->`, `Config::` belong to it. */
function startOfMember(text: string, start: number): number {
  if (!text.startsWith('->', start - 2) && !text.startsWith('::', start - 2)) return start;
  const min = Math.max(0, start - 2 - LONGEST_OWNER);
  let at = start - 2;
  while (at > min && isIn(WORD, text.charCodeAt(at - 1))) at -= 1;
  return at;
}

/** The quick way out before the patterns above: by the last characters of what they match. */
export function mayFollowValue(text: string, start: number): boolean {
  const end = pastSpacesBack(text, startOfMember(text, start), 5);
  if (end < 3) return false;
  const last = text.charCodeAt(end - 1);
  const before = text.charCodeAt(end - 2);
  if (last === 61) return before === 61 || before === 33;
  if (last === 40) return 'seo?'.includes(text.charAt(end - 2));
  // The end of a literal before a comma; `key="`, `"name": "`.
  if (last === 44) return isQuote(before);
  if (isO(last)) return (before | 32) === 116 && isQuote(text.charCodeAt(pastSpacesBack(text, end - 2, 8) - 1));
  return isQuote(last) && endsPairName(text, end - 1);
}

/** The last letter of `TO`. */
const isO = (code: number): boolean => (code | 32) === 111;

/** `key=`, `"name": `, by their last letter. */
function endsPairName(text: string, end: number): boolean {
  let at = pastSpacesBack(text, end, 4);
  if (at < 4 || (text.charCodeAt(at - 1) !== 61 && text.charCodeAt(at - 1) !== 58)) return false;
  at = pastSpacesBack(text, at - 1, 4);
  if (at > 1 && isQuote(text.charCodeAt(at - 1))) at -= 1;
  return 'yeYE'.includes(text.charAt(at - 1));
}

/** Start and end of the literal that a pair, an assertion or a move puts before the name at `start`. */
function literalBefore(text: string, start: number, pattern: RegExp): [start: number, end: number] | undefined {
  const from = Math.max(0, start - 240);
  const found = pattern.exec(text.slice(from, start));
  const value = found?.groups?.value;
  if (found === null || value === undefined) return undefined;
  const at = from + found.index + (pattern === PAIR_BEFORE ? found[0].indexOf(value) : found[0].lastIndexOf(value));
  return [at, at + value.length];
}

/** Reports a literal that is compared with the name behind it if it is a secret; gives the end of the name, or 0. */
export function confirmValueBefore(scan: Scan, key: Key): number {
  const { text } = scan;
  const start = startOfMember(text, key.start);
  const last = text.charCodeAt(pastSpacesBack(text, start, 5) - 1);
  if (last === 44 || isQuote(last) || isO(last)) {
    const literal = literalBefore(text, start, last === 44 ? ASSERTED : isO(last) ? MOVED : PAIR_BEFORE);
    const context = { quoted: true, loose: text.charCodeAt(start - 1) <= 44, config: false, generated: false };
    return literal !== undefined && reportIfSecret(scan, key, literal, context) > 0 ? key.end : 0;
  }
  const before = VALUE_BEFORE.exec(text.slice(Math.max(0, start - 28), start));
  if (before === null) return 0;
  let close = start - before[0].length - 1;
  while (isSpace(text.charCodeAt(close))) close -= 1;
  const quote = text.charCodeAt(close);
  if (quote !== 34 && quote !== 39) return 0;
  let open = close - 1;
  while (close - open < 200 && open >= 0 && text.charCodeAt(open) !== quote && text.charCodeAt(open) !== 10) open -= 1;
  if (text.charCodeAt(open) !== quote) return 0;
  return reportIfSecret(scan, key, [open + 1, close], { quoted: true, loose: true, config: false, generated: false }) >
    0
    ? key.end
    : 0;
}
