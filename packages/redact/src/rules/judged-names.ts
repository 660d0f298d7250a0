import { codeAt, IDENTIFIER } from '../charset.js';
import type { Scan } from '../rule.js';
import { type KeyStrength, strengthOfWords, wordsOf } from './key-names.js';
import { wordsNameVendor } from './vendor-names.js';

/** What an identifier says about its value. */
export interface JudgedName {
  readonly name: string;
  readonly strength: KeyStrength;
  /** A vendor is named in it. */
  readonly vendor: boolean;
}

const cache = new Map<string, JudgedName>();
const MAX_CACHED = 20_000;
/** Generated texts ask for one name over and over: to compare is quicker than to look up. */
let last: JudgedName = { name: '', strength: 'none', vendor: false };
/** The one letter of `contraseña` that identifiers do not have. */
const TILDED_N = 0xf1;

/** Where the name ends that goes on at `from`. */
export function endOfName(scan: Scan, from: number): number {
  const end = scan.runEnd(IDENTIFIER, from);
  return codeAt(scan.text, end) === TILDED_N ? scan.runEnd(IDENTIFIER, end + 1) : end;
}

/** Judges an identifier by its words in snake, kebab, dotted or camel case. Answers are remembered: a text asks for the same few names again and again. */
export function judgeName(name: string): JudgedName {
  if (name !== last.name) last = cache.get(name) ?? judgeNew(name);
  return last;
}

function judgeNew(slice: string): JudgedName {
  // A slice keeps its whole text in memory.
  const name = Buffer.from(slice).toString();
  const words = wordsOf(name);
  const judged = { name, strength: strengthOfWords(words), vendor: wordsNameVendor(words) };
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(name, judged);
  return judged;
}
