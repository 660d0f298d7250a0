import { codeAt, DOT, endOfRun, HEX, isDigit, isIn, WORD } from '../../lexicon/charset.js';

/** What a list of numbers says of itself before its first bracket: its type, a constructor, its length. */
const OPENER =
  /(?:(?:&?(?:new )?[\w.:]{0,32}(?:<[\w, ]{1,24}>)?(?:\[\d{0,4}\])?\w{0,8} ?\(?)?\s{0,40}'?[[{]|\((?=[\s+-]{0,40}x"))/iy;
/** The directive of an assembler. */
const DIRECTIVE = /\.?(?:byte|db|word|long|quad) /y;
const NUMBER =
  /(?:\((?:byte|char|uint8_t)\) ?)?(?:(?:0x|\d{0,3}'h|x")([\da-f]{1,16})"?|(\d{1,3}))(?:u8|u|l){0,3}(?![\w.'])/iy;
const COMMENT = /\/\/[^\n]{0,120}|\/\*[^*\n]{0,120}\*\//y;
const LONGEST_TYPE = 40;
const LONGEST_LIST = 6000;
const FEWEST_BYTES = 8;
const LARGEST_BYTE = 255;
/** Keys without an encoding are no longer: a longer list is a table, or a file in the code. */
const MOST_BYTES = 128;
/** What a key in DER begins with. */
const ENCODED_KEY = 0x30;
/** One number of so many hexadecimal digits: `0x2b7e…`, Verilog's `128'h2b7e…`. */
const LONG_NUMBER = /(?:0x|\d{0,4}'s?h)(?=((?:_?[\da-f]{2}){8,256})(?![\w.']))/iy;

/** `[2b 7e …]` of a device tree, `2B 7E …` of a form. */
const PAIRS = /(\[?[ \t]?)((?:[\da-f]{2} ){7,63}[\da-f]{2})(?![\w'])/iy;

/** Bytes of a key of AES, of ChaCha, of a pair. */
const KEY_SIZES = new Set([16, 24, 32, 64]);

/**
 * The numbers that a key is written as: start and end of them on each line, without the comma
 * behind; undefined where `at` starts none. `sized`: as many bytes as a cipher takes.
 */
export function keyBytesAt(text: string, at: number, sized = false): number[] | undefined {
  const code = text.charCodeAt(at);
  if (startsPairs(text, code === 91 ? at + 1 : at)) return pairsAt(text, at, sized);
  if (isDigit(code) || (code === 39 && text.charCodeAt(at + 1) !== 123)) return longNumberAt(text, at, sized);
  // A brace says nothing of itself.
  if (code === 123) return listFrom(text, at + 1, true, sized);
  if (!mayOpen(text, at)) return undefined;
  OPENER.lastIndex = at;
  if (OPENER.test(text)) return listFrom(text, OPENER.lastIndex, true, sized);
  DIRECTIVE.lastIndex = at;
  return DIRECTIVE.test(text) ? listFrom(text, DIRECTIVE.lastIndex, false, sized) : undefined;
}

/** The quick way out before OPENER and DIRECTIVE: a name that no bracket follows. */
function mayOpen(text: string, at: number): boolean {
  const end = endOfRun(WORD | DOT, text, at, LONGEST_TYPE);
  const code = codeAt(text, end);
  const next = codeAt(text, end + 1);
  if (end === at) return isOpening(code) || code === 38 || code <= 32;
  if (code === 32) return next === 91 || next === 123 || next === 40 || isDigit(next) || text.startsWith('new ', at);
  return (code === 58 && next === 58) || (isOpening(code) && !(code === 40 && next === 41));
}

/** Brackets of every kind, and the apostrophe that Verilog sets before one. */
const isOpening = (code: number): boolean => code === 91 || code === 123 || code === 60 || code === 40 || code === 39;

/** Two hexadecimal digits and a space. */
function startsPairs(text: string, at: number): boolean {
  return (
    at + 2 < text.length &&
    text.charCodeAt(at + 2) === 32 &&
    isIn(HEX, text.charCodeAt(at)) &&
    isIn(HEX, text.charCodeAt(at + 1))
  );
}

function pairsAt(text: string, at: number, sized: boolean): number[] | undefined {
  PAIRS.lastIndex = at;
  const found = PAIRS.exec(text);
  if (found === null) return undefined;
  const bytes = (found[2] as string).split(' ').map((pair) => Number.parseInt(pair, 16));
  return isByChance(bytes, sized) ? [at + (found[1] as string).length, PAIRS.lastIndex] : undefined;
}

function longNumberAt(text: string, at: number, sized: boolean): number[] | undefined {
  LONG_NUMBER.lastIndex = at;
  const digits = LONG_NUMBER.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const bytes = (digits.replaceAll('_', '').match(/../g) as string[]).map((pair) => Number.parseInt(pair, 16));
  return isByChance(bytes, sized) ? [LONG_NUMBER.lastIndex, LONG_NUMBER.lastIndex + digits.length] : undefined;
}

/** The same for the arguments of a call. */
export const listedBytesAt = (text: string, at: number): number[] | undefined => listFrom(text, at, true, false);

/** Reads numbers up to the bracket that closes them, or to the end of the line. */
function listFrom(text: string, from: number, closes: boolean, sized: boolean): number[] | undefined {
  const spans: number[] = [];
  const bytes: number[] = [];
  const stop = Math.min(text.length, from + LONGEST_LIST);
  let at = from;
  let onLine = false;
  while (at < stop) {
    const code = text.charCodeAt(at);
    if (code === 10) {
      if (!closes) break;
      onLine = false;
      at += 1;
      // The mark of a diff.
      if ('+-'.includes(text.charAt(at))) at += 1;
    } else if (code <= 32 || code === 44) at += 1;
    else if (isDigit(code) || code === 40 || code === 39 || (code | 32) === 120) {
      NUMBER.lastIndex = at;
      const number = NUMBER.exec(text);
      if (number === null) return undefined;
      if (!addBytes(bytes, number)) return undefined;
      if (!onLine) spans.push(at, at);
      onLine = true;
      at = NUMBER.lastIndex;
      spans[spans.length - 1] = at;
    } else if (code === 47 && isComment(text, at)) at = COMMENT.lastIndex;
    else if (closes && (code === 93 || code === 125 || code === 41))
      return isByChance(bytes, sized) ? spans : undefined;
    else return undefined;
  }
  return !closes && isByChance(bytes, sized) ? spans : undefined;
}

function isComment(text: string, at: number): boolean {
  COMMENT.lastIndex = at;
  return COMMENT.test(text);
}

/**
 * Adds what a number holds: a byte, or as many as its hexadecimal digits write. False for a decimal
 * number that is no byte.
 */
function addBytes(bytes: number[], [, hex, decimal]: RegExpExecArray): boolean {
  if (hex === undefined) bytes.push(Number(decimal));
  else
    for (let i = hex.length % 2; i < Math.max(hex.length, 2); i += 2)
      bytes.push(Number.parseInt(hex.slice(Math.max(0, i - (hex.length % 2)), i + 2), 16));
  return (bytes[bytes.length - 1] as number) <= LARGEST_BYTE;
}

/** True for bytes as chance makes them: most differ, and no step leads from one to the next over and over. */
function isByChance(bytes: readonly number[], sized: boolean): boolean {
  if (bytes.length > MOST_BYTES && bytes[0] !== ENCODED_KEY) return false;
  if (sized ? !KEY_SIZES.has(bytes.length) : bytes.length < FEWEST_BYTES) return false;
  const first = bytes.slice(0, 64);
  const steps = new Map<number, number>();
  let maxCount = 0;
  for (let i = 1; i < first.length; i += 1) {
    const step = (first[i] as number) - (first[i - 1] as number);
    const count = (steps.get(step) ?? 0) + 1;
    steps.set(step, count);
    maxCount = Math.max(maxCount, count);
  }
  return new Set(first).size * 3 >= first.length * 2 && maxCount * 3 <= first.length && Math.max(...first) >= 64;
}
