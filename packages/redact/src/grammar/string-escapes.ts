import { HEX, isIn, isQuote } from '../lexicon/charset.js';

const BACKSLASH = 92;

/**
 * n, r, t: what stands behind the backslash of a break or a tab in the string literals of nearly
 * all languages, JSON among them.
 */
const isEscapeLetter = (code: number): boolean => code === 110 || code === 114 || code === 116;

/**
 * How much of what stands at `at` belongs to an escape that is cut in two there: the letter of `\n`
 * or `\b`, letter and digits of `\u00e9`.
 */
function cutOff(text: string, at: number): number {
  if (at === 0 || text.charCodeAt(at - 1) !== BACKSLASH) return 0;
  const code = text.charCodeAt(at);
  if (isEscapeLetter(code) || code === 98 || code === 102) return 1;
  if (code !== 117) return 0;
  for (let i = 1; i <= 4; i += 1) if (!isIn(HEX, text.charCodeAt(at + i))) return 0;
  return 5;
}

/**
 * Where a secret begins that was taken from `start`: escaped breaks, tabs and quotes before it, and
 * the rest of one that was cut in two, belong to the literal it stands in, which would not parse
 * without them.
 */
function pastEscapes(text: string, start: number, end: number): number {
  let at = Math.min(end, start + cutOff(text, start));
  for (;;) {
    let past = at;
    while (past < end && text.charCodeAt(past) === BACKSLASH) past += 1;
    if (past === at || past === end || !isEscaped(text.charCodeAt(past))) return at;
    at = past + 1;
  }
}

/** Where it ends: backslashes escape what stands behind them, a quote most of the time. */
function beforeEscapes(text: string, start: number, end: number): number {
  let at = end;
  for (;;) {
    if (at > start && text.charCodeAt(at - 1) === BACKSLASH) at -= 1;
    else if (at - 1 > start && isEscaped(text.charCodeAt(at - 1)) && text.charCodeAt(at - 2) === BACKSLASH) at -= 2;
    else return at;
  }
}

const isEscaped = (code: number): boolean => isEscapeLetter(code) || isQuote(code);

/** True for a literal in a literal, `'"v"'`, which keeps its quotes. */
export function isQuoted(text: string, start: number, end: number): boolean {
  const code = text.charCodeAt(start);
  return end - start > 2 && isQuote(code) && text.charCodeAt(end - 1) === code;
}

/** The ends of a secret without the escapes round it. */
export function withoutEscapes(text: string, start: number, end: number): [start: number, end: number] {
  const from = pastEscapes(text, start, end);
  return [from, beforeEscapes(text, from, end)];
}
