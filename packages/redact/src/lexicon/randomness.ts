import { createCharacterSet, isFirstMet } from './character-set.js';
import { isDigit, isLower, isUpper } from './charset.js';

/** How a text is made up: what tells a generated token from words, names and digests. */
export interface MakeUp {
  length: number;
  digits: number;
  upper: number;
  lower: number;
  /** Changes between lower case, upper case and digits; punctuation in between does not count. */
  changes: number;
  /** Nothing but hexadecimal digits and dashes. */
  hex: boolean;
  distinct: number;
  /**
   * Letters side by side but for a capital behind a small letter, where a name has its next word;
   * and how many of these pairs are rare in words.
   */
  pairs: number;
  rarePairs: number;
}

/**
 * Each letter and those that often follow it: 200 pairs, which make up nine tenths of the words in
 * code and prose and three tenths of what chance makes.
 */
const FOLLOWERS =
  'abcdgiklmnprstu baeijlou caehiklmortu dadeiosu eacdeflmnpqrstvwxy faefioru geis haeiort iabcdefglmnoprstv jes ke ladeilostuy mabeimop ' +
  'nacdefgiostu obcdfilmnoprstuw paeiloprstu qu racegimnorstuy sacehiklopstu tacehioprstuy ubeilmnprst vae wahi xpt yp z';
const LETTERS = 26;
const isCommon = new Uint8Array(LETTERS * LETTERS);
FOLLOWERS.split(' ').forEach((list, first) => {
  for (let i = 1; i < list.length; i += 1) isCommon[first * LETTERS + list.charCodeAt(i) - 97] = 1;
});

const met = createCharacterSet();

/** Counts the first 256 characters of a range. */
export function makeUpOf(text: string, start: number, end: number): MakeUp {
  const stop = Math.min(end, start + 256);
  let digits = 0;
  let upper = 0;
  let lower = 0;
  let changes = 0;
  let distinct = 0;
  let hex = true;
  let last = 0;
  let pairs = 0;
  let rarePairs = 0;
  let letter = -1;
  let wasLower = false;
  met.fill(0);
  for (let at = start; at < stop; at += 1) {
    const code = text.charCodeAt(at);
    let kind = 0;
    if (isLower(code)) {
      kind = 1;
      lower += 1;
      if (code > 102) hex = false;
    } else if (isUpper(code)) {
      kind = 2;
      upper += 1;
      if (code > 70) hex = false;
    } else if (isDigit(code)) {
      kind = 3;
      digits += 1;
    } else if (code !== 45) hex = false;
    if (kind !== 0) {
      if (last !== 0 && kind !== last) changes += 1;
      last = kind;
    }
    const next = kind === 1 ? code - 97 : kind === 2 ? code - 65 : -1;
    if (letter >= 0 && next >= 0 && !(kind === 2 && wasLower)) {
      pairs += 1;
      rarePairs += 1 - (isCommon[letter * LETTERS + next] as number);
    }
    letter = next;
    wasLower = kind === 1;
    if (code < 128 && isFirstMet(met, code)) distinct += 1;
  }
  return { length: stop - start, digits, upper, lower, changes, hex, distinct, pairs, rarePairs };
}

/** True for letters of both cases, and not by an initial or two alone. */
export function mixesCases({ upper, lower }: MakeUp): boolean {
  return upper >= 3 && lower >= 3;
}

/** Shares that chance makes: of changes in 62 and in 36 characters, of rare pairs. */
const CHANGES_MIXED = 0.6;
const CHANGES = 0.4;
const RARE_PAIRS = 0.7;

/**
 * How much a text is as only chance makes it: cases and digits alternate, and letters follow one
 * another as in no word. Two for what chance makes, half of it for names with a number or capitals
 * in them; none without digits and letters of several kinds.
 */
function chanceOf(made: MakeUp): number {
  const { length, digits, upper, lower, changes, distinct, pairs, rarePairs } = made;
  if (digits < 1 || upper + lower < 3 || distinct < 9 || distinct < Math.min(12, length * 0.35)) return 0;
  return changes / length / (mixesCases(made) ? CHANGES_MIXED : CHANGES) + (rarePairs + 1) / (pairs + 2) / RARE_PAIRS;
}

/** True for ninety-eight of a hundred random tokens of 24 characters, and for no name. */
export function looksRandom(made: MakeUp): boolean {
  return chanceOf(made) >= 1.3;
}

/** The same where a prefix already says that a token follows. */
export function mayBeRandom(made: MakeUp): boolean {
  return chanceOf(made) >= 1.1;
}

/** True for letters that follow one another as in words, enough of them to tell. */
export function readsAsWords(text: string): boolean {
  const { pairs, rarePairs } = makeUpOf(text, 0, text.length);
  return pairs >= 9 && rarePairs <= pairs * 0.25;
}

/** Words with capitals cover most of an identifier, and a quarter of what chance makes. */
export function joinsWords(token: string): boolean {
  const words = token.match(/[A-Z][a-z]{2,}/g) ?? [];
  return words.join('').length > token.length * 0.55;
}
