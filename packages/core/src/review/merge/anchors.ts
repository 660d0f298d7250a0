import type { Hunk } from '../../changes/change.js';

/**
 * How sure a finding's place is. `exact`: the line is on the new side of the diff, and the quote,
 * where there is one, is there; or the quote is on that line of the file outside the diff.
 * `moved`: the quote is on exactly one other line. `file`: the quote is on several lines,
 * and none is the nearest. `unverified`: nothing confirms it: no text, a quote that is nowhere
 * in the file as far as it is known, or a line outside the diff without a usable quote.
 */
export type AnchorKind = 'exact' | 'moved' | 'file' | 'unverified';

export interface Anchor {
  kind: AnchorKind;
  /** Where to show the finding; null at file level. 1-based, new side. */
  line: number | null;
}

/** The new side of a file's hunks, by line number. */
export interface NewSide {
  /** Text without its mark and with white space run together, by 1-based line, ascending. */
  readonly lines: ReadonlyMap<number, string>;
  /** Where each text stands, ascending. */
  readonly byText: ReadonlyMap<string, readonly number[]>;
  /** The heading of the section that a line stands in, where its hunk carries one. */
  readonly sections: ReadonlyMap<number, string>;
  /** The greatest line shown; 0 where none is. */
  readonly lastLine: number;
}

/** White space carries no meaning here: models rewrap, formatters reindent. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Collects the new side: context and added lines. */
export function newSideOf(hunks: readonly Hunk[]): NewSide {
  const lines = new Map<number, string>();
  const byText = new Map<string, number[]>();
  const sections = new Map<number, string>();
  let lastLine = 0;
  for (const hunk of hunks) {
    let line = hunk.newStart;
    for (const marked of hunk.lines) {
      if (marked.startsWith('-') || marked.startsWith('\\')) continue;
      const text = plain(marked.slice(1));
      lines.set(line, text);
      if (hunk.section !== undefined) sections.set(line, plain(hunk.section));
      lastLine = Math.max(lastLine, line);
      const places = byText.get(text);
      if (places === undefined) byText.set(text, [line]);
      else places.push(line);
      line += 1;
    }
  }
  return { lines, byText, sections, lastLine };
}

/** The same for the whole text of a file: every line of it, from 1. */
export function newSideOfText(text: string): NewSide {
  const lines = text.split('\n').map((line) => ` ${line}`);
  return newSideOf([{ oldStart: 0, oldLines: 0, newStart: 1, newLines: lines.length, lines }]);
}

/** Farther than this from the cited line, one of several equal quotes proves nothing. */
const NEARBY_LINES = 8;
/** How far a quote of part of a line is searched: bounds the work for any reply. */
const SEARCHED_LINES = 200;

function firstLineOf(quote: string): string {
  return plain(quote.split('\n').find((line) => line.trim() !== '') ?? '');
}

/** A quote too short to name a line: any brace would do. */
function tellsNothing(quote: string): boolean {
  return quote.replace(/[^\p{L}\p{N}]/gu, '').length < 3;
}

/** Lines near `line` that contain the quote without being it. */
function containing(quote: string, line: number, side: NewSide): readonly number[] {
  const found: number[] = [];
  for (let at = line - SEARCHED_LINES; at <= line + SEARCHED_LINES; at += 1)
    if (side.lines.get(at)?.includes(quote)) found.push(at);
  return found;
}

/** One way to read a quote, and how far from the cited line it may stand. */
interface QuoteReading {
  text: string;
  maxDistance: number;
}

/**
 * The quote as sent, then without what the prompt prints left of a line: its number, its diff mark.
 * A removed line has no place on the new side; the same text far from the cited line is another
 * line.
 */
function listReadings(quote: string): readonly QuoteReading[] {
  const text = firstLineOf(quote);
  const unnumbered = /^\d{1,8}[ :|]{1,3}(.+)$/.exec(text)?.[1];
  const readings: QuoteReading[] = [];
  for (const one of unnumbered === undefined ? [text] : [text, unnumbered]) {
    readings.push({ text: one, maxDistance: Number.POSITIVE_INFINITY });
    if (one.startsWith('+')) readings.push({ text: one.slice(1).trim(), maxDistance: Number.POSITIVE_INFINITY });
    if (one.startsWith('-')) readings.push({ text: one.slice(1).trim(), maxDistance: NEARBY_LINES });
  }
  return readings.filter((reading) => !tellsNothing(reading.text));
}

/** Whether the quote is long enough to name a line. */
export function isUsableQuote(quote: string): boolean {
  return listReadings(quote).length > 0;
}

/** Whether the quote, long enough to name a line, stands at `line`. */
export function standsAt(quote: string, line: number, side: NewSide): boolean {
  return listReadings(quote).some(({ text }) => side.lines.get(line)?.includes(text) === true);
}

function byQuote(quote: string, line: number, side: NewSide): Anchor {
  if (side.lines.get(line)?.includes(quote)) return { kind: 'exact', line };
  const equal = side.byText.get(quote);
  const [only, second] = equal ?? containing(quote, line, side);
  if (only === undefined) return { kind: 'unverified', line: null };
  if (second === undefined) return { kind: 'moved', line: only };
  const stands = (at: number): boolean =>
    equal === undefined ? side.lines.get(at)?.includes(quote) === true : side.lines.get(at) === quote;
  for (let away = 1; away <= NEARBY_LINES; away += 1) {
    const [above, below] = [stands(line - away), stands(line + away)];
    if (above !== below) return { kind: 'moved', line: above ? line - away : line + away };
    if (above) break;
  }
  return { kind: 'file', line: null };
}

/**
 * Where a finding belongs. Quote first, line second; what cannot be placed is demoted, never
 * deleted. `line` of the finding itself is not touched: the anchor lives in `meta` (ruling R7).
 */
export function resolveAnchor(place: { line: number; quote?: string | undefined }, side: NewSide): Anchor {
  if (side.lines.size === 0) return { kind: 'unverified', line: null };
  const readings = place.quote === undefined ? [] : listReadings(place.quote);
  if (readings.length === 0 && side.lines.has(place.line)) return { kind: 'exact', line: place.line };
  for (const { text, maxDistance } of readings) {
    const anchor = byQuote(text, place.line, side);
    const isNear = anchor.line === null || Math.abs(anchor.line - place.line) <= maxDistance;
    if (anchor.kind !== 'unverified' && isNear) return anchor;
  }
  return { kind: 'unverified', line: null };
}
