import type { Hit } from '../grammar/rule.js';
import { joinHits } from './overlaps.js';
import { marksInPlace, replaceHits } from './replace-hits.js';

/**
 * Scans of one text at most. A mark ends words that the secret was part of, so what stands beside
 * it may read as a key or a value only then; each scan settles one link of such a chain, and chains
 * of two are rare.
 */
export const MAX_SCANS = 5;

/**
 * Finds the secrets of a text, and those that show only once the first are replaced by their marks,
 * until a scan of the redacted text finds nothing more: a second pass then has nothing to change.
 * Each further scan hides more of the text. Offsets are of the text given. `marksOf` gives the mark
 * of each hit; it is called after each scan with all hits so far. A text without a secret is scanned
 * once.
 */
export function findUntilStable(
  text: string,
  find: (text: string) => Hit[],
  marksOf: (hits: readonly Hit[]) => readonly string[],
): readonly Hit[] {
  let hits = find(text);
  if (hits.length === 0) return hits;
  for (let scans = 1; ; scans += 1) {
    const marks = marksOf(hits);
    const redacted = replaceHits(text, hits, marks);
    const further = scans < MAX_SCANS ? find(redacted) : [];
    if (further.length === 0) return hits;
    hits = joinHits(hits, inOriginal(hits, marksInPlace(text, hits, marks), further));
  }
}

/**
 * Carries hits in a redacted text back to the text it was made of: an end inside a mark stands for
 * that end of what the mark hides.
 */
function inOriginal(hits: readonly Hit[], marks: readonly string[], further: readonly Hit[]): Hit[] {
  const hidden: number[] = [];
  const shown: number[] = [];
  let shift = 0;
  hits.forEach((hit, index) => {
    const width = (marks[index] as string).length;
    for (let i = 0; i < hit.spans.length; i += 2) {
      const start = hit.spans[i] as number;
      const end = hit.spans[i + 1] as number;
      hidden.push(start, end);
      shown.push(start + shift, start + shift + width);
      shift += width - (end - start);
    }
  });
  let next = 0;
  const carry = (at: number, isEnd: boolean): number => {
    while (next < shown.length && (isEnd ? (shown[next + 1] as number) < at : (shown[next + 1] as number) <= at))
      next += 2;
    const inside = next < shown.length && (isEnd ? (shown[next] as number) < at : (shown[next] as number) <= at);
    if (inside) return hidden[isEnd ? next + 1 : next] as number;
    return next === 0 ? at : at - (shown[next - 1] as number) + (hidden[next - 1] as number);
  };
  return further.map((hit) => ({ ...hit, spans: hit.spans.map((at, index) => carry(at, index % 2 === 1)) }));
}
