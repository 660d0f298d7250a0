import { codeAt, codeBefore, holdsDigit, isSpace, pastSpacesBack } from '../../lexicon/charset.js';
import { isMadeByHand, isMadeUp, isScrambled } from '../../lexicon/made-up-words.js';
import { isOption } from '../../lexicon/option-names.js';
import { declares } from '../declarations.js';
import type { Scan } from '../rule.js';
import { type BareValue, readBareValue } from './bare-value.js';
import type { Link } from './link.js';
import { isPasswordName, valueInNotes, valueInProse } from './prose-words.js';

/** What may stand before the key of an environment or configuration line. */
const LINE_PREFIX =
  /^[-+]?\s*(?:[-*]\s+)?(?:(?:\/\/+|#+|;+|--|\*|rem\b)\s*)?(?:(?:export|set|setx|env|arg|declare -x|p4 set|echo|\$env:|-e|--env|--build-arg)\s*)?$/i;
/** A declaring word and its options, and nothing before them on their line. */
const DECLARATION = /^[-+]?[ \t]{0,40}[A-Za-z_]{1,16}(?:[ \t]{1,4}-\w{1,4}){0,2}[ \t]{1,8}\$?$/;
const LONGEST_LEAD = 200;
/** What a line starts with that sets or names its last word. */
const BEFORE_SPACE_VALUE =
  /^[-+ ]?(?:env|arg|setx|machine \S{1,80}(?: (?:login|account) \S{1,80}){0,2}|default login \S{1,80}) $/i;
const BEHIND_LOGIN = /\blogin (?!and |or )\S{1,80}\s{1,20}$/i;

/** Whose password follows: `user ann password …`, `id ann@example.org password …`. */
const BEHIND_USER = /\b(?:user|username|id|account)[ :]{1,2}\S{1,80}(?: \S{1,24})? \/?$/i;

/** A name of several words is no word of prose; what it sets is no choice when it holds more than letters. */
const DIRECTIVE = /_(?:password|passwd|passphrase|psk|pwd) $/i;
const ADORNED = /^(?=.*[\d\-_.!@#$%^&*+?~]).{8,}$/;

/** Whatever the text, this is a line of an environment, and what it sets begins with a letter. */
const ENVIRONMENT_PASSWORD = /^[A-Z][A-Z0-9_]*_(?:PASS|PASSWORD|PASSWD|PASSPHRASE|PWD)=$/;

/** What stands before the password in a connection string. */
const PART_BEFORE =
  /\b(?:user(?:[ _]?(?:id|name))?|uid|data source|server|host|database|initial catalog)\s?=[^;\n]{1,80};$/i;

/** Options that take `NAME=value`. */
const BEFORE_OPTION_NAME = /(?:\s|^)(?:-e|--env|--set(?:-string)?|--build-arg|--from-literal|-D)[ =]?["']?$/;

/** Of C and its kin, shells and scripts, SQL and Lua, Lisp; alone they are operators. */
const COMMENT_MARK = /^(?:\/\/|\/\*|#[ #]|\*[ \t]|--[ -]|;[; ])/;

/**
 * Reads the unquoted value a link leads to, where the place allows one: undefined in source text,
 * where unquoted words are names.
 */
export function bareValueAt(
  scan: Scan,
  keyStart: number,
  link: Link,
  from: number,
  below: 'no' | 'block' | 'line',
): BareValue | undefined {
  const { text } = scan;
  const { kind, keyQuoted } = link;
  if (from >= text.length) return undefined;
  if (below !== 'no') return scan.kind === 'source' ? undefined : onNextLine(scan, from, below);
  // In code options stand in strings, which have quotes of their own, and in comments on them.
  if (kind === 'option') return readBareValue(scan, from, 'word', scan.kind === 'source' ? 'if generated' : 'yes');
  if (kind === 'fallback')
    return text.charCodeAt(from - 1) === 45 ? readBareValue(scan, from, 'word', 'yes') : undefined;
  if (kind === 'space') return afterSpace(scan, keyStart, from);
  if (kind === 'prose') return valueInProse(scan, keyStart, from);
  if (kind === 'comma') return inList(scan, keyStart, from);
  if (kind !== 'assign' && kind !== 'colon' && kind !== 'pair') return undefined;
  return assigned(scan, keyStart, from, kind, keyQuoted);
}

function assigned(
  scan: Scan,
  keyStart: number,
  from: number,
  kind: Link['kind'],
  keyQuoted: boolean,
): BareValue | undefined {
  const { text } = scan;
  const open = isMinified(scan, keyStart) ? 0 : scan.quotes.openQuoteAt(keyStart);
  const before = codeBefore(text, keyStart);
  const last = text.charCodeAt(from - 1);
  // `$name = word`: shells assign without either, other languages with quotes.
  if (before === 36 && last === 32) return undefined;
  const tight = last === 61 || last === 68 || last === 100; // `=`, %3D, \u003d
  if (last !== 61 && tight) return upToEscape(text, readBareValue(scan, from, 'word', 'yes'));
  if (before === 63 || before === 38) return tight ? readBareValue(scan, from, 'word', 'yes') : undefined;
  if (tight && (isOption(text, keyStart) || followsOption(text.slice(Math.max(0, keyStart - 24), keyStart))))
    return readBareValue(scan, from, 'word', 'yes');
  if (keyQuoted && (open === 0 || opensList(text.charCodeAt(from)))) return undefined;
  if (open !== 0 && !keyQuoted && kind === 'colon' && isProseOrRoute(text, keyStart, from)) return undefined;
  if (scan.kind === 'unknown' && (open === 0 || keyQuoted)) {
    const fills = kind === 'pair' || isLineAnchored(scan, keyStart);
    return fills ? fromUnknown(scan, keyStart, from, tight) : inLog(scan, keyStart, from, tight);
  }
  const part = (tight || last === 32) && isPart(text, keyStart) ? 'part' : 'word';
  if (open !== 0 && !keyQuoted)
    return tight || kind === 'colon' || part === 'part' ? readBareValue(scan, from, part, 'yes') : undefined;
  if (scan.kind === 'config')
    return readBareValue(
      scan,
      from,
      kind === 'pair' ? 'line' : isLineAnchored(scan, keyStart) ? 'setting' : part,
      'yes',
    );
  if (before === 59 && tight) return unlessCode(text, readBareValue(scan, from, 'word', 'yes'));
  return isInComment(scan, keyStart) ? inLog(scan, keyStart, from, false) : undefined;
}

const WORD_AND_NEXT = /^[a-z_]{2,24}[,.:]? [a-z%-]/;

/** `password: cannot be …` in a message; `server:set-password:show`, the last step of a name with colons. */
function isProseOrRoute(text: string, keyStart: number, from: number): boolean {
  if (text.charCodeAt(from - 1) === 58) return text.charCodeAt(keyStart - 1) === 58;
  return WORD_AND_NEXT.test(text.slice(from, from + 24));
}

/** `[`, `{`: what follows a quoted name is a list or an object, not a value. */
const opensList = (code: number): boolean => code === 91 || code === 123;

/** `;a.password=b?c(d):e`: in code without line breaks a statement looks like a part of a connection string. */
function unlessCode(text: string, value: BareValue | undefined): BareValue | undefined {
  return value !== undefined && /[(){}?]|[=!]=|^!\d/.test(text.slice(value.start, value.end)) ? undefined : value;
}

/** A part of a connection string: `; password= v`. */
function isPart(text: string, keyStart: number): boolean {
  return text.charCodeAt(pastSpacesBack(text, keyStart, 3) - 1) === 59;
}

/** True when the line of the name starts with the mark of a comment. */
function isInComment(scan: Scan, keyStart: number): boolean {
  const { text } = scan;
  const lineStart = scan.lines.startOf(keyStart);
  const mark = text.charCodeAt(lineStart);
  let at = mark === 43 || (mark === 45 && text.charCodeAt(lineStart + 1) !== 45) ? lineStart + 1 : lineStart;
  while (isSpace(text.charCodeAt(at)) && at - lineStart < 60) at += 1;
  return keyStart > at && keyStart - at < LONGEST_LEAD && COMMENT_MARK.test(text.slice(at, at + 4));
}

function followsOption(lead: string): boolean {
  return lead.includes('-') && BEFORE_OPTION_NAME.test(lead);
}

/** In encoded text the next escape is the next separator. */
function upToEscape(text: string, value: BareValue | undefined): BareValue | undefined {
  if (value === undefined) return undefined;
  const next = text.slice(value.start, value.end).search(/[%\\&]/);
  return next < 0 ? value : { ...value, end: value.start + next };
}

/** Quotes in regular expressions and templates make the state of a long line of code unreliable. */
function isMinified(scan: Scan, keyStart: number): boolean {
  return scan.kind === 'source' && keyStart - scan.lines.startOf(keyStart) > 800;
}

function isLineAnchored(scan: Scan, keyStart: number): boolean {
  const lineStart = scan.lines.startOf(keyStart);
  return keyStart - lineStart <= 80 && LINE_PREFIX.test(scan.text.slice(lineStart, keyStart));
}

/** Without a path, `NAME=value` and a value that fills its line and is no word count as configuration. */
function fromUnknown(scan: Scan, keyStart: number, from: number, tight: boolean): BareValue | undefined {
  const value = readBareValue(scan, from, 'word', 'yes');
  if (value === undefined) return undefined;
  const rest = scan.text.slice(value.end, value.end + 2);
  const fills = rest === '' || /^[ \t]*[\r\n]/.test(rest) || /^ #/.test(rest);
  const environment = tight && /^[A-Z0-9_.-]+$/.test(scan.text.slice(keyStart, from - 1));
  if (!fills && !environment)
    return tight || isMadeUp(scan.text.slice(value.start, value.end))
      ? { ...value, literal: 'if generated' }
      : undefined;
  const shape = scan.text.slice(value.start, value.end);
  return environment || isScrambled(shape) || (/\d/.test(shape) && /[A-Za-z]/.test(shape)) || /[^\w.,;()]/.test(shape)
    ? value
    : undefined;
}

/**
 * In prose and logs a value counts when it looks generated and `=` touches it, when it ends its
 * line or when nothing but chance makes such a word.
 */
function inLog(scan: Scan, keyStart: number, from: number, tight: boolean): BareValue | undefined {
  const isSet =
    tight && (ENVIRONMENT_PASSWORD.test(scan.text.slice(keyStart, from)) || isPartBehind(scan.text, keyStart));
  const value = readBareValue(scan, from, 'word', isSet ? 'yes' : 'if generated');
  if (value === undefined || isSet) return value;
  const after = codeAt(scan.text, value.end);
  const isBound = tight || value.end >= scan.text.length || after === 10 || after === 13;
  if (!holdsDigit(scan.text, value.start, value.end)) return isBound ? value : undefined;
  const word = scan.text.slice(value.start, value.end);
  if (isMadeByHand(word) && isPasswordName(scan.text, keyStart, from)) return { ...value, literal: 'yes' };
  return isBound || isMadeUp(word) ? value : undefined;
}

const isPartBehind = (text: string, keyStart: number): boolean =>
  text.charCodeAt(keyStart - 1) === 59 && PART_BEFORE.test(text.slice(Math.max(0, keyStart - 100), keyStart));

/**
 * `ENV NAME value` of a Dockerfile, `login ann password value` of a .netrc, `password value` alone
 * on a line of configuration.
 */
function afterSpace(scan: Scan, keyStart: number, from: number): BareValue | undefined {
  const { text } = scan;
  if (scan.kind === 'source' || scan.kind === 'lock') return undefined;
  const word = text.charCodeAt(from);
  if (word === 61 || word === 40 || word === 123) return undefined;
  const lineStart = scan.lines.startOf(keyStart);
  if (declares(text, keyStart) && DECLARATION.test(text.slice(Math.max(lineStart, keyStart - 60), keyStart)))
    return readBareValue(scan, from, 'word', 'yes');
  if (keyStart - lineStart > LONGEST_LEAD) return undefined;
  if (
    BEFORE_SPACE_VALUE.test(text.slice(lineStart, keyStart)) ||
    BEHIND_LOGIN.test(text.slice(Math.max(0, keyStart - LONGEST_LEAD), keyStart))
  )
    return readBareValue(scan, from, 'word', 'yes');
  if (!isLineAnchored(scan, keyStart)) {
    const isProse =
      (scan.kind === 'unknown' && isPasswordName(text, keyStart, from)) ||
      BEHIND_USER.test(text.slice(Math.max(lineStart, keyStart - LONGEST_LEAD), keyStart));
    return isProse || scan.kind === 'unknown' ? valueInNotes(scan, keyStart, from, isProse) : undefined;
  }
  const isDirective = scan.kind === 'config' && DIRECTIVE.test(text.slice(keyStart, from));
  const value = readBareValue(scan, from, 'line', isDirective ? 'yes' : 'if generated');
  if (value === undefined || (isDirective && !ADORNED.test(text.slice(value.start, value.end)))) return undefined;
  const after = text.charCodeAt(value.end);
  return value.end >= text.length || after === 10 || after === 13 ? value : undefined;
}

/** `name,value,`: the first two columns of a line. */
function inList(scan: Scan, keyStart: number, from: number): BareValue | undefined {
  const { text } = scan;
  if (scan.kind === 'source' || scan.lines.startOf(keyStart) !== keyStart || text.charCodeAt(from - 1) !== 44)
    return undefined;
  const value = readBareValue(scan, from, 'word', 'if generated');
  const after = value === undefined ? 0 : text.charCodeAt(value.end);
  return value !== undefined && (value.end >= text.length || after === 44 || after === 10 || after === 13)
    ? value
    : undefined;
}

/** A line of its own below its key: one word that fills it. */
function onNextLine(scan: Scan, from: number, below: 'block' | 'line'): BareValue | undefined {
  const value = readBareValue(scan, from, 'line', below === 'block' && scan.kind === 'config' ? 'yes' : 'if generated');
  if (value === undefined) return undefined;
  let after = value.end;
  while (isSpace(scan.text.charCodeAt(after)) && after - value.end < 8) after += 1;
  const code = scan.text.charCodeAt(after);
  // The next name, in a comment or not.
  if (scan.text.charCodeAt(value.end - 1) === 58) return undefined;
  return after >= scan.text.length || code === 10 || code === 13 ? value : undefined;
}
