import { IDENTIFIER } from '../charset.js';
import type { Scan } from '../rule.js';
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
/** The one letter of `contraseña` that identifiers do not have. */
const TILDED_N = 0xf1;

/** Where the name ends that goes on at `from`. */
export function endOfName(scan: Scan, from: number): number {
  const end = scan.runEnd(IDENTIFIER, from);
  return scan.text.charCodeAt(end) === TILDED_N ? scan.runEnd(IDENTIFIER, end + 1) : end;
}

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
