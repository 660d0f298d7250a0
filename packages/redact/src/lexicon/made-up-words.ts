import { hasDigitAndBothCases } from './benign-values.js';
import { isDigit } from './charset.js';
import { makeUpOf, readsAsWords } from './randomness.js';

const SHORTEST = 8;

/** Capitals, small letters and digits in an order that no name has. */
export function isMadeUp(word: string): boolean {
  return word.length >= SHORTEST && hasDigitAndBothCases(word) && !word.includes('/') && !readsAsWords(word);
}

/** `meadowCobalt75!`: words in two cases, and a number and a mark behind them, as no type or algorithm is called. */
const WORDS_AND_NUMBER = /^(?=.*[A-Z])\S{6,40}[a-z]\d{2,4}[-_!?*#.]?$/;
/** `c4ctus3600`. */
const DIGITS_FOR_LETTERS = /^(?=.{8,})[a-z]{1,8}\d[a-z]{1,8}\d?[a-z]{0,8}\d{2,4}$/;
const WORD_AND_NUMBER = /^[A-Za-z]{4,14}\d{2,4}[!@#$%&*?]?$/;

/** `cactus36!`. */
export const isWordAndNumber = (word: string): boolean => WORD_AND_NUMBER.test(word);

/** As people make up passwords, and nobody names a thing. */
export function isMadeByHand(word: string): boolean {
  if (!isDigit(word.charCodeAt(word.length - 1)) && !isDigit(word.charCodeAt(word.length - 2))) return false;
  return WORDS_AND_NUMBER.test(word) || DIGITS_FOR_LETTERS.test(word) || isWordAndNumber(word);
}

/** Shares of what chance makes: of changes between cases, of pairs of letters that are rare in words. */
const CHANGES = 0.4;
const RARE_PAIRS = 0.7;
const LEAST_SUM = 1.5;

/** `weeksInWeekYear`: no two capitals side by side, and no part of one letter. */
const CAMEL_CASE = /^[A-Z]?[a-z]{2,}(?:[A-Z][a-z]+)+$/;

/** Letters as no language puts them side by side, or in cases as no name has them. */
export function isNoWord(word: string): boolean {
  if (!/^(?:[a-z]{16,64}|[A-Za-z]{10,64}\d{0,2})$/.test(word) || CAMEL_CASE.test(word)) return false;
  const { changes, length, pairs, rarePairs } = makeUpOf(word, 0, word.length);
  const rare = rarePairs / (pairs + 1);
  return changes === 0 ? length >= 16 && rare >= 0.5 : changes / length / CHANGES + rare / RARE_PAIRS >= LEAST_SUM;
}

/** Letters only, in cases that no word has. */
export function isScrambled(word: string): boolean {
  const { changes, length } = makeUpOf(word, 0, word.length);
  return length >= SHORTEST && changes >= length * 0.3 && /^[A-Za-z]+$/.test(word);
}
