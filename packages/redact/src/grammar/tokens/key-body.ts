import { BASE64, isAlnum } from '../../lexicon/charset.js';
import { type LogicalLine, logicalLineAt } from '../logical-lines.js';
import type { Scan } from '../rule.js';

/** Longest body line looked at; a whole key on one line fits. */
const MAX_LINE = 65_536;
const MAX_LINES = 600;
/** Lines of nothing but decoration or armor headers that a body may hold in a row. */
const MAX_QUIET_LINES = 6;
/** A line with a run this long belongs to a body whatever stands round it: log prefixes, code, quotes. */
const LONG_RUN = 40;
const SHORTEST_RUN = 12;
const HEX_LINE = 32;
/** In several pieces, the line before END needs one this long: code above a lone marker has none. */
const LAST_RUN = 20;
/** Between two lines of a body: quotes, comment marks, concatenation, indentation. */
const DECORATION = /^[\s"'`+&_,;()*#/>|:.\\<=!-]*$/;
const ARMOR_HEADER =
  /(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|Subject|X-[A-Za-z-]+|Encryption|PPK-|Public-Lines|Key-Derivation|Argon2-[A-Za-z]+)\s*:/;

/** How a line is marked: the BEGIN line of a diff tells that its body's first column is a mark as well. */
export interface BodyStyle {
  diffMarks: boolean;
  /** Columns before the BEGIN marker that every line repeats: a log's time and source. 0 for none. */
  prefix: number;
}

/** Spans of a key's body from `from` on, and where the scan of it stopped. */
export interface KeyBody {
  spans: number[];
  end: number;
  /** True when an END line closed the body. */
  closed: boolean;
}

/**
 * Collects the base64 of a key line by line until END, or the first line that is no part of a key.
 * Never runs past code.
 */
export function collectKeyBody(scan: Scan, from: number, style: BodyStyle): KeyBody {
  const { text } = scan;
  const spans: number[] = [];
  let quiet = 0;
  let at = from;
  let end = from;
  let width = 0;
  for (let count = 0; count < MAX_LINES && at < text.length; count += 1) {
    const line = logicalLineAt(text, at, MAX_LINE, count > 0 && isRealBreak(text, at), true);
    const stop = line.end;
    const marker = text.startsWith('-----', stop) ? stop : -1;
    const runs = runsOfLine(scan, line, style, marker >= 0 || closesNext(text, line, style), width);
    if (runs.length > 0) {
      spans.push(...runs);
      width = Math.max(width, (runs[1] as number) - (runs[0] as number));
      end = stop;
      quiet = 0;
    } else if (marker < 0 && !isQuiet(text, line, style)) return { spans, end, closed: false };
    else quiet += 1;
    if (marker >= 0) return { spans, end: marker, closed: text.startsWith('-----END', marker) };
    if (quiet > MAX_QUIET_LINES) break;
    at = line.next;
    if (line.next === line.end) break;
  }
  return { spans, end, closed: false };
}

function isRealBreak(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  return code === 10 || code === 13;
}

/** True when END follows, on this line's heels or past lines of mere decoration (`" +` after an escaped break). */
function closesNext(text: string, line: LogicalLine, style: BodyStyle): boolean {
  let current = line;
  for (let ahead = 0; ahead < 4 && current.next > current.end; ahead += 1) {
    current = logicalLineAt(text, current.next, 160, isRealBreak(text, current.next), true);
    if (text.startsWith('-----', current.end)) return text.startsWith('-----END', current.end);
    if (!DECORATION.test(text.slice(contentStart(text, current, style), current.end))) return false;
  }
  return false;
}

function isQuiet(text: string, line: LogicalLine, style: BodyStyle): boolean {
  if (line.end - line.start > 240) return false;
  const content = text.slice(contentStart(text, line, style), line.end);
  return DECORATION.test(content) || ARMOR_HEADER.test(content);
}

/** First column after the diff mark, where the line has one. */
function contentStart(text: string, line: LogicalLine, style: BodyStyle): number {
  const code = text.charCodeAt(line.start);
  const past = line.start + style.prefix;
  if (style.prefix > 0 && line.fresh && past <= line.end && text.charCodeAt(past - 1) === 32) return past;
  return style.diffMarks && line.end > line.start && (code === 43 || code === 45 || code === 32)
    ? line.start + 1
    : line.start;
}

/**
 * The spans of base64 on one line of a body. A line counts when it is base64 between decoration, or
 * holds a long run. A short last line counts when END follows; without END it must look like base64
 * and not like a word, so that code after a cut-off key stays.
 */
export function runsOfLine(
  scan: Scan,
  line: LogicalLine,
  style: BodyStyle,
  lastBeforeEnd: boolean,
  width: number,
): number[] {
  const { text } = scan;
  const runs: number[] = [];
  let longest = 0;
  let longestAt = 0;
  let outside = '';
  let at = contentStart(text, line, style);
  if (ARMOR_HEADER.test(text.slice(at, Math.min(line.end, at + 48)))) return [];
  while (at < line.end) {
    const stop = Math.min(scan.runEnd(BASE64, at), line.end);
    if (stop > at && hasAlnum(text, at, stop)) {
      if (stop - at > longest) [longest, longestAt] = [stop - at, at];
      runs.push(at, stop);
      at = stop;
    } else {
      if (outside.length < 120) outside += text.charAt(at);
      at += 1;
    }
  }
  if (longest >= LONG_RUN) {
    if (runs.length === 2) return runs;
    if (DECORATION.test(outside) && !outside.includes('":')) return keepRuns(withoutPrefix(text, runs), 1);
    return keepRuns(withoutPrefix(text, inLiteral(text, line, runs, longestAt)), SHORTEST_RUN);
  }
  if (!DECORATION.test(outside) || longest < 1) return [];
  if (lastBeforeEnd) return runs.length === 2 || longest >= LAST_RUN ? runs : [];
  if (runs.length > 2) return [];
  return looksLikeBase64(text, runs[0] as number, runs[1] as number, width) ? runs : [];
}

/** Comment slashes and the plus between literals are of the base64 alphabet, but no run of it. */
function hasAlnum(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (isAlnum(text.charCodeAt(at))) return true;
  return false;
}

/** True when the spans hold enough to be a key: prose that names the markers holds a word or two. */
export function isKeyBody(spans: readonly number[]): boolean {
  let total = 0;
  for (let i = 0; i < spans.length; i += 2) total += (spans[i + 1] as number) - (spans[i] as number);
  return total >= 16;
}

/**
 * The runs between the quotes nearest to a place: a line of JSON may hold a line of a key in one of
 * its strings, and much else.
 */
function inLiteral(text: string, line: LogicalLine, runs: readonly number[], place: number): number[] {
  const before = text.slice(line.start, place);
  const from = line.start + Math.max(before.lastIndexOf('"'), before.lastIndexOf("'"), before.lastIndexOf('`'));
  const length = text.slice(place, line.end).search(/["'`]/);
  const to = length < 0 ? line.end : place + length;
  return runs.filter((_, index) => {
    const start = runs[index - (index % 2)] as number;
    return start > from && start < to;
  });
}

/** Short words and numbers that a colon, bracket or space sets off before the first long run are a log's prefix. */
function withoutPrefix(text: string, runs: readonly number[]): number[] {
  let from = 0;
  while (
    from < runs.length &&
    (runs[from + 1] as number) - (runs[from] as number) < SHORTEST_RUN &&
    ' :]-.\t'.includes(text.charAt(runs[from + 1] as number))
  )
    from += 2;
  return runs.slice(from);
}

function keepRuns(runs: readonly number[], shortest: number): number[] {
  const kept: number[] = [];
  for (let i = 0; i < runs.length; i += 2) {
    const start = runs[i] as number;
    const end = runs[i + 1] as number;
    if (end - start >= shortest) kept.push(start, end);
  }
  return kept;
}

function looksLikeBase64(text: string, start: number, end: number, width: number): boolean {
  const length = end - start;
  // As long as the lines before it: one line of 32 in a thousand has no digit, or no capital.
  if (text.charCodeAt(end - 1) === 61 || (length === width && length >= LAST_RUN)) return true;
  if (length < SHORTEST_RUN && width === 0) return false;
  const run = text.slice(start, end);
  // OpenVPN writes its keys so.
  if (length === HEX_LINE && /^[\da-f]+$/.test(run)) return true;
  if (/[+/]/.test(run.slice(0, -1)) && /[A-Z0-9]/.test(run)) return true;
  return (
    /\d/.test(run) && /[A-Z]/.test(run) && /[a-z]/.test(run) && !/^[A-Za-z]?[a-z]+(?:[A-Z][a-z]+)*\d{0,3}$/.test(run)
  );
}
