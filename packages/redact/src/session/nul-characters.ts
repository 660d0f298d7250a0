import type { Hit } from '../grammar/rule.js';

/** A text without its NUL characters, and where its characters stood. */
export interface CompactText {
  text: string;
  /** Carries hits of the compact text over to the text it was made of. */
  carry(hits: readonly Hit[]): Hit[];
}

/** UTF-16 read as bytes has a NUL next to each letter, which hides every word: removes the NULs. */
export function withoutNuls(text: string): CompactText {
  let nul = text.indexOf('\0');
  const pieces: string[] = [];
  const starts: number[] = [];
  const compactStarts: number[] = [];
  let length = 0;
  for (let at = 0; at < text.length; ) {
    const end = nul < 0 ? text.length : nul;
    if (end > at) {
      pieces.push(text.slice(at, end));
      starts.push(at);
      compactStarts.push(length);
      length += end - at;
    }
    at = end + 1;
    nul = text.indexOf('\0', at);
  }
  const original = (at: number): number => {
    let low = 0;
    let high = compactStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((compactStarts[middle] as number) <= at) low = middle;
      else high = middle - 1;
    }
    return (starts[low] as number) + at - (compactStarts[low] as number);
  };
  return {
    text: pieces.join(''),
    carry: (hits) =>
      hits.map((hit) => ({
        ...hit,
        spans: hit.spans.map((at, index) => (index % 2 === 0 ? original(at) : original(at - 1) + 1)),
      })),
  };
}
