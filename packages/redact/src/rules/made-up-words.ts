import { hasDigitAndBothCases } from '../benign-values.js';
import { isDigit } from '../charset.js';
import { makeUpOf, readsAsWords } from '../randomness.js';

const SHORTEST = 8;

/** The quick way out before the others: people and chance put a digit in. */
export function holdsDigit(text: string, start: number, end: number): boolean {
  let at = start;
  while (at < end && !isDigit(text.charCodeAt(at))) at += 1;
  return at < end;
}

/** Capitals, small letters and digits in an order that no name has. */
export function isMadeUp(word: string): boolean {
  return word.length >= SHORTEST && hasDigitAndBothCases(word) && !word.includes('/') && !readsAsWords(word);
}

/** `meadowCobalt75!`: words in two cases, and a number and a mark behind them, as no type or algorithm is called. */
const WORDS_AND_NUMBER = /^(?=.*[A-Z])\S{6,40}[a-z]\d{2,4}[-_!?*#.]?$/;
/** `c4ctus3600`. */
const DIGITS_FOR_LETTERS = /^(?=.{8,})[a-z]{1,8}\d[a-z]{1,8}\d?[a-z]{0,8}\d{2,4}$/;
/** `cactus36`. */
const WORD_AND_NUMBER = /^[a-z]{4,14}\d{2,4}[!?*#]?$/;

/** As people make up passwords, and nobody names a thing. */
export function isMadeByHand(word: string): boolean {
  if (!isDigit(word.charCodeAt(word.length - 1)) && !isDigit(word.charCodeAt(word.length - 2))) return false;
  return WORDS_AND_NUMBER.test(word) || DIGITS_FOR_LETTERS.test(word) || WORD_AND_NUMBER.test(word);
}

/** Letters only, in cases that no word has. */
export function isScrambled(word: string): boolean {
  const { changes, length } = makeUpOf(word, 0, word.length);
  return length >= SHORTEST && changes >= length * 0.3 && /^[A-Za-z]+$/.test(word);
}
