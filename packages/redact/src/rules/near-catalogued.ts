import { BASE64URL, IDENTIFIER, isDigit, TOKEN68 } from '../charset.js';
import { looksRandom, makeUpOf } from '../randomness.js';
import type { Rule, Scan } from '../rule.js';
import { isAboutSecret, wordsOf } from './key-names.js';
import { isTokenNear, REACH } from './near-vendor.js';
import { endOfCatalogued } from './vendor-catalogue.js';

/** What may be a token: shorter hexadecimal runs are too common, longer runs are data. */
const SHORTEST_HEX = 28;
const LONGEST = 200;
/** A name and what leads from it to its value. */
const WINDOW = REACH + 32;
/** A word of a name, and where it ends: `calorieNinja_API` is calorie, Ninja and API. */
const WORD_OF_NAME = /[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|\d[a-z0-9]+/g;

/** What of the text has been read for names, and where the last of them ended. */
interface Memory {
  readTo: number;
  nameStart: number;
  nameEnd: number;
}

/**
 * Tokens beside one of the many vendors that are no triggers (RED-2): a run that chance made is met first, and the words before it are looked up. Every
 * word is read once, and only words within reach of such a run.
 */
export const nearCatalogued: Rule = {
  triggers: [],
  confirm() {},
  confirmRun(scan, start, end) {
    if (scan.kind === 'lock' || scan.kind === 'opaque' || end - start > LONGEST || !mayBeToken(scan.text, start, end)) return;
    const { text } = scan;
    const inAddress = isVersioned(text, start);
    const from = inAddress ? start : startOfValue(scan, start);
    const memory = scan.memo(nearCatalogued, (): Memory => ({ readTo: 0, nameStart: 0, nameEnd: -1 }));
    readNames(scan, memory, from);
    if (memory.nameEnd < 0 || from - memory.nameEnd > REACH || isTwoLinesOff(text, memory.nameEnd, from)) return;
    const stop = scan.runEnd(inAddress ? BASE64URL : TOKEN68, start);
    if (stop - from > LONGEST) return;
    const isSecret = inAddress || isTokenNear(text, memory.nameStart, memory.nameEnd, from, stop);
    if (isSecret) scan.report('vendor-token', from, withoutStop(text, stop), 'low');
  },
};

function mayBeToken(text: string, start: number, end: number): boolean {
  let digits = 0;
  for (let at = start; at < end; at += 1) if (isDigit(text.charCodeAt(at))) digits += 1;
  if (digits < 2) return false;
  const made = makeUpOf(text, start, end);
  return made.hex ? made.length >= SHORTEST_HEX : looksRandom(made);
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

/** Reads the words before a value that have not been read, and keeps the last name among them. */
function readNames(scan: Scan, memory: Memory, to: number): void {
  const { text } = scan;
  const from = Math.max(memory.readTo, to - WINDOW);
  if (from >= to) return;
  memory.readTo = to;
  const window = text.slice(from, to);
  const words: string[] = [];
  const ends: number[] = [];
  for (const word of window.matchAll(WORD_OF_NAME)) {
    words.push(word[0].toLowerCase());
    ends.push(word.index + word[0].length);
  }
  const last = endOfCatalogued(words);
  if (last < 0) return;
  const at = from + (ends[last - 1] as number);
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
