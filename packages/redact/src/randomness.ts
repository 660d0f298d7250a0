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
}

const made: MakeUp = { length: 0, digits: 0, upper: 0, lower: 0, changes: 0, hex: true, distinct: 0 };
const stamps = new Uint32Array(128);
let stamp = 0;

/** Counts the first 256 characters of a range. The object is reused: read it before the next call. */
export function makeUpOf(text: string, start: number, end: number): MakeUp {
  const stop = Math.min(end, start + 256);
  let digits = 0;
  let upper = 0;
  let lower = 0;
  let changes = 0;
  let distinct = 0;
  let hex = true;
  let last = 0;
  stamp += 1;
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
    if (code < 128 && stamps[code] !== stamp) {
      stamps[code] = stamp;
      distinct += 1;
    }
  }
  made.length = stop - start;
  made.digits = digits;
  made.upper = upper;
  made.lower = lower;
  made.changes = changes;
  made.hex = hex;
  made.distinct = distinct;
  return made;
}

/**
 * True when cases and digits alternate as only chance makes them: random text of 62 characters changes its class at six places of ten, of 36
 * at four; words, however joined and numbered, at one or two.
 */
export function looksRandom({ length, digits, upper, lower, changes, distinct }: MakeUp): boolean {
  const letters = upper + lower;
  const mixed = upper >= 3 && lower >= 3;
  if (digits < (mixed && length < 40 ? 2 : 3) || letters < 3 || distinct < 9) return false;
  return mixed
    ? changes >= length * 0.4 && distinct >= Math.min(15, length * 0.4)
    : changes >= length * 0.26 && distinct >= Math.min(12, length * 0.35);
}

/** The same with the odds of one token in twenty: where a prefix already says that a token follows. */
export function mayBeRandom({ length, digits, upper, lower, changes, distinct }: MakeUp): boolean {
  const mixed = upper >= 3 && lower >= 3;
  return digits >= 1 && upper + lower >= 3 && distinct >= 9 && changes >= length * (mixed ? 0.38 : 0.2);
}
