import { type KeyStrength, strengthOfWords, wordsOf } from './key-names.js';
import { wordsNameVendor } from './vendor-names.js';

/** What an identifier says about its value. */
export interface JudgedName {
  readonly strength: KeyStrength;
  /** A vendor is named in it. */
  readonly vendor: boolean;
}

const cache = new Map<string, JudgedName>();
const MAX_CACHED = 20_000;

/** Judges an identifier by its words in snake, kebab, dotted or camel case. Answers are remembered: a text asks for the same few names again and again. */
export function judgeName(name: string): JudgedName {
  const known = cache.get(name);
  if (known !== undefined) return known;
  const words = wordsOf(name);
  const judged = { strength: strengthOfWords(words), vendor: wordsNameVendor(words) };
  if (cache.size >= MAX_CACHED) cache.clear();
  // Under a copy: a slice keeps its whole text in memory.
  cache.set(Buffer.from(name).toString(), judged);
  return judged;
}
