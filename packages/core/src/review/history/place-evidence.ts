import type { FindingIdentity } from '../merge/identity.js';
import type { ComparableFinding } from './comparable-finding.js';

/**
 * What speaks for one place. `settled`: the line, and it is settled which of the lines of its text it
 * is. `line`: the only line of its text, in other surroundings. `twin`: one of several lines of its
 * text. `between`: another line between the same two. `adjoining`: the line before or after.
 * `neighbour`: another line, near, next to the same one. `near`: a few lines away. `file`: both are
 * about the whole file. `none`: only the file.
 */
export type PlaceKind = 'settled' | 'line' | 'twin' | 'between' | 'adjoining' | 'neighbour' | 'near' | 'file' | 'none';

/** How two places of one file compare. */
export interface PlaceEvidence {
  kind: PlaceKind;
  /** Orders pairs that compete for a finding. Higher is surer. */
  strength: number;
}

/** Lines apart at which two places may still be one, the shift of the lines above them taken off. */
const NEARBY_LINES = 3;
/** Far from where it should be, a line is another one of its text. */
const FAR_LINES = 15;

const BASE_STRENGTH: Readonly<Record<PlaceKind, number>> = {
  settled: 5,
  line: 4,
  between: 4,
  adjoining: 3.75,
  neighbour: 3,
  near: 2,
  twin: 2,
  file: 2,
  none: 0,
};
const SIGN_STRENGTH = 0.25;
/** The heading tells copies of a function apart. */
const SECTION_STRENGTH = 1;

type Digest = string | null | undefined;

const isEqual = (a: Digest, b: Digest): boolean => typeof a === 'string' && a === b;

/** Which digests of two places are equal. */
interface Surroundings {
  before: boolean;
  after: boolean;
  neighbours: boolean;
  section: boolean;
  /** No line of its text came or went, so that their order tells which of them it is. */
  settled: boolean;
}

function compareSurroundings(a: FindingIdentity, b: FindingIdentity): Surroundings {
  const neighbours = isEqual(a.neighbours, b.neighbours);
  const isOnly = a.alike === 1 && b.alike === 1;
  const isOneOfSame = neighbours && a.places !== undefined && a.places === b.places && a.occurrence === b.occurrence;
  return {
    before: isEqual(a.before, b.before),
    after: isEqual(a.after, b.after),
    neighbours,
    section: isEqual(a.section, b.section),
    settled: isOnly || isOneOfSame,
  };
}

/** The kind for two places with the same line. `away`: lines from where the earlier one would stand now. */
function findKindOfLine(a: FindingIdentity, equal: Surroundings, away: number | null): PlaceKind {
  const { before, after, neighbours, section, settled } = equal;
  const surrounded = before || after || neighbours;
  if (settled) return surrounded || section ? 'settled' : 'line';
  // Reviews that an earlier version stored do not say how many lines are alike.
  if (a.alike === undefined) return neighbours && section ? 'settled' : 'twin';
  // The whole place was copied, or one of several was deleted: nothing tells which it is.
  if (neighbours) return 'twin';
  return surrounded && section && away !== null && away <= NEARBY_LINES ? 'settled' : 'twin';
}

function findKind(a: FindingIdentity, b: FindingIdentity, equal: Surroundings, away: number | null): PlaceKind {
  const { before, after, neighbours } = equal;
  if (isEqual(a.line, b.line)) return findKindOfLine(a, equal, away);
  const isFar = away === null || away > FAR_LINES;
  const haveLines = a.line !== null && b.line !== null;
  if (haveLines && (neighbours || (before && after))) return isFar && !equal.section ? 'twin' : 'between';
  if (isFar) return 'none';
  const isAdjoining = [a.before, a.after].some((one) => isEqual(one, b.line));
  if (isAdjoining || [b.before, b.after].some((one) => isEqual(one, a.line))) return 'adjoining';
  if (away > NEARBY_LINES) return 'none';
  return before || after ? 'neighbour' : 'near';
}

/** True for one line of two versions of a file, whatever the words: what shifts are learnt from. */
export function isSettled(earlier: ComparableFinding, present: ComparableFinding): boolean {
  const [a, b] = [earlier.identity, present.identity];
  return isEqual(a.line, b.line) && compareSurroundings(a, b).settled;
}

/** Compares two places of one file; `expectedLine`: where the earlier one would stand now; null: it has no line. */
export function comparePlaces(
  earlier: ComparableFinding,
  present: ComparableFinding,
  expectedLine: number | null,
): PlaceEvidence {
  const [a, b] = [earlier.identity, present.identity];
  const { line } = present.place;
  if (expectedLine === null && line === null) return { kind: 'file', strength: BASE_STRENGTH.file };
  const away = expectedLine === null || line === null ? null : Math.abs(line - expectedLine);
  const equal = compareSurroundings(a, b);
  const kind = findKind(a, b, equal, away);
  if (kind === 'none') return { kind, strength: 0 };
  const signs = [equal.before, equal.after, equal.settled].filter(Boolean).length;
  const heading = equal.section ? SECTION_STRENGTH : 0;
  const distance = away === null ? FAR_LINES : Math.min(FAR_LINES, away);
  return { kind, strength: BASE_STRENGTH[kind] + SIGN_STRENGTH * signs + heading - distance / FAR_LINES };
}
