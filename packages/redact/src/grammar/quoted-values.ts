import { isQuote } from '../lexicon/charset.js';

/** A string literal: where its content starts and ends. */
export interface QuotedValue {
  start: number;
  end: number;
}

/** Longest content of a literal taken for a value. */
const MAX_LENGTH = 4096;
/** Deepest nesting of escaped bodies: seven backslashes are a string in JSON in JSON in JSON. */
const MAX_LEVEL = 7;

/**
 * Reads the literal whose quote, with the backslashes of an escaped body before it, starts at `at`.
 * Undefined when none does.
 */
export function quotedValueAt(text: string, at: number): QuotedValue | undefined {
  let quoteAt = at;
  while (text.charCodeAt(quoteAt) === 92 && quoteAt - at <= MAX_LEVEL) quoteAt += 1;
  const quote = text.charCodeAt(quoteAt);
  const level = quoteAt - at;
  if (!isQuote(quote) || (level !== 0 && level !== 1 && level !== 3 && level !== 7)) return undefined;
  const start = quoteAt + 1;
  const end = closingQuote(text, start, quote, level);
  return end < 0 ? undefined : { start, end: end - level };
}

/**
 * Position of the quote that closes a literal opened behind `level` backslashes, on the same line,
 * or -1. Inside a literal of that level an escaped quote has more backslashes, in a fixed pattern.
 */
function closingQuote(text: string, start: number, quote: number, level: number): number {
  const stop = Math.min(text.length, start + MAX_LENGTH);
  const cycle = 2 * (level + 1);
  let backslashes = 0;
  let unescaped = -1;
  for (let at = start; at < stop; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) break;
    if (code === quote) {
      if (backslashes % cycle === level) return at;
      if (backslashes < level) return -1;
      if (unescaped < 0) unescaped = at;
    }
    backslashes = code === 92 ? backslashes + 1 : 0;
  }
  // A Windows path or a verbatim string may end in a backslash: then the first quote closes.
  return level === 0 ? unescaped : -1;
}
