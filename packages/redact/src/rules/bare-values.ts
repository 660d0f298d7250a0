import { BARE_VALUE, isIn, isSpace } from '../charset.js';
import type { Scan } from '../rule.js';

/** A value without quotes. */
export interface BareValue {
  start: number;
  end: number;
  /** True where the place makes it a literal, not a name: a configuration file, a string, a query, an environment line. */
  literal: boolean;
}

const MAX_LENGTH = 512;
/** What may stand before the key of an environment or configuration line. */
const LINE_PREFIX =
  /^[-+]?\s*(?:[-*]\s+)?(?:\/\/+|#+|;+|--|\*|rem\b)?\s*(?:(?:export|set|setx|env|arg|declare -x|p4 set|echo|\$env:|-e|--env|--build-arg)\s*)?$/i;

interface Memory {
  from: number;
  to: number;
  whole: boolean;
}

const memoryKey = {};

/** Reads the unquoted value at `from`, where the place allows one: undefined in source text, where unquoted words are names. */
export function bareValueAt(scan: Scan, keyStart: number, from: number, operator: string, keyQuoted: boolean): BareValue | undefined {
  const { text } = scan;
  if (from >= text.length || (keyQuoted && operator !== '=' && operator !== ':')) return undefined;
  const open = isMinified(scan, keyStart) ? 0 : scan.quotes.openQuoteAt(keyStart);
  const before = text.charCodeAt(keyStart - 1);
  const tight = text.charCodeAt(from - 1) === 61;
  if (operator === '--' || operator === ':-') return found(scan, from, false, true);
  if (before === 63 || before === 38) return tight ? found(scan, from, false, true) : undefined;
  if (keyQuoted && open === 0) return undefined;
  if (open !== 0 && !keyQuoted) return tight || operator === ':' ? found(scan, from, false, true) : undefined;
  const anchored = isLineAnchored(scan, keyStart);
  if (scan.kind === 'config') return anchored ? found(scan, from, true, true) : found(scan, from, false, true);
  if (scan.kind === 'unknown' && anchored) return fromUnknown(scan, keyStart, from, tight);
  if (before === 59 && tight) return found(scan, from, false, true);
  return scan.kind === 'source' || !tight ? undefined : found(scan, from, false, false);
}

/** Quotes in regular expressions and templates make the state of a long line of code unreliable. */
function isMinified(scan: Scan, keyStart: number): boolean {
  return scan.kind === 'source' && keyStart - scan.quotes.lineStart(keyStart) > 800;
}

function isLineAnchored(scan: Scan, keyStart: number): boolean {
  const lineStart = scan.quotes.lineStart(keyStart);
  return keyStart - lineStart <= 80 && LINE_PREFIX.test(scan.text.slice(lineStart, keyStart));
}

/** Without a path, `NAME=value` and a value that fills its line and is no word count as configuration. */
function fromUnknown(scan: Scan, keyStart: number, from: number, tight: boolean): BareValue | undefined {
  const value = found(scan, from, false, true);
  if (value === undefined) return undefined;
  const rest = scan.text.slice(value.end, value.end + 2);
  const fills = rest === '' || /^[ \t]*[\r\n]/.test(rest) || /^ #/.test(rest);
  const environment = tight && /^[A-Z0-9_.-]+$/.test(scan.text.slice(keyStart, from - 1));
  if (!fills && !environment) return undefined;
  const shape = scan.text.slice(value.start, value.end);
  return environment || (/\d/.test(shape) && /[A-Za-z]/.test(shape)) || /[^\w.,;()]/.test(shape) ? value : undefined;
}

function found(scan: Scan, from: number, whole: boolean, literal: boolean): BareValue | undefined {
  const memory = scan.memo(memoryKey, (): Memory => ({ from: -1, to: -1, whole: false }));
  if (from >= memory.from && from < memory.to && whole === memory.whole) return undefined;
  const end = whole ? endOfLineValue(scan.text, from) : endOfWord(scan, from);
  memory.from = from;
  memory.to = end;
  memory.whole = whole;
  return end > from && end - from <= MAX_LENGTH ? { start: from, end, literal } : undefined;
}

/** To the next white space, quote, separator or escape; closing brackets and full stops belong to what stands round it. */
function endOfWord(scan: Scan, from: number): number {
  const { text } = scan;
  let end = scan.runEnd(BARE_VALUE, from);
  if (end - from > MAX_LENGTH) return end;
  while (end > from && isClosing(text, from, end)) end -= 1;
  return end;
}

function isClosing(text: string, from: number, end: number): boolean {
  const code = text.charCodeAt(end - 1);
  if (code === 46 || code === 58) return true;
  const opener = code === 41 ? 40 : code === 93 ? 91 : code === 125 ? 123 : 0;
  if (opener === 0) return false;
  for (let at = from; at < end - 1; at += 1) if (text.charCodeAt(at) === opener) return false;
  return true;
}

/** To the next white space of a configuration line, separators included; an escape is never cut in two. */
function endOfLineValue(text: string, from: number): number {
  const stop = Math.min(text.length, from + MAX_LENGTH + 1);
  let end = from;
  while (end < stop) {
    const code = text.charCodeAt(end);
    if (isSpace(code) || code === 10 || code === 13 || code === 34 || code === 96) break;
    if (code === 39 && end > from && !isIn(BARE_VALUE, text.charCodeAt(end + 1))) break;
    if (code === 92 && /["'nrt\\]/.test(text.charAt(end + 1))) break;
    end += 1;
  }
  while (end > from && (text.charCodeAt(end - 1) === 44 || text.charCodeAt(end - 1) === 59)) end -= 1;
  return end;
}
