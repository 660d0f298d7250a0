import { isDigit, isIn, WORD } from '../lexicon/charset.js';
import { passesLuhn } from '../lexicon/checksums.js';
import { maskCard } from './masks.js';

const SHORTEST = 13;
const LONGEST = 19;

/**
 * Masks every run of 13 to 19 digits, in groups parted by spaces or dashes, that passes Luhn
 * (AUD-6). One pass, bounded look-ahead in digits.
 */
export function maskCardNumbers(text: string): string {
  if (text.length < SHORTEST) return text;
  let masked = '';
  let kept = 0;
  let at = 0;
  while (at < text.length) {
    if (!isDigit(text.charCodeAt(at)) || isIn(WORD, text.charCodeAt(at - 1))) {
      at += 1;
      continue;
    }
    const groups = groupsFrom(text, at);
    const end = cardEnd(text, at, groups);
    if (end > 0) {
      masked += text.slice(kept, at) + maskCard(text.slice(at, end));
      kept = end;
      at = end;
    } else at = groups[0] as number;
  }
  return kept === 0 ? text : masked + text.slice(kept);
}

/** Ends of the groups of digits from `start` on, as long as they hold no more than 19 digits together. */
function groupsFrom(text: string, start: number): number[] {
  const ends: number[] = [];
  let digits = 0;
  let at = start;
  while (at < text.length) {
    const groupStart = at;
    while (isDigit(text.charCodeAt(at))) at += 1;
    digits += at - groupStart;
    ends.push(at);
    if (digits > LONGEST || ends.length > LONGEST) break;
    const separators = at;
    while (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 45) at += 1;
    if (at === separators || at - separators > 16 || !isDigit(text.charCodeAt(at))) break;
  }
  return ends;
}

/** End of the longest Luhn-valid number that starts at `start` and ends with a group, or -1. */
function cardEnd(text: string, start: number, ends: readonly number[]): number {
  for (let index = ends.length - 1; index >= 0; index -= 1) {
    const end = ends[index] as number;
    if (end - start < SHORTEST) break;
    if (end - start > 400 || isIn(WORD, text.charCodeAt(end))) continue;
    const digits = text.slice(start, end).replace(/\D/g, '');
    if (digits.length >= SHORTEST && digits.length <= LONGEST && passesLuhn(digits)) return end;
  }
  return -1;
}
