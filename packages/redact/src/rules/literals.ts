import { isSpace } from '../charset.js';
import { type QuotedValue, quotedValueAt } from '../quoted-values.js';
import type { Scan } from '../rule.js';

/** A prefix of a literal or a wrapper that hands it on unchanged. */
const LITERAL_PREFIX =
  /(?:[rRbBuUfFlLNE@$]{1,2}(?=["'`])|(?:new )?(?:String|str|SecretStr|Secret|SecureString|GuardedString|Some|Optional\.of|Password|bytes|bytearray|\[\]byte|String::from|std::string|Buffer\.from|TEXT|_T|@|)\((?:[rbuL])?(?=["'`]))/y;
/** Between two pieces of one literal: an operator or nothing, and a line break with its diff mark. */
const JOINT = /[ \t]{0,8}(?:[+.&][ \t]{0,8})?(?:\\?\r?\n[-+ ]?[ \t]{0,60})?(?:[+.&][ \t]{0,8})?(?=["'])/y;
/** `|`, `>-`: a YAML block follows; or nothing, an opening bracket or a continuation before the line break. */
const NEXT_LINE = /(?:[|>][-+]?\d?|[(\\])?[ \t]{0,8}(?:#[^\n]{0,80})?\r?\n/y;
const MAX_PIECES = 8;

/** Start of the literal's first quote past a prefix or wrapper at `at`. */
export function pastPrefix(text: string, at: number): number {
  const code = text.charCodeAt(at);
  // A letter, `(`, `[`, `@` or `$`: nothing else starts a prefix.
  if (
    !(code === 40 || code === 64 || code === 36 || code === 91 || code === 95 || (code >= 65 && code <= 122 && code !== 92 && code !== 96))
  )
    return at;
  LITERAL_PREFIX.lastIndex = at;
  return LITERAL_PREFIX.test(text) ? LITERAL_PREFIX.lastIndex : at;
}

/** Where the line after `at` starts its text, past the diff mark and the indentation; -1 when `at` does not end its line. */
export function nextLineValue(scan: Scan, keyStart: number, at: number): number {
  const { text } = scan;
  const code = text.charCodeAt(at);
  if (code !== 10 && code !== 13 && code !== 124 && code !== 62 && code !== 92 && code !== 40 && !isSpace(code) && code !== 35) return -1;
  NEXT_LINE.lastIndex = at;
  if (!NEXT_LINE.test(text)) return -1;
  let from = NEXT_LINE.lastIndex;
  if (carriesMarks(scan, keyStart) && isMark(text.charCodeAt(from))) from += 1;
  const content = from;
  while (isSpace(text.charCodeAt(from)) && from - content < 60) from += 1;
  return from > content ? from : -1;
}

function carriesMarks(scan: Scan, keyStart: number): boolean {
  return scan.diff ?? isMark(scan.text.charCodeAt(scan.quotes.lineStart(keyStart)));
}

const isMark = (code: number): boolean => code === 43 || code === 45 || code === 32;

/** The pieces of a literal that starts at `at`: one, or several joined by `+`, `.`, `&`, or by standing one below the other. Start and end of each; with `alone` the first. */
export function literalPieces(text: string, at: number, alone = false): number[] | undefined {
  let piece = htmlQuoted(text, at) ?? quotedValueAt(text, at);
  if (piece === undefined) return undefined;
  const spans = [piece.start, piece.end];
  while (!alone && spans.length < MAX_PIECES * 2) {
    const close = piece.end + 1 + backslashes(text, piece.end);
    const code = text.charCodeAt(close);
    if (code !== 32 && code !== 43 && code !== 10 && code !== 13 && code !== 92 && code !== 46 && code !== 38) break;
    JOINT.lastIndex = close;
    if (!JOINT.test(text) || JOINT.lastIndex === close) break;
    const next = quotedValueAt(text, JOINT.lastIndex);
    if (next === undefined || !/[+.&\n]/.test(text.slice(close, JOINT.lastIndex))) break;
    piece = next;
    spans.push(next.start, next.end);
  }
  return spans;
}

function backslashes(text: string, at: number): number {
  let count = 0;
  while (text.charCodeAt(at + count) === 92) count += 1;
  return count;
}

/** `&quot;value&quot;` of an attribute. */
function htmlQuoted(text: string, at: number): QuotedValue | undefined {
  if (text.charCodeAt(at) !== 38 || !text.startsWith('&quot;', at)) return undefined;
  const end = text.slice(at + 6, at + 300).indexOf('&quot;');
  return end < 0 ? undefined : { start: at + 6, end: at + 6 + end };
}
