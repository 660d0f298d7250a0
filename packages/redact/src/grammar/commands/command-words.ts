import { BETWEEN_STRINGS, isLocation, isStandIn, isWordLike, mixesDigits } from '../../lexicon/benign-values.js';
import { isQuote } from '../../lexicon/charset.js';
import { looksRandom, makeUpOf } from '../../lexicon/randomness.js';
import { isConcatenation } from '../concatenation.js';
import { quotedValueAt } from '../quoted-values.js';
import type { Scan } from '../rule.js';

const RULE = 'command-line';
/** How far back a command substitution is looked for. */
const REACH = 240;
const MAX_VALUE = 256;
const SHORTEST_USER = 14;
const SHORTEST_HEX_USER = 20;

/** A flag at the end of a literal: what looks quoted is the code between that literal and the next. */
const BETWEEN_LITERALS = /^\s{0,8}[,;)\]}+](?:\s|\\+[nrt]|$)/;

/** `user:password`, the latter as no group, host or image is called. */
const PAIR = /^[\w.@-]{1,60}:(?=[^/.:]{8,120}$)/;

/** True for `user:password` whose password mixes letters and digits. */
export function isLogin(word: string): boolean {
  const pair = PAIR.exec(word);
  return pair !== null && mixesDigits(word, pair[0].length);
}

/** Reports a word of a command, or what stands in it behind the separator between user and password. */
export function reportWord(scan: Scan, at: number, separator?: string): void {
  const { text } = scan;
  const quoted = quotedValueAt(text, at);
  let start = quoted?.start ?? at;
  const end = quoted?.end ?? withoutCloser(scan, at, endOfWord(text, at));
  if (separator !== undefined) {
    const user = text.slice(start, Math.min(end, start + MAX_VALUE)).indexOf(separator);
    // The shell joins literals: `ann:'v'`, `"ann":"v"`.
    const literal = quoted === undefined ? end : end + 2;
    if (
      (user < 0 || start + user + 1 === end) &&
      text.charCodeAt(literal - 1) === separator.charCodeAt(0) &&
      isQuote(text.charCodeAt(literal))
    ) {
      reportWord(scan, literal);
      return;
    }
    if (user < 0) return;
    // `curl -u KEY:` gives a key in the place of the user and no password, or a letter for one.
    if (separator === ':' && end - start - user <= 2 && isGeneratedUser(text, start, start + user)) {
      scan.report(RULE, start, start + user, 'low');
      return;
    }
    start += user + 1;
  }
  const value = text.slice(start, end);
  if (
    value.length < 3 ||
    // `vault login hvs.<token>`.
    (quoted === undefined && text.charCodeAt(end) === 60 && text.charCodeAt(end - 1) > 32) ||
    value.length > MAX_VALUE ||
    isStandIn(value) ||
    isLocation(value) ||
    isConcatenation(value) ||
    value.startsWith('-')
  )
    return;
  if (quoted !== undefined) {
    const literal = text.slice(quoted.start, quoted.end);
    if (BETWEEN_LITERALS.test(literal) || BETWEEN_STRINGS.test(literal)) return;
  }
  if (separator === undefined && isWordLike(value) && value.length > 24) return;
  scan.report(RULE, start, end, 'low');
}

/** `$(openssl passwd -6 value)`, `[-P value]`: the bracket closes the command, or what may be left out of it. */
function withoutCloser({ text, lines }: Scan, at: number, end: number): number {
  const isSquare = text.charCodeAt(end - 1) === 93;
  if ((text.charCodeAt(end - 1) !== 41 && !isSquare) || text.slice(at, end).includes(isSquare ? '[' : '(')) return end;
  const lead = text.slice(Math.max(lines.startOf(at), at - REACH), at);
  return (isSquare ? /\[ ?-[^[\]]*$/.test(lead) : lead.includes('$(')) ? end - 1 : end;
}

/** A key as chance makes it; hexadecimal digits are one from the length of a digest. */
function isGeneratedUser(text: string, start: number, end: number): boolean {
  const made = makeUpOf(text, start, end);
  if (end - start < SHORTEST_USER || made.digits < 2 || made.digits === made.length) return false;
  return made.hex ? made.length >= SHORTEST_HEX_USER : looksRandom(made);
}

/** Where a word of a command ends. */
export function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && at - from <= MAX_VALUE) {
    const code = text.charCodeAt(at);
    if (
      code <= 32 ||
      code === 34 ||
      code === 39 ||
      code === 96 ||
      code === 92 ||
      code === 124 ||
      code === 59 ||
      code === 60 ||
      code === 62
    )
      break;
    at += 1;
  }
  return at;
}
