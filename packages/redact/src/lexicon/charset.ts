/** Character classes as bits, so that one table look-up answers any union of them. */
export const UPPER = 1;
export const LOWER = 2;
export const DIGIT = 4;
const HEX_LETTER = 8;
const UNDERSCORE = 16;
export const DASH = 32;
export const DOT = 64;
const PLUS_SLASH = 128;
const EQUALS = 256;
const TILDE = 512;
/**
 * Printable ASCII that may stand in an unquoted value: everything but white space, quotes, and
 * `,;<>&|` and backslash.
 */
const BARE = 1024;
export const PERCENT = 2048;
export const BANG = 4096;
/** What may stand in the password of a URI: everything but white space, quotes, angle brackets, backslash and `@`. */
export const URI_PASSWORD = 8192;
/** What may stand in the value of a cookie: printable ASCII but white space, quotes, `,;<>&` and backslash. */
export const COOKIE_VALUE = 16_384;
/** Between the parts of a token that has several. */
export const COLON = 32_768;

export const ALNUM = UPPER | LOWER | DIGIT;
export const HEX = DIGIT | HEX_LETTER;
export const HEX_DASH = HEX | DASH;
export const IDENTIFIER = ALNUM | UNDERSCORE | DASH | DOT;
export const WORD = ALNUM | UNDERSCORE;
export const BASE64 = ALNUM | PLUS_SLASH | EQUALS;
export const BASE64_BODY = ALNUM | PLUS_SLASH;
export const PERCENT_BASE64 = ALNUM | PLUS_SLASH | EQUALS | PERCENT;
export const BASE64URL = ALNUM | UNDERSCORE | DASH;
/** What RFC 6750 calls b64token, the widest alphabet of opaque tokens. */
export const TOKEN68 = ALNUM | UNDERSCORE | DASH | DOT | TILDE | PLUS_SLASH | EQUALS;
export const BARE_VALUE = BARE;

/**
 * The classes of every UTF-16 unit. Loops look them up themselves: V8 does not inline `isIn` where
 * it has inlined much already.
 */
export const CLASSES = buildTable();

/** One entry for every UTF-16 unit, so that the look-up needs no bounds check. */
function buildTable(): Uint16Array {
  const table = new Uint16Array(65_536).fill(BARE | URI_PASSWORD, 128);
  const mark = (characters: string, bit: number): void => {
    for (let i = 0; i < characters.length; i += 1) {
      const code = characters.charCodeAt(i);
      table[code] = (table[code] ?? 0) | bit;
    }
  };
  mark('ABCDEFGHIJKLMNOPQRSTUVWXYZ', UPPER);
  mark('abcdefghijklmnopqrstuvwxyz', LOWER);
  mark('0123456789', DIGIT);
  mark('abcdefABCDEF', HEX_LETTER);
  mark('_', UNDERSCORE);
  mark('-', DASH);
  mark('.', DOT);
  mark('+/', PLUS_SLASH);
  mark('=', EQUALS);
  mark('~', TILDE);
  mark('%', PERCENT);
  mark('!', BANG);
  mark(':', COLON);
  for (let code = 33; code < 127; code += 1) {
    if (!'"\'`,;<>&|\\'.includes(String.fromCharCode(code))) table[code] = (table[code] ?? 0) | BARE;
    if (!'"\'`<>\\@'.includes(String.fromCharCode(code))) table[code] = (table[code] ?? 0) | URI_PASSWORD;
    if (!'"\'`,;<>&\\'.includes(String.fromCharCode(code))) table[code] = (table[code] ?? 0) | COOKIE_VALUE;
  }
  return table;
}

/**
 * True when the UTF-16 unit belongs to one of the classes. Units past ASCII belong only to
 * `BARE_VALUE` and `URI_PASSWORD`.
 */
export function isIn(mask: number, code: number): boolean {
  return ((CLASSES[code] as number) & mask) !== 0;
}

/**
 * End of the run of such characters from `from`, after `max` of them at the latest. It never asks
 * for a character beyond the text: `charCodeAt` that did so but once is ten times slower from then
 * on.
 */
export function endOfRun(mask: number, text: string, from: number, max: number): number {
  const stop = Math.min(text.length, from + max);
  let at = from;
  while (at < stop && ((CLASSES[text.charCodeAt(at)] as number) & mask) !== 0) at += 1;
  return at;
}

/** The UTF-16 unit at `at`, 0 beyond the text; as above, it never reads beyond it. */
export const codeAt = (text: string, at: number): number => (at < text.length ? text.charCodeAt(at) : 0);

/** The UTF-16 unit before `at`, 0 at the start of the text. */
export const codeBefore = (text: string, at: number): number => (at > 0 ? text.charCodeAt(at - 1) : 0);

const MAX_SPACES = 40;

/** Past the spaces and tabs from `from`, as many as may stand between a name and its value. */
export function pastSpaces(text: string, from: number): number {
  const stop = Math.min(text.length, from + MAX_SPACES);
  let at = from;
  while (at < stop && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** Behind the last character before `from` that is no space or tab, at most `max` of them. */
export function pastSpacesBack(text: string, from: number, max: number): number {
  const min = Math.max(0, from - max);
  let at = from;
  while (at > min && isSpace(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

/** 1 for the UTF-16 units of ASCII letters and digits: for loops over whole texts. */
export const IS_ALNUM = new Uint8Array(65_536);
for (let code = 0; code < 128; code += 1) if (isIn(ALNUM, code)) IS_ALNUM[code] = 1;

/** True for a letter or digit of ASCII. */
export function isAlnum(code: number): boolean {
  return IS_ALNUM[code] === 1;
}

export const isUpper = (code: number): boolean => code >= 65 && code <= 90;
export const isLower = (code: number): boolean => code >= 97 && code <= 122;
export const isDigit = (code: number): boolean => code >= 48 && code <= 57;
export const isSpace = (code: number): boolean => code === 32 || code === 9;
export const isBreak = (code: number): boolean => code === 10 || code === 13;
/** What a line of a diff may start with. */
export const isMark = (code: number): boolean => code === 43 || code === 45 || code === 32;
/** Double, single or back quote. */
export const isQuote = (code: number): boolean => code === 34 || code === 39 || code === 96;

/** True where a digit stands from `start` on and before `end`: people and chance put one in, names seldom. */
export function holdsDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (isDigit(text.charCodeAt(at))) return true;
  return false;
}
