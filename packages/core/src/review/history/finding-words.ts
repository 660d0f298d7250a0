import type { ComparableFinding } from './comparable-finding.js';
import { listDefectKinds } from './defect-words.js';

/** Words of one finding that are compared; the rest of a long message is passed over. */
const MAX_WORDS = 120;
/** Characters of a text that are read for them. */
const MAX_CHARACTERS = 4_000;
/** Longer words are compared by their beginning, so that inflections of one word are equal. */
const STEM_LENGTH = 5;
/** Below this weight of words, equal ones prove little. */
const MIN_WEIGHT = 4;

/** Words that any finding may have. */
const STOP_WORDS = new Set(
  (
    'a an and are as at be been being but by can cannot could do does doing for from had has have how if in into is it its ' +
    'may might must no nor not of on or our out over should so some such than that the their them then there these they ' +
    'this those to too under up use used uses using very was we were what when where which while who will with without would ' +
    'you your also any because before after here just more most only other same still through until line lines code change ' +
    'function method value call called calls file new issue problem potential possible possibly potentially consider'
  ).split(' '),
);

/** The words of a finding, each once, stemmed, and the kinds of defect that they name, as `#kind`. */
export function readWords({ title, message }: Pick<ComparableFinding, 'title' | 'message'>): ReadonlySet<string> {
  const words = new Set<string>();
  const text = `${title} ${message}`.slice(0, MAX_CHARACTERS).toLowerCase();
  for (const [word] of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (STOP_WORDS.has(word) || word.length < 2) continue;
    words.add(word.slice(0, STEM_LENGTH));
    for (const kind of listDefectKinds(word)) words.add(`#${kind}`);
    if (words.size >= MAX_WORDS) break;
  }
  return words;
}

/** How much a shared word proves: less, the more findings have it. */
export type WordWeights = (word: string) => number;

/** Weights from the findings that are compared with each other: a word that all of them have tells none apart. */
export function weighWords(texts: readonly ReadonlySet<string>[]): WordWeights {
  const counts = new Map<string, number>();
  for (const words of texts) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => Math.log2(1 + texts.length / (counts.get(word) ?? 1));
}

/** 0 to 1: how much of the shorter text's weight stands in the other. */
export function compareWords(a: ReadonlySet<string>, b: ReadonlySet<string>, weigh: WordWeights): number {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  let [total, shared] = [0, 0];
  for (const word of few) {
    const weight = weigh(word);
    total += weight;
    if (many.has(word)) shared += weight;
  }
  return shared / Math.max(total, MIN_WEIGHT);
}
