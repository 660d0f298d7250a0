import { isAlnum, isDigit, isLower, isUpper } from './charset.js';
import { looksRandom, makeUpOf } from './randomness.js';

/** Shorter ones are judged by their place alone; longer ones are expressions. */
const SHORTEST = 12;
const LONGEST = 128;
/** Of 16 characters of the whole keyboard, 99 in a hundred change their kind at least so often. */
const CHANGES = 0.5;
/** References, formats, calls, and whatever stands between a bracket or a quote and its like. */
const WRITTEN = /^(?:\$\{.*\}|\$\(.*|%\(.*\)s|\w+\(.*\)|[[({<"'`].*[\])}>"'`])$/;

/**
 * True for what a generator makes of the whole keyboard: letters, digits and marks take turns as in
 * no word, path, reference or expression.
 */
export function isKeyboardNoise(value: string): boolean {
  const { length } = value;
  if (length < SHORTEST || length > LONGEST || WRITTEN.test(value)) return false;
  const marks = new Set<number>();
  let alnum = 0;
  let changes = 0;
  let last = -1;
  for (let i = 0; i < length; i += 1) {
    const code = value.charCodeAt(i);
    if (code <= 32 || code > 126) return false;
    const kind = isLower(code) ? 0 : isUpper(code) ? 1 : isDigit(code) ? 2 : 3;
    if (isAlnum(code)) alnum += 1;
    // What joins words, numbers and steps of a path says little.
    else if (!'_-./:'.includes(value.charAt(i))) marks.add(code);
    const group = kind === 3 ? code : kind;
    if (i > 0 && group !== last) changes += 1;
    last = group;
  }
  if (alnum < 4 || changes < (length - 1) * CHANGES) return false;
  return marks.size >= 3 || (marks.size > 0 && looksRandom(makeUpOf(value, 0, length)));
}
