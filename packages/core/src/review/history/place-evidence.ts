import type { FindingIdentity } from '../merge/identity.js';
import type { ComparableFinding } from './comparable-finding.js';

/**
 * What speaks for one place, strongest first. `stands`: the line and something beside it. `line`: the
 * line alone, in other surroundings. `between`: another line between the same two. `beside`: another
 * line, near, after or before the same one. `near`: a few lines away. `file`: both are about the whole
 * file. `none`: nothing but the file.
 */
export type PlaceEvidence = 'stands' | 'line' | 'between' | 'beside' | 'near' | 'file' | 'none';

/** Lines apart at which two places may still be one, the shift of the lines above them taken off. */
export const NEARBY_LINES = 3;

const isEqual = (a: string | null | undefined, b: string | null | undefined): boolean =>
  typeof a === 'string' && a === b;

/** A line that stands once in its file on both sides names its place by itself. */
function isUnique(a: FindingIdentity, b: FindingIdentity): boolean {
  return a.alike === 1 && b.alike === 1;
}

/** Compares two places of one file; `expectedLine`: where the earlier one would stand now; null: it has no line. */
export function comparePlaces(
  earlier: ComparableFinding,
  present: ComparableFinding,
  expectedLine: number | null,
): PlaceEvidence {
  const [a, b] = [earlier.identity, present.identity];
  const before = isEqual(a.before, b.before);
  const after = isEqual(a.after, b.after);
  const surrounded = isEqual(a.neighbours, b.neighbours) || (before && after);
  if (isEqual(a.line, b.line)) {
    if (surrounded || before || after) return 'stands';
    return isUnique(a, b) && isEqual(a.section, b.section) ? 'stands' : 'line';
  }
  const { line } = present.place;
  if (surrounded && a.line !== null && b.line !== null) return 'between';
  if (expectedLine === null || line === null) return expectedLine === line ? 'file' : 'none';
  if (Math.abs(line - expectedLine) > NEARBY_LINES) return 'none';
  return before || after ? 'beside' : 'near';
}
