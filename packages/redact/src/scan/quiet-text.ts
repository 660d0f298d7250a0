import { isDigit } from '../lexicon/charset.js';
import { nextLongRun } from './long-runs.js';
import { CLASS_OF, REPORTING, type TriggerAutomaton, UNIT } from './trigger-automaton.js';

/** True for a text in which no rule would look closer. */
export type IsQuiet = (text: string) => boolean;

const DIGIT_SHIFT = 7;
const CLASS_MASK = (1 << DIGIT_SHIFT) - 1;

/**
 * Builds the test for texts without a literal, a long run of letters and digits, or a number that
 * matters. It reads each character once, for the many short texts of a payload, most of which hold
 * nothing. `holdsNumber` runs only on a text of `digits` digits or more.
 */
export function createIsQuiet(
  { table }: TriggerAutomaton,
  digits: number,
  holdsNumber: (text: string) => boolean,
): IsQuiet {
  // One entry for every UTF-16 unit spares the loop a comparison: the class, and whether it is a digit.
  const kinds = new Uint8Array(65_536).fill(CLASS_OF[255] as number);
  CLASS_OF.forEach((ofByte, code) => {
    kinds[code] = ofByte | (isDigit(code) ? 1 << DIGIT_SHIFT : 0);
  });
  return (text) => {
    let state = 0;
    let found = 0;
    for (let at = 0; at < text.length; at += 1) {
      const kind = kinds[text.charCodeAt(at)] as number;
      state = table[UNIT * state + (kind & CLASS_MASK)] as number;
      if (state >= REPORTING) return false;
      found += kind >> DIGIT_SHIFT;
    }
    return !(found >= digits && holdsNumber(text)) && nextLongRun(text, 0) < 0;
  };
}
