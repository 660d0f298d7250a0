import { isAlnum, isBreak, isSpace } from '../lexicon/charset.js';
import { pastPrefix } from './literals.js';
import { quotedValueAt } from './quoted-values.js';

/** Longest argument that is passed over in brackets. */
const MOST_IN_BRACKETS = 120;

/**
 * Start of the argument after the one at `from`, or -1. Only where the call leaves no doubt may it
 * stand on another line.
 */
export function pastArgument(text: string, from: number, wraps: boolean): number {
  let at = pastBlank(text, from, 80, wraps);
  if (text.startsWith('new ', at)) at += 4;
  // What is taken the address of.
  else if (text.charCodeAt(at) === 38) at += 1;
  const literal = quotedValueAt(text, pastPrefix(text, at));
  if (literal !== undefined) at = pastConversion(text, literal.end + 1);
  else while (at - from < 120 && isName(text.charCodeAt(at))) at += 1;
  const bracket = text.charCodeAt(at);
  if (bracket === 40 || bracket === 91 || bracket === 123) at = pastBrackets(text, at);
  // What closes a call that its trigger left open.
  else if (bracket === 41 && text.charCodeAt(at + 1) === 44) at += 1;
  if (at > 0 && text.startsWith(' => ', at)) return pastBlank(text, at + 4, 400, wraps);
  return at > 0 && text.charCodeAt(at) === 44 ? pastBlank(text, at + 1, 400, wraps) : -1;
}

/** `"name".to_owned()`: what makes a value of a literal belongs to it. */
const CONVERSION = /\.\w{1,16}\(\)/y;

function pastConversion(text: string, from: number): number {
  if (text.charCodeAt(from) !== 46) return from;
  CONVERSION.lastIndex = from;
  return CONVERSION.test(text) ? CONVERSION.lastIndex : from;
}

function pastBlank(text: string, from: number, max: number, wraps: boolean): number {
  let at = from;
  while (at - from < max && (isSpace(text.charCodeAt(at)) || (wraps && isBreak(text.charCodeAt(at))))) at += 1;
  return at;
}

/** Past the bracket that closes the one at `from`, or -1. */
function pastBrackets(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at - from < MOST_IN_BRACKETS; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 40 || code === 91 || code === 123) depth += 1;
    else if (code === 41 || code === 93 || code === 125) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
}

const isName = (code: number): boolean => isAlnum(code) || code === 46 || code === 95 || code === 36;
