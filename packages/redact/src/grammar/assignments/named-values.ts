import {
  COLON,
  codeAt,
  DASH,
  endOfRun,
  IDENTIFIER,
  isIn,
  isMark,
  isQuote,
  pastSpaces,
  WORD,
} from '../../lexicon/charset.js';

/**
 * `name: DB_PASSWORD` with its `value:` next to it or on the next line, in YAML, JSON, XML and HCL;
 * other attributes of the element may stand between, or comments.
 */
const NAME_THEN_VALUE =
  /(?:\\{0,3}["'])?(?:[ \t]{1,8}[\w:-]{1,24}="[^"\n]{0,48}"){0,3}[ \t]{0,8},?[ \t]{0,8}(?:(?:\r?\n[-+ ]?[ \t]{0,40}(?:#|\/\/)[^\n]{0,80}){0,4}\r?\n[-+ ]?[ \t]{0,40})?(?:\\{0,3}["'])?(?:[a-z]{1,12}:)?(?:(?:parameter|default)?value|default)(?:\\{0,3}["'])?[ \t]{0,8}[:=][ \t]{0,8}/iy;

const LONGEST_ATTRIBUTE = 25;

/**
 * Where the value next to the name that ends at `from` starts, or -1. `at`: what follows
 * its closers and spaces.
 */
export function namedValueAt(text: string, from: number, at: number): number {
  if (!mayNameValue(text, at)) return -1;
  NAME_THEN_VALUE.lastIndex = from;
  return NAME_THEN_VALUE.test(text) ? NAME_THEN_VALUE.lastIndex : -1;
}

/**
 * The quick way out before NAME_THEN_VALUE: what follows is neither `value` or `default`, here or a
 * line below, nor an attribute.
 */
function mayNameValue(text: string, at: number): boolean {
  if (at >= text.length) return false;
  if (
    isIn(WORD | DASH | COLON, text.charCodeAt(at)) &&
    codeAt(text, endOfRun(IDENTIFIER | COLON, text, at, LONGEST_ATTRIBUTE)) === 61
  )
    return true;
  let start = text.charCodeAt(at) === 44 ? pastSpaces(text, at + 1) : at;
  if (text.charCodeAt(start) === 13) start += 1;
  if (text.charCodeAt(start) === 10)
    start = pastSpaces(text, isMark(text.charCodeAt(start + 1)) ? start + 2 : start + 1);
  while (text.charCodeAt(start) === 92) start += 1;
  if (isQuote(text.charCodeAt(start))) start += 1;
  const lower = text.charCodeAt(start) | 32;
  // v, d, p: `value`, `default`, `parameterValue`; a comment on a line of its own.
  return lower === 118 || lower === 100 || lower === 112 || (start > at && (lower === 35 || lower === 47));
}
