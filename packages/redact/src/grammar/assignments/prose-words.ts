import { isMadeByHand, isMadeUp } from '../../lexicon/made-up-words.js';
import { looksRandom, makeUpOf } from '../../lexicon/randomness.js';
import type { Scan } from '../rule.js';
import { type BareValue, readBareValue } from './bare-value.js';

/** A password as notes call it. In prose no other name has its value right behind it. */
const PASSWORD_NAME =
  /^(?:password|passwd|passphrase|pwd|pw|pass|passwort|kennwort|contrase\u00f1a|clave|senha)(?![\w-])/i;
/** `token v`; `api key v`, `shared secret v`. */
const PROSE_SECRET =
  /\b(?:(api|app|shared|client|access|auth|signing|webhook)[ -](?:secret|token|key)|secret|token) $/i;
const LONG_HEX = /^(?=\D{0,60}\d)(?=\d{0,60}[a-f])[\da-f]{32,64}$/;
const SHORTEST_TOKEN = 20;

/** True when what `start` begins, up to `end`, is a name for a password. */
export function isPasswordName(text: string, start: number, end: number): boolean {
  return PASSWORD_NAME.test(text.slice(start, end));
}

/** `password is v`: what looks generated, or made up by hand. */
export function valueInProse(scan: Scan, keyStart: number, from: number): BareValue | undefined {
  const value = readBareValue(scan, from, 'word', 'if generated');
  if (value === undefined || !isPasswordName(scan.text, keyStart, from)) return value;
  return isMadeByHand(scan.text.slice(value.start, value.end)) ? { ...value, literal: 'yes' } : value;
}

/** What notes say behind a name: nothing but chance, or somebody who makes up a password, makes such a word. */
export function valueInNotes(scan: Scan, keyStart: number, from: number, ofPassword: boolean): BareValue | undefined {
  const { text } = scan;
  const phrase = ofPassword ? null : PROSE_SECRET.exec(text.slice(Math.max(0, keyStart - 10), from));
  if (!ofPassword && phrase === null) return undefined;
  const isBold = text.startsWith('**', from);
  const value = readBareValue(scan, isBold ? from + 2 : from, 'word', 'if generated');
  if (value === undefined) return undefined;
  if (isBold && text.startsWith('**', value.end - 2)) value.end -= 2;
  const word = text.slice(value.start, value.end);
  if (ofPassword ? isMadeByHand(word) : phrase?.[1] !== undefined && LONG_HEX.test(word))
    return { ...value, literal: 'yes' };
  const endsLine = /^[.,]?\s*(?:\n|$)/.test(text.slice(value.end, value.end + 8));
  return isMadeUp(word) && (ofPassword || (endsLine && phrase?.[1] !== undefined) || isLongToken(text, value))
    ? value
    : undefined;
}

/** As chance makes tokens, and no name or path is written. */
function isLongToken(text: string, { start, end }: BareValue): boolean {
  return (
    end - start >= SHORTEST_TOKEN &&
    /^[\w.~+/=-]+$/.test(text.slice(start, end)) &&
    looksRandom(makeUpOf(text, start, end))
  );
}
