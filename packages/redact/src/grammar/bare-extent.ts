import { BARE_VALUE, codeBefore, isIn, isQuote, isSpace } from '../lexicon/charset.js';
import { isKeyboardNoise } from '../lexicon/keyboard-noise.js';
import type { Scan } from './rule.js';

/** Longest value without quotes. */
const MAX_LENGTH = 512;

/**
 * Where a value ends: with its word, its line, the line that its name begins, or its part of a
 * connection string.
 */
const END_OF = {
  word: endOfWord,
  setting: (scan: Scan, from: number): number => endOfNoise(scan.text, from) || endOfLine(scan.text, from),
  line: (scan: Scan, from: number): number => endOfLine(scan.text, from),
  part: (scan: Scan, from: number): number => endOfPart(scan.text, from),
};
export type Extent = keyof typeof END_OF;

interface Memory {
  from: number;
  to: number;
  extent: Extent;
}

const memoryKey = {};
const newMemory = (): Memory => ({ from: -1, to: -1, extent: 'word' });

/**
 * Where the value at `from` ends; 0 for none, for one that is too long, and inside the one that was
 * checked last: names may stand in a value.
 */
export function endOfValue(scan: Scan, from: number, extent: Extent): number {
  const memory = scan.memo(memoryKey, newMemory);
  if (from >= memory.from && from < memory.to && extent === memory.extent) return 0;
  const end = END_OF[extent](scan, from);
  memory.from = from;
  memory.to = end;
  memory.extent = extent;
  return end - from <= MAX_LENGTH ? end : 0;
}

/**
 * To the next white space, quote, separator or escape; closing brackets and full stops belong to
 * what stands round it.
 */
function endOfWord(scan: Scan, from: number): number {
  const { text } = scan;
  let end = scan.runEnd(BARE_VALUE, from);
  if (end - from > MAX_LENGTH) return end;
  while (end > from && isClosing(text, from, end)) end -= 1;
  return end;
}

function isClosing(text: string, from: number, end: number): boolean {
  const code = text.charCodeAt(end - 1);
  return code === 46 || code === 58 || closesNothing(text, from, end);
}

/** True for a bracket before `end` whose opener stands before the value. */
function closesNothing(text: string, from: number, end: number): boolean {
  const code = text.charCodeAt(end - 1);
  const opener = code === 41 ? 40 : code === 93 ? 91 : code === 125 ? 123 : 0;
  if (opener === 0) return false;
  for (let at = from; at < end - 1; at += 1) if (text.charCodeAt(at) === opener) return false;
  return true;
}

/** To the next white space of a configuration line, separators included; an escape is never cut in two. */
function endOfLine(text: string, from: number): number {
  const stop = Math.min(text.length, from + MAX_LENGTH + 1);
  let end = from;
  while (end < stop) {
    const code = text.charCodeAt(end);
    if (isSpace(code) || code === 10 || code === 13 || code === 34 || code === 96) break;
    if (code === 39 && end > from && !isIn(BARE_VALUE, text.charCodeAt(end + 1))) break;
    if (code === 92 && /["'nrt\\]/.test(text.charAt(end + 1))) break;
    end += 1;
  }
  while (end > from && (',;'.includes(text.charAt(end - 1)) || closesNothing(text, from, end))) end -= 1;
  return end;
}

/**
 * Where keyboard noise ends, quotes and brackets in it included; 0 for all else. A quote at its end
 * that is its only one may close what stands round the line.
 */
function endOfNoise(text: string, from: number): number {
  const stop = Math.min(text.length, from + MAX_LENGTH + 1);
  let end = from;
  while (end < stop && text.charCodeAt(end) > 32) end += 1;
  while (end > from && ',;'.includes(text.charAt(end - 1))) end -= 1;
  const last = codeBefore(text, end);
  if (isQuote(last) && text.indexOf(text.charAt(end - 1), from) === end - 1) end -= 1;
  return end > from && isKeyboardNoise(text.slice(from, end)) ? end : 0;
}

/** `&quot;` closes the attribute that the string stands in; `&next=` is the next parameter of a query. */
const ENDS_PART = /&(?:quot;|[\w.-]{1,40}=)/y;
const ENTITY = /&(?:amp|lt|gt|apos|#\d{1,7});/y;

/**
 * To the semicolon behind a part of a connection string, or the quote that closes it; entities of
 * markup are characters of the value.
 */
function endOfPart(text: string, from: number): number {
  const stop = Math.min(text.length, from + MAX_LENGTH + 1);
  let end = from;
  while (end < stop) {
    const code = text.charCodeAt(end);
    if (code <= 32 || code === 34 || code === 39 || code === 59 || code === 60 || code === 92 || code === 96) break;
    if (code === 38) {
      ENDS_PART.lastIndex = end;
      if (ENDS_PART.test(text)) break;
      ENTITY.lastIndex = end;
      end = ENTITY.test(text) ? ENTITY.lastIndex : end + 1;
    } else end += 1;
  }
  while (end > from && closesNothing(text, from, end)) end -= 1;
  return end;
}
