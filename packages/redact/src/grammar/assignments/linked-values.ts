import { codeAt, DOT, endOfRun, isLower, isQuote, isSpace, isUpper, pastSpaces, WORD } from '../../lexicon/charset.js';
import { declares, fillsLine, givesValue, isCompared, isInitialized, takesCopy } from '../declarations.js';
import { literalPieces, mayStartLiteral, nextLineValue, pastPrefix } from '../literals.js';
import type { Scan } from '../rule.js';
import { keyBytesAt, listedBytesAt } from '../tokens/key-bytes.js';
import { isAmongDigests, SAME_HEAD } from '../tokens/near-tokens.js';
import type { ValueContext } from './assigned-values.js';
import { bareValueAt } from './bare-values.js';
import { confirmElement, isShownOnPage } from './element-values.js';
import { type Key, RULE_BY_STRENGTH, reportIfSecret } from './key-values.js';
import type { Link } from './link.js';

/**
 * `spotify:track:…`, `azure-native:cache/v1:Redis`, `aws-batch:defaultToAL`: the vendor names a
 * scheme or a package.
 */
const SCHEME_PART = /^(?:[a-z][a-z\d-]{2,}[:/]|[a-z]{3,}[A-Z][A-Za-z]*\d{0,4}$)/;
/** `github:owner/repository`, tight. */
const CODE_HOST = /^(?:github|gitlab|bitbucket)$/i;
const REPOSITORY = /^[\w.-]+\/[\w.-]+/;
const NEXT_MEMBER = /^["'`][ \t]{0,4}(?::(?!:)|=>)/;
/** `process.env.PW || `, `os.getenv("PW") or `: what a program has where nobody says otherwise follows. */
const UNLESS_GIVEN =
  /(?:[\w.$]|\[["']\w{1,40}["']\]|\((?:["']\w{1,40}["'])?\)){1,80}[ \t]{1,4}(?:\|\||\?\?|or)[ \t]{1,4}(?=["'`])/y;

const LONGEST_GIVEN = 80;

/** `'opaque' | 'shadow'`: a type of literals. */
const ALTERNATIVE = /^["'] \| ["']/;

/** `CREATE USER app WITH PASSWORD 'v'`. */
const SQL_PASSWORD = /\b(?:with|role \S{1,40}|user \S{1,40}|encrypted)\s{1,8}$/i;

/**
 * Reports what a link leads to if it is a secret of its name: an element's text, a literal,
 * numbers, a bare word. Returns its end, or 0.
 */
export function confirmValue(scan: Scan, key: Key, link: Link): number {
  const { text } = scan;
  const { kind, keyQuoted } = link;
  if (kind === 'element')
    return keyQuoted && isShownOnPage(text, key.start) ? 0 : confirmElement(scan, key, link.valueAt);
  const canWrap = kind === 'assign' || kind === 'colon' || kind === 'comma' || kind === 'call' || kind === 'pair';
  const below = canWrap ? nextLineValue(scan, key.start, link.valueAt) : -1;
  const dashed = below >= 0 && kind === 'colon' && scan.kind === 'config' && text.startsWith('- ', below);
  const at = pastPrefix(text, below < 0 ? link.valueAt : dashed ? pastSpaces(text, below + 2) : below);
  const bound =
    kind !== 'comma' ||
    keyQuoted ||
    (mayStartLiteral(text, at) && (takesCopy(text, key.start) || isCompared(text, key.start)));
  if (kind === 'comma' && key.strength === 'vendor' && isAmongDigests(text, key.start)) return 0;
  // VHDL lists its literals in round brackets.
  const listed =
    kind === 'assign' && text.charCodeAt(link.valueAt) === 40 ? numbersOf(scan, key, link, link.valueAt) : undefined;
  if (listed !== undefined) return reportNumbers(scan, key, listed);
  const pieces = bound ? literalPieces(text, at, below >= 0) : undefined;
  if (pieces !== undefined) {
    if (isKeyLiteral(text, key, below < 0 ? link.valueAt : below, pieces)) key.strength = 'key';
    if (kind === 'comma' && isListed(text, key, pieces)) return 0;
    if (kind === 'colon' && ALTERNATIVE.test(text.slice(pieces[1], (pieces[1] as number) + 5))) return 0;
    if (kind === 'space' && text.charCodeAt(at) === 96) return 0;
    const loose = isLoose(scan, key, link, pieces[1] as number);
    const generated = kind === 'space' && loose && (key.strength !== 'password' || key.end - key.start < 5);
    const reached = confirmLiteral(scan, key, pieces, {
      quoted: true,
      loose,
      config: scan.kind === 'config',
      generated,
    });
    return below < 0 ? reached : Math.max(reached, confirmReplacedLine(scan, key, pieces[pieces.length - 1] as number));
  }
  const given = scan.kind === 'source' && (kind === 'assign' || kind === 'colon') ? pastGiven(text, at) : undefined;
  if (given !== undefined)
    return confirmLiteral(scan, key, given, { quoted: true, loose: true, config: false, generated: false });
  const numbers = numbersOf(scan, key, link, below < 0 ? link.valueAt : below);
  if (numbers !== undefined) return reportNumbers(scan, key, numbers);
  return confirmBareWord(scan, key, link, { at, isBelow: below >= 0, dashed });
}

/** Where an unquoted value stands: on the line below its name or not, and as an item of a list with dashes. */
interface BarePlace {
  at: number;
  isBelow: boolean;
  dashed: boolean;
}

function confirmBareWord(scan: Scan, key: Key, link: Link, { at, isBelow, dashed }: BarePlace): number {
  const { text } = scan;
  const opener = text.charCodeAt(link.valueAt);
  if (isBelow && opener === 40) return 0;
  const below = !isBelow ? 'no' : opener === 124 || opener === 62 ? 'block' : 'line';
  const bare = bareValueAt(scan, key.start, link, at, below);
  if (bare === undefined) return 0;
  if (key.strength === 'vendor' && text.charCodeAt(bare.start - 1) === 58 && isAddressed(text, key, bare)) return 0;
  const quoted = bare.literal === 'yes' && isPartOfString(text, bare.start, bare.end);
  const context = {
    quoted,
    loose: false,
    config: bare.literal === 'yes',
    generated: dashed || bare.literal === 'if generated',
  };
  return confirmLiteral(scan, key, [bare.start, bare.end], context);
}

/** True for what a vendor's name is the scheme of: a package, a repository. */
function isAddressed(text: string, key: Key, { start, end }: { start: number; end: number }): boolean {
  const value = text.slice(start, end);
  return SCHEME_PART.test(value) || (CODE_HOST.test(text.slice(key.start, key.end)) && REPOSITORY.test(value));
}

/** `bytes.fromhex("…")`, VHDL's `x"…"`, and a literal whose bytes are escaped. */
const DECODED = /(?:hex(?:2bin|lify)?\(|^x)$/i;
const ESCAPED = /^(?:\\x[\da-f]{2}){16,64}$/i;
/** Columns of a table between a name and its number. */
const COLUMNS = /(?:(?:0x)?[\da-f]{1,8},[ \t]{0,4}){1,4}(?=0x)/iy;
/** What makes a list under a name that says little a key. */
const ABOUT_CIPHER = /encrypt|decrypt|cipher|crypto|aes|xor|secret|signing/i;
const NAMED = /[A-Za-z\d](?:[_.-](?:key|KEY)|Key)$/;
const CIPHER_REACH = 400;
/** As wide as a key in Verilog: nothing else that is called one is. */
const CIPHER_WIDTH = /^(?:128|192|256)'s?h/i;

/** The numbers that a key is written as behind a link. */
function numbersOf(scan: Scan, key: Key, { kind }: Link, valueAt: number): number[] | undefined {
  const { text } = scan;
  const isWeak = key.strength === 'weak';
  if (key.strength === 'vendor' || (isWeak && (kind === 'call' || kind === 'comma'))) return undefined;
  if (kind === 'space' && !declares(text, key.start)) return undefined;
  if (kind === 'call') return listedBytesAt(text, valueAt);
  COLUMNS.lastIndex = valueAt;
  const numbers = keyBytesAt(text, kind === 'comma' && COLUMNS.test(text) ? COLUMNS.lastIndex : valueAt, isWeak);
  if (
    numbers === undefined ||
    !isWeak ||
    CIPHER_WIDTH.test(text.slice(valueAt, valueAt + 6)) ||
    isAboutCipher(text, key)
  )
    return numbers;
  return undefined;
}

/**
 * Of a name that says little: true where the way a literal is written says that it holds bytes, and
 * all else that they are a key.
 */
function isKeyLiteral(text: string, key: Key, from: number, pieces: readonly number[]): boolean {
  const [start = 0, end = 0] = pieces;
  if (key.strength !== 'weak' || (start === from + 1 && text.charCodeAt(start) !== 92)) return false;
  return (
    (DECODED.test(text.slice(from, start - 1)) || ESCAPED.test(text.slice(start, end))) && isAboutCipher(text, key)
  );
}

function isAboutCipher(text: string, key: Key): boolean {
  const name = text.slice(key.start, key.end);
  if (!/key$/i.test(name)) return false;
  return NAMED.test(name) || ABOUT_CIPHER.test(text.slice(Math.max(0, key.start - CIPHER_REACH), key.start));
}

function reportNumbers(scan: Scan, key: Key, spans: number[]): number {
  scan.reportSpans(RULE_BY_STRENGTH[key.strength], spans, 'low');
  return spans[spans.length - 1] as number;
}

/** `Password=a(b;Encrypt=`: a bracket in a part of a connection string calls nothing. */
function isPartOfString(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(end) !== 59) return false;
  const value = text.slice(start, end);
  return value.includes('(') && !value.includes(')');
}

/** The literal that an expression falls back on. */
function pastGiven(text: string, at: number): number[] | undefined {
  if (!mayBeGiven(text, at)) return undefined;
  UNLESS_GIVEN.lastIndex = at;
  return UNLESS_GIVEN.test(text) ? literalPieces(text, UNLESS_GIVEN.lastIndex, false) : undefined;
}

/** The quick way out before UNLESS_GIVEN: a word that neither an operator nor a bracket follows. */
function mayBeGiven(text: string, at: number): boolean {
  const end = endOfRun(WORD | DOT, text, at, LONGEST_GIVEN);
  const code = codeAt(text, end);
  if (!isSpace(code)) return code === 36 || code === 91 || code === 40 || code === 41 || end - at === LONGEST_GIVEN;
  const operator = text.charCodeAt(pastSpaces(text, end));
  return operator === 124 || operator === 63 || operator === 111;
}

/** What follows a name in a list: the name of the next member, `'next': `, or another name of an enumeration. */
function isListed(text: string, key: Key, pieces: readonly number[]): boolean {
  const end = pieces[pieces.length - 1] as number;
  return (
    NEXT_MEMBER.test(text.slice(end, end + 8)) ||
    isSibling(text, key, pieces[0] as number) ||
    holdsName(text, key, pieces)
  );
}

/** `'OAuth', 'DjangoOAuth1'`: a name in a name. People put the word into a password. */
function holdsName(text: string, { start, end, strength }: Key, pieces: readonly number[]): boolean {
  if (strength === 'password' || end - start < 4) return false;
  return text.slice(pieces[0], pieces[1]).toLowerCase().includes(text.slice(start, end).toLowerCase());
}

const MAX_SIBLING = 64;

/**
 * Names of one enumeration begin or end alike: `'V3Password', 'V3Totp'`, `'%PASSWORD',
 * '%READONLY'`; a digit or a mark among what they share, a long share, or all of the name and a
 * mark.
 */
function isSibling(text: string, key: Key, at: number): boolean {
  const start =
    isQuote(text.charCodeAt(key.start - 2)) && text.charCodeAt(key.start - 1) !== 92 ? key.start - 1 : key.start;
  let same = 0;
  let marked = false;
  for (; same < SAME_HEAD; same += 1) {
    const code = text.charCodeAt(start + same);
    if (code !== text.charCodeAt(at + same)) break;
    marked ||= !(isLower(code) || isUpper(code));
  }
  const tail = text.slice(key.end - SAME_HEAD, key.end);
  if (
    key.end - key.start > SAME_HEAD &&
    text
      .slice(at, at + MAX_SIBLING)
      .split(/["'`]/, 1)[0]
      ?.endsWith(tail)
  )
    return true;
  if (same === key.end - key.start && /[+.:-]/.test(text.charAt(at + same))) return true;
  return same === SAME_HEAD || (marked && same >= 2);
}

/** Where a plain word is more likely a label, a mode or a name than a value. */
function isLoose(scan: Scan, key: Key, link: Link, valueEnd: number): boolean {
  const { text } = scan;
  switch (link.kind) {
    case 'assign':
    case 'option':
    case 'pair':
    case 'fallback':
      return false;
    case 'colon':
      return link.keyQuoted && /\?[ \t]{0,4}["'`]$/.test(text.slice(Math.max(0, key.start - 6), key.start));
    case 'compare':
      return key.strength !== 'password';
    case 'call':
      return !isInitialized(text, key.start, text.slice(key.start, key.end));
    case 'comma':
      return !(link.keyQuoted ? givesValue(text, key.start) : takesCopy(text, key.start));
    case 'space':
      if (declares(text, key.start)) return false;
      if (key.strength !== 'password') return true;
      return (
        !SQL_PASSWORD.test(text.slice(Math.max(0, key.start - 60), key.start)) &&
        !fillsLine(text, scan.lines.startOf(key.start), key.start, valueEnd)
      );
    default:
      return true;
  }
}

function confirmLiteral(scan: Scan, key: Key, pieces: number[], context: ValueContext): number {
  const { text } = scan;
  const start = pieces[0] as number;
  if (text.startsWith('-----BEGIN', start) || holdsUserinfo(text, start, pieces[1] as number)) return 0;
  return reportIfSecret(scan, key, pieces, context);
}

/** In a diff the removed value is followed by the added one, on a line of its own. */
function confirmReplacedLine(scan: Scan, key: Key, end: number): number {
  const next = /^["'`][,;)]{0,3}\r?\n\+[ \t]{1,60}(?=["'`])/.exec(scan.text.slice(end, end + 80));
  const pieces = next === null ? undefined : literalPieces(scan.text, end + next[0].length, true);
  return pieces === undefined
    ? 0
    : confirmLiteral(scan, key, pieces, { quoted: true, loose: false, config: false, generated: false });
}

/** A URI is left to the rule for URIs, which keeps its host readable. */
function holdsUserinfo(text: string, start: number, end: number): boolean {
  const scheme = text.slice(start, Math.min(end, start + 40)).indexOf('://');
  return scheme > 0 && text.slice(start, Math.min(end, start + 300)).includes('@');
}
