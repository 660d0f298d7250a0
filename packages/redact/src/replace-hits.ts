import type { Hit } from './rule.js';

const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** A quoted name and a colon, as in JSON, perhaps in a literal that escapes its quotes: a mark in the place of a bare number would no longer parse. */
const QUOTED_NAME = /(\\{0,7}")\s{0,8}:\s{0,40}$/;
const LONGEST_NUMBER = 24;

/** The marks as they go into the text: in quotes where a number stands for itself behind a quoted name. */
export function marksInPlace(text: string, hits: readonly Hit[], marks: readonly string[]): readonly string[] {
  return marks.map((mark, index) => {
    const quote = quoteForNumber(text, hits[index] as Hit);
    return quote + mark + quote;
  });
}

function quoteForNumber(text: string, { spans }: Hit): string {
  const [start = 0, end = 0] = spans;
  if (spans.length !== 2 || end - start > LONGEST_NUMBER || !NUMBER.test(text.slice(start, end))) return '';
  return QUOTED_NAME.exec(text.slice(Math.max(0, start - 60), start))?.[1] ?? '';
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
