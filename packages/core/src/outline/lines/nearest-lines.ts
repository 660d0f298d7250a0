import type { LineRange } from '../section.js';

export interface NearestLines extends LineRange {
  /** A line above that looks like a heading; a reader must be told "near", for its end is not known. */
  readonly near: string | undefined;
}

/** How far above a heading is looked for. */
const maxHeadingDistance = 400;

/**
 * For a language that has no outline: at most `maxLines` lines round a range, which is always in
 * the result. Half the rest goes to either side; a side ends early after its second blank line in a
 * row or where the text ends, and what it leaves goes to the other. Lines outside the text are held in it.
 */
export function nearestLines(text: string, firstLine: number, lastLine: number, maxLines: number): NearestLines {
  const lines = text.split('\n');
  const count = Math.max(1, text.endsWith('\n') ? lines.length - 1 : lines.length);
  const first = Math.min(Math.max(1, firstLine), count);
  const last = Math.min(Math.max(first, lastLine), count);
  const spare = Math.max(0, maxLines - (last - first + 1));
  const above = reach(lines, first, -1, spare);
  const below = reach(lines, last, 1, spare, count);
  const half = Math.floor(spare / 2);
  const upwards = Math.min(above, Math.max(half, spare - below));
  const downwards = Math.min(below, spare - upwards);
  return { startLine: first - upwards, endLine: last + downwards, near: findHeading(lines, first) };
}

/** How many lines may be added in one direction: up to the text's end, or two blank lines in a row. */
function reach(lines: readonly string[], from: number, step: 1 | -1, most: number, count = lines.length): number {
  let blanks = 0;
  for (let taken = 0; taken < most; taken += 1) {
    const line = from + step * (taken + 1);
    if (line < 1 || line > count) return taken;
    blanks = (lines[line - 1] ?? '').trim() === '' ? blanks + 1 : 0;
    if (blanks === 2) return Math.max(0, taken - 1);
  }
  return most;
}

/** The nearest line above that begins with a letter at the left edge, as version control shows it. */
function findHeading(lines: readonly string[], first: number): string | undefined {
  for (let line = first - 1; line >= 1 && line >= first - maxHeadingDistance; line -= 1) {
    const text = (lines[line - 1] ?? '').slice(0, 120).trimEnd();
    if (/^[\p{L}_$]/u.test(text)) return text;
  }
  return undefined;
}
