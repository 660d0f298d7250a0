import { isQuote } from './charset.js';

const BACKSLASH = 92;

/** n, r, t: what stands behind the backslash of a break or a tab in the string literals of nearly all languages, JSON among them. */
const isEscapeLetter = (code: number): boolean => code === 110 || code === 114 || code === 116;

/**
 * Where a secret begins that was taken from `start`: escaped breaks, tabs and quotes before it, and the letter of one that was cut in two, belong to the
 * literal it stands in, which would not parse without them.
 */
function pastEscapes(text: string, start: number, end: number): number {
  let at = start;
  if (at > 0 && at < end && text.charCodeAt(at - 1) === BACKSLASH && isEscapeLetter(text.charCodeAt(at))) at += 1;
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
