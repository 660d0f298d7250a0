import type { Hit } from '../grammar/rule.js';
import { isDigit } from '../lexicon/charset.js';

const NUMBERS = /^-?\d+(?:\.\d+)?(?:\s{0,4},\s{0,4}\d+)*$/;
/**
 * A quoted name and a colon, as in JSON, perhaps in a literal that escapes its quotes, or the
 * bracket that a text starts with: a mark in the place of bare numbers would no longer parse.
 */
const QUOTED_NAME = /(?:(\\{0,7}")\s{0,8}:\s{0,40}(?:\[\s{0,40})?|^\s{0,8}\[\s{0,8})$/;
const LONGEST_NUMBERS = 6000;

/** The marks as they go into the text: in quotes where numbers stand for themselves behind a quoted name. */
export function marksInPlace(text: string, hits: readonly Hit[], marks: readonly string[]): readonly string[] {
  return marks.map((mark, index) => {
    const quote = quoteForNumber(text, hits[index] as Hit);
    return quote + mark + quote;
  });
}

function quoteForNumber(text: string, { spans }: Hit): string {
  const [start = 0, end = 0] = spans;
  const code = text.charCodeAt(start);
  if (!(isDigit(code) || code === 45) || end - start > LONGEST_NUMBERS || !NUMBERS.test(text.slice(start, end)))
    return '';
  const name = QUOTED_NAME.exec(text.slice(Math.max(0, start - 100), start));
  return name === null ? '' : (name[1] ?? '"');
}

/** Puts each hit's mark, as `marksInPlace` has it, in the place of every one of its spans. */
export function replaceHits(text: string, hits: readonly Hit[], marks: readonly string[]): string {
  const inPlace = marksInPlace(text, hits, marks);
  let redacted = '';
  let at = 0;
  hits.forEach((hit, index) => {
    for (let i = 0; i < hit.spans.length; i += 2) {
      redacted += text.slice(at, hit.spans[i]) + (inPlace[index] as string);
      at = hit.spans[i + 1] as number;
    }
  });
  return redacted + text.slice(at);
}
