import { lowerBound } from '../lower-bound.js';

/** A line of an earlier version and where it is now. */
export interface KnownLine {
  file: string | null;
  from: number;
  to: number;
}

/** By how many lines a place of an earlier version was shifted. */
export type LineShift = (file: string | null, line: number) => number;

/** Estimates the shift of any line from the nearest line whose place is known; 0 where a file has none. */
export function estimateShifts(known: readonly KnownLine[]): LineShift {
  const byFile = new Map<string | null, KnownLine[]>();
  for (const one of [...known].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const lines = byFile.get(one.file);
    if (lines === undefined) byFile.set(one.file, [one]);
    else lines.push(one);
  }
  return (file, line) => {
    const lines = byFile.get(file) ?? [];
    const next = lowerBound(lines.length, (at) => (lines[at]?.from ?? 0) < line);
    const [above, below] = [lines[next - 1], lines[next]];
    const isBelowNearer = below !== undefined && (above === undefined || below.from - line <= line - above.from);
    const nearest = isBelowNearer ? below : above;
    return nearest === undefined ? 0 : nearest.to - nearest.from;
  };
}
