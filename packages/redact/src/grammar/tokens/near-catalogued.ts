import { BASE64URL, IDENTIFIER, isAlnum, isIn, isUpper, LOWER, TOKEN68, UPPER } from '../../lexicon/charset.js';
import { isAboutSecret, wordsOf } from '../../lexicon/key-names.js';
import { PublicArmor } from '../../lexicon/public-armor.js';
import { looksRandom, type MakeUp } from '../../lexicon/randomness.js';
import { endOfCatalogued, endOfCataloguedIn, isVendorWord } from '../../lexicon/vendor-catalogue.js';
import { VENDOR_NAMES } from '../../lexicon/vendor-names.js';
import type { Scan } from '../rule.js';
import { BESIDE, isCalledSecret, isTokenNear, LONGEST, mayBeHexToken, saysPublic } from './near-tokens.js';
import { REACH } from './near-vendor.js';

const LETTER = LOWER | UPPER;
/** A name and what leads from it to its value. */
const WINDOW = REACH + 32;
/** What of the text has been read for names, and where the last of them ended. */
interface Memory {
  readTo: number;
  nameStart: number;
  nameEnd: number;
}

/**
 * A token near one of the many vendors that are no triggers (RED-2): a run that chance made has
 * been met, and the words before it are looked up. Every word is read once, and only words within
 * reach of such a run. True when one was reported.
 */
export function confirmNearCatalogued(scan: Scan, start: number, run: MakeUp): boolean {
  if (run.digits < 2 || (run.hex ? !mayBeHexToken(run.length) : !looksRandom(run))) return false;
  const { text } = scan;
  const inAddress = isVersioned(text, start);
  const from = inAddress ? start : startOfValue(scan, start);
  if (!inAddress && saysPublic(text, from)) return false;
  const memory = scan.memo(confirmNearCatalogued, (): Memory => ({ readTo: 0, nameStart: 0, nameEnd: -1 }));
  readNames(scan, memory, from);
  const stop = scan.runEnd(inAddress ? BASE64URL : TOKEN68, start);
  if (stop - from > LONGEST) return false;
  if (memory.nameEnd < 0 || from - memory.nameEnd > REACH || isTwoLinesOff(text, memory.nameEnd, from))
    return confirmBesideWord(scan, from, stop) || confirmNoted(scan, from, stop);
  if (!inAddress && !isTokenNear(text, memory.nameStart, memory.nameEnd, from, stop)) return false;
  if (scan.memo(PublicArmor, () => new PublicArmor(text)).holds(from)) return false;
  scan.report('vendor-token', from, withoutStop(text, stop), 'low');
  return true;
}

const WORD_BESIDE = new RegExp(`(?:^|[^A-Za-z])([A-Za-z]{3,14}?)${BESIDE.source}`);
const LONGEST_BESIDE = 56;

/** The token of a vendor whose name is a word of the language. */
function confirmBesideWord(scan: Scan, from: number, stop: number): boolean {
  const { text } = scan;
  if (!mayStandBeside(text, from)) return false;
  const start = Math.max(0, from - LONGEST_BESIDE);
  const found = WORD_BESIDE.exec(text.slice(start, from));
  const word = found?.[1];
  if (found === null || word === undefined || !isVendorWord(word.toLowerCase())) return false;
  const nameStart = start + found.index + found[0].indexOf(word);
  if (!isTokenNear(text, nameStart, nameStart + word.length, from, stop)) return false;
  if (scan.memo(PublicArmor, () => new PublicArmor(text)).holds(from)) return false;
  scan.report('vendor-token', from, withoutStop(text, stop), 'low');
  return true;
}

/** The marks that may part a word from its value; what ends the words that may. */
const LONGEST_MARKS = 12;
const INTRODUCES = /(?:client|api|new|key|token|secret|credentials|is|to)$/i;
const LONGEST_WORD = 15;

/**
 * The quick way out before WORD_BESIDE: the letters before the value, and the marks between, are
 * neither a vendor's word nor one that introduces a value.
 */
function mayStandBeside(text: string, from: number): boolean {
  const min = Math.max(0, from - LONGEST_MARKS);
  let end = from;
  while (end > min && !isAlnum(text.charCodeAt(end - 1))) end -= 1;
  let start = end;
  while (end - start < LONGEST_WORD && start > 0 && isIn(LETTER, text.charCodeAt(start - 1))) start -= 1;
  const word = text.slice(start, end);
  return isVendorWord(word.toLowerCase()) || INTRODUCES.test(word);
}

/** A comment behind a value that says no more than whose it is: `"…"; // acme`. */
const NOTE =
  /^["'`]?[;,)\]}]{0,3}[ \t]{1,8}(?:\/\/|#|--|\/\*)[ \t]{0,4}([A-Za-z][\w .-]{1,24}?)(?:'s)?(?: (?:api|access|secret|key|token)){0,3}[ \t]{0,4}(?:\*\/)?[\r\n]/i;
const NOTED = 72;

/** What is called a key or a token, with its vendor in the comment behind it. */
function confirmNoted(scan: Scan, from: number, stop: number): boolean {
  const { text } = scan;
  const name = NOTE.exec(text.slice(stop, stop + NOTED))?.[1];
  if (name === undefined || !isCalledSecret(text, from)) return false;
  const words = wordsOf(name);
  if (!VENDOR_NAMES.has(words.join('')) && endOfCatalogued(words) !== words.length) return false;
  scan.report('vendor-token', from, withoutStop(text, stop), 'low');
  return true;
}

/** The value that a run is part of begins behind the last `=` before it. */
function startOfValue(scan: Scan, start: number): number {
  const from = scan.runStart(TOKEN68, start, LONGEST);
  return from + scan.text.slice(from, start).lastIndexOf('=') + 1;
}

/** A step of a path behind the version of an interface: `/v1/…`. */
function isVersioned(text: string, start: number): boolean {
  return text.charCodeAt(start - 1) === 47 && /\/v\d{1,2}\/$/.test(text.slice(Math.max(0, start - 5), start));
}

/**
 * Reads the words before a value that have not been read, and keeps the last name among them.
 * `calorieNinja_API` is calorie, Ninja and API.
 */
function readNames(scan: Scan, memory: Memory, to: number): void {
  const { text } = scan;
  const from = Math.max(memory.readTo, to - WINDOW);
  if (from >= to) return;
  memory.readTo = to;
  const starts: number[] = [];
  const ends: number[] = [];
  let start = -1;
  let wasUpper = false;
  for (let at = from; at <= to; at += 1) {
    const code = at < to ? text.charCodeAt(at) : 32;
    const upper = isUpper(code);
    const begins = upper && !wasUpper;
    wasUpper = upper;
    if (isAlnum(code)) {
      if (start >= 0 && !begins) continue;
    } else if (start < 0) continue;
    if (start >= 0) {
      starts.push(start);
      ends.push(at);
    }
    start = isAlnum(code) ? at : -1;
  }
  const last = endOfCataloguedIn(text, starts, ends);
  if (last < 0) return;
  const at = ends[last - 1] as number;
  memory.nameEnd = scan.runEnd(IDENTIFIER, at);
  memory.nameStart = scan.runStart(IDENTIFIER, at, WINDOW);
  if (memory.nameEnd > to || isAboutSecret(wordsOf(text.slice(at, memory.nameEnd)))) memory.nameEnd = -1;
}

function isTwoLinesOff(text: string, from: number, to: number): boolean {
  return text.slice(from, to).split('\n').length > 3;
}

/** A full stop behind a token ends the sentence. */
function withoutStop(text: string, end: number): number {
  return text.charCodeAt(end - 1) === 46 ? end - 1 : end;
}
