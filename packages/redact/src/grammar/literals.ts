import { codeAt, endOfRun, isDigit, isMark, isQuote, isSpace, pastSpaces, WORD } from '../lexicon/charset.js';
import { type QuotedValue, quotedValueAt } from './quoted-values.js';
import type { Scan } from './rule.js';

/** A prefix of a literal or a wrapper that hands it on unchanged. */
const LITERAL_PREFIX =
  /(?:[rRbBuUfFlLNExX@$]{1,2}(?=["'`])|(?:new )?(?:String|str|SecretStr|Secret|SecureString|GuardedString|Some|Optional\.of|Password|bytes|bytearray|\[\]byte|String::from|std::string|Buffer\.from|QString(?:Literal)?|QLatin1String|TEXT|_T|@|(?:System\.)?(?:Text\.)?(?:Convert\.FromBase64String|Encoding\.\w{3,8}\.GetBytes)|hex2bin|(?:u?binascii\.)?unhexlify|MD5|SHA[12]?|md5|sha1|sha256|crypt|bcrypt|Hash::make|base64_decode|atob|b64decode|(?:String\()?Base64\.(?:(?:getDecoder\(\)\.)?decode|(?:strict_)?decode64|decodeBase64)|bytes\.fromhex|base64\.b64decode|)\((?:[rbuL])?(?=\\{0,3}["'`])|\((?:const |unsigned ){0,2}(?:char|void|BYTE|uint8_t)(?: const)? ?\* ?\)(?=")|<<(?="))/y;
/** What such a prefix may start with: one entry for each character of ASCII. */
const STARTS_PREFIX = new Uint8Array(128);
for (const character of 'rRbBuUfFlLNExX@$nSsGOP[QT_(<ChHMmca') STARTS_PREFIX[character.charCodeAt(0)] = 1;
/** A type and a literal in braces: `std::string{"value"}`. */
const BRACED = /\{[ \t]{0,2}(?=(["'])[^"'\n]{1,200}\1[ \t]{0,2}\})/y;
const LONGEST_TYPE = 31;
/** What closes a literal that opens with neither a quote alone nor a prefix of one. */
const CLOSER_BY_OPENER: readonly (readonly [opener: string, closer: string])[] = [
  ['"""', '"""'],
  ["'''", "'''"],
  // reStructuredText.
  ['``', '``'],
  ['[[', ']]'],
  ['R"(', ')"'],
  ['q(', ')'],
  ['q{', '}'],
  ['qq(', ')'],
  ['qq{', '}'],
  ['%q(', ')'],
  ['%q{', '}'],
];
const LONGEST_OTHER = 512;
/** Between two pieces of one literal: an operator or nothing, and a line break with its diff mark. */
const JOINT = /[ \t]{0,8}(?:[+.&][ \t]{0,8})?(?:\\?\r?\n[-+ ]?[ \t]{0,60})?(?:[+.&][ \t]{0,8})?(?=["'])/y;
/** `|`, `>-`: a YAML block follows; or nothing, an opening bracket or a continuation before the line break. */
const NEXT_LINE = /(?:[|>][-+]?\d?|[(\\])?[ \t]{0,8}(?:#[^\n]{0,80})?\r?\n/y;
const MAX_PIECES = 8;

/**
 * The content of a literal between marks of its own, as far as it ends on the line: Lua's brackets,
 * raw strings, quoting operators.
 */
function markedLiteral(text: string, at: number): QuotedValue | undefined {
  const code = text.charCodeAt(at);
  if (code !== 34 && code !== 39 && code !== 91 && code !== 82 && code !== 113 && code !== 37 && code !== 96)
    return undefined;
  if (isQuote(code) && codeAt(text, at + 1) !== code) return undefined;
  const marks = CLOSER_BY_OPENER.find(([opener]) => text.startsWith(opener, at));
  if (marks === undefined) return undefined;
  const start = at + marks[0].length;
  const length = text.slice(start, start + LONGEST_OTHER).indexOf(marks[1]);
  const content = text.slice(start, start + length);
  // A list of lists in JSON.
  if (code === 91 && /["{[,]|^[\d.]+$|^null$/.test(content)) return undefined;
  if (code === 96 && /\s|^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(content)) return undefined;
  return length > 0 && !content.includes('\n') && !content.startsWith('"') ? { start, end: start + length } : undefined;
}

/** Start of the literal's first quote past a prefix or wrapper at `at`. */
export function pastPrefix(text: string, at: number): number {
  if (at >= text.length) return at;
  const code = text.charCodeAt(at);
  let end = endOfRun(WORD, text, at, LONGEST_TYPE);
  if (mayBePrefix(text, code, at, end)) {
    if (text.startsWith('R"(', at)) return at;
    LITERAL_PREFIX.lastIndex = at;
    if (LITERAL_PREFIX.test(text)) return LITERAL_PREFIX.lastIndex;
  }
  if (isDigit(code)) return at;
  while (end > at && end < text.length && end - at <= LONGEST_TYPE && text.charCodeAt(end) === 58)
    end = endOfRun(WORD, text, end + 1, LONGEST_TYPE);
  if (end >= text.length || end - at > LONGEST_TYPE || text.charCodeAt(end) !== 123) return at;
  BRACED.lastIndex = end;
  return BRACED.test(text) ? BRACED.lastIndex : at;
}

/** The quick way out before LITERAL_PREFIX: `code` starts none, or the word that ends at `end` goes on as none does. */
function mayBePrefix(text: string, code: number, at: number, end: number): boolean {
  // `atob(`; other words begin with an a, too.
  if (code >= 128 || STARTS_PREFIX[code] === 0 || (code === 97 && text.charCodeAt(at + 1) !== 116)) return false;
  if (end === at || end - at >= LONGEST_TYPE) return true;
  const next = codeAt(text, end);
  return (
    isQuote(next) ||
    next === 40 ||
    next === 46 ||
    next === 58 ||
    next === 64 ||
    next === 36 ||
    (next === 32 && end - at === 3)
  );
}

/** True for what a line may end with, or go on with, before its value on the next. */
export function mayWrap(code: number): boolean {
  return (
    code === 10 ||
    code === 13 ||
    code === 124 ||
    code === 62 ||
    code === 92 ||
    code === 40 ||
    isSpace(code) ||
    code === 35
  );
}

/** True where `literalPieces` past a prefix may give any. */
export function mayStartLiteral(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  // Quotes, escaped or not, a bracket, `R`, `q`, `%`, `&`.
  if (isQuote(code) || code === 91 || code === 82 || code === 113 || code === 37 || code === 38 || code === 92)
    return true;
  return pastPrefix(text, at) !== at;
}

/**
 * Where the line after `at` starts its text, past the diff mark and the indentation; -1 when `at`
 * does not end its line.
 */
export function nextLineValue(scan: Scan, keyStart: number, at: number): number {
  const { text } = scan;
  if (!mayWrap(text.charCodeAt(at))) return -1;
  NEXT_LINE.lastIndex = at;
  if (!NEXT_LINE.test(text)) return -1;
  let from = NEXT_LINE.lastIndex;
  if (carriesMarks(scan, keyStart) && isMark(text.charCodeAt(from))) from += 1;
  const content = from;
  while (isSpace(text.charCodeAt(from)) && from - content < 60) from += 1;
  return from > content ? from : -1;
}

function carriesMarks(scan: Scan, keyStart: number): boolean {
  return scan.diff ?? isMark(scan.text.charCodeAt(scan.lines.startOf(keyStart)));
}

/**
 * The pieces of a literal that starts at `at`: one, or several joined by `+`, `.`, `&`, or by
 * standing one below the other. Start and end of each; with `alone` the first.
 */
export function literalPieces(text: string, at: number, alone = false): number[] | undefined {
  const marked = markedLiteral(text, at);
  if (marked !== undefined) return [marked.start, marked.end];
  let piece = htmlQuoted(text, at) ?? quotedValueAt(text, at);
  if (piece === undefined) return undefined;
  const spans = [piece.start, piece.end];
  while (!alone && spans.length < MAX_PIECES * 2) {
    const close = piece.end + 1 + backslashes(text, piece.end);
    const code = codeAt(text, close);
    if (code !== 32 && code !== 43 && code !== 10 && code !== 13 && code !== 92 && code !== 46 && code !== 38) break;
    JOINT.lastIndex = close;
    if (!JOINT.test(text) || JOINT.lastIndex === close) break;
    const next = quotedValueAt(text, JOINT.lastIndex);
    const joint = text.slice(close, JOINT.lastIndex);
    if (next === undefined || !/[+.&\n]/.test(joint)) break;
    // `'v'."` and no space: the full stop of a sentence, and the end of the literal it stands in.
    if (joint.length === 1 && text.charCodeAt(next.start - 1) !== text.charCodeAt(close - 1)) break;
    // The mark of a diff is no operator.
    if (!/[+.&]/.test(joint.replace(/\n[-+ ]/, '\n')) && isName(text, next.end + 1)) break;
    piece = next;
    spans.push(next.start, next.end);
  }
  return spans;
}

/** `"next": `: a literal below another names the next member. */
function isName(text: string, end: number): boolean {
  const after = text.charCodeAt(pastSpaces(text, end));
  return after === 58 || after === 61;
}

function backslashes(text: string, at: number): number {
  let count = 0;
  while (text.charCodeAt(at + count) === 92) count += 1;
  return count;
}

/** `&quot;value&quot;` of an attribute, on one line. */
function htmlQuoted(text: string, at: number): QuotedValue | undefined {
  if (text.charCodeAt(at) !== 38 || !text.startsWith('&quot;', at)) return undefined;
  const content = text.slice(at + 6, at + 300);
  const length = content.indexOf('&quot;');
  return length < 0 || /[\r\n]/.test(content.slice(0, length)) ? undefined : { start: at + 6, end: at + 6 + length };
}
