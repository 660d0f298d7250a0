import type { ComparableFinding, FindingMatch, MatchGrade } from './comparable-finding.js';
import { indexFindings } from './finding-index.js';
import { compareWords, readWords, weighWords } from './finding-words.js';
import { estimateShifts, type LineShift } from './line-shift.js';
import { comparePlaces, isSettled, type PlaceEvidence, type PlaceKind } from './place-evidence.js';

export interface MatchFindingsOptions {
  /** Files that have another path now: earlier path to present path. Default: none. */
  renames?: ReadonlyMap<string, string> | undefined;
}

/** How much of the shorter text must be shared, 0 to 1, for one issue: the surer the place, the less. */
const MIN_LIKENESS: Readonly<Record<PlaceKind, number>> = {
  settled: 0.07,
  line: 0.2,
  twin: 0.2,
  between: 0.2,
  adjoining: 0.22,
  neighbour: 0.2,
  near: 0.35,
  file: 0.35,
  none: 0.8,
};
/** Weight of equal words against that of the place, where several findings compete. */
const WORDS_STRENGTH = 4;
/** From here on, words are alike. */
const LIKE_WORDS = 0.3;
/** A category or rule that is the same makes up for so much likeness, and another rule takes it away. */
const SAME_CATEGORY = 0.05;
const SAME_RULE = 0.2;

interface Candidate extends FindingMatch {
  score: number;
  /** The part of the score that the place gives. */
  strength: number;
  /** The same line, of which there are more or fewer now. */
  isCopy: boolean;
  /** The line of the present one. */
  line: number | null;
}

function ruleBonus(earlier: ComparableFinding, present: ComparableFinding): number {
  const category = earlier.category === present.category ? SAME_CATEGORY : 0;
  if (earlier.rule_id === undefined || present.rule_id === undefined) return category;
  return category + (earlier.rule_id === present.rule_id ? SAME_RULE : -SAME_RULE);
}

/** Null: nothing speaks for the pair. */
function gradePair(kind: PlaceKind, likeness: number, bonus: number): MatchGrade | null {
  const isLike = likeness + bonus >= MIN_LIKENESS[kind];
  if (kind === 'none' || kind === 'near') {
    if (!isLike) return null;
    return kind === 'none' ? 'uncertain' : 'same';
  }
  if (!isLike || kind === 'twin') return 'uncertain';
  if (kind === 'line') return 'moved';
  return likeness >= LIKE_WORDS ? 'same' : 'reworded';
}

/** Everything two lists are compared by. */
interface Comparison {
  earlier: readonly ComparableFinding[];
  present: readonly ComparableFinding[];
  /** Where an earlier finding's file is now. */
  fileNow(earlier: ComparableFinding): string | null;
  likeness(earlier: number, present: number): number;
}

function prepare(
  earlier: readonly ComparableFinding[],
  present: readonly ComparableFinding[],
  renames: ReadonlyMap<string, string>,
): Comparison {
  const [before, now] = [earlier.map(readWords), present.map(readWords)];
  const weigh = weighWords([...before, ...now]);
  return {
    earlier,
    present,
    fileNow: ({ file }) => (file === null ? null : (renames.get(file) ?? file)),
    likeness: (a, b) => compareWords(before[a] ?? new Set(), now[b] ?? new Set(), weigh),
  };
}

/** In another file, only a block that was moved there is the same. */
function placeOf(
  earlier: ComparableFinding,
  present: ComparableFinding,
  file: string | null,
  expectedLine: number | null,
): PlaceEvidence {
  const found = comparePlaces(earlier, present, expectedLine);
  if (present.file === file) return found;
  return found.kind === 'settled' ? { kind: 'line', strength: 4 } : { kind: 'none', strength: 0 };
}

/** Strength by which one of several lines of one text must lead to be the one. */
const CLEAR_LEAD = 0.5;

/** A line of which there are more now: where two of them are as likely, neither is surely the one. */
function withoutRivals(candidates: readonly Candidate[]): readonly Candidate[] {
  const copies = candidates.filter(({ isCopy }) => isCopy);
  return candidates.map((one) => {
    const isRival = ({ line, strength }: Candidate): boolean =>
      line !== one.line && strength > one.strength - CLEAR_LEAD;
    return one.isCopy && copies.some(isRival) ? { ...one, grade: 'uncertain' } : one;
  });
}

function listCandidates(comparison: Comparison, shiftOf: LineShift): readonly Candidate[] {
  const { earlier, present, fileNow, likeness } = comparison;
  const index = indexFindings(present);
  return earlier.flatMap((one, a) => {
    const file = fileNow(one);
    const expected = one.place.line === null ? null : one.place.line + shiftOf(file, one.place.line);
    const candidates = [...index.findCandidates(one, file, expected)].flatMap((b): readonly Candidate[] => {
      const other = present[b];
      if (other === undefined) return [];
      const { kind, strength } = placeOf(one, other, file, expected);
      const alike = likeness(a, b);
      const bonus = ruleBonus(one, other);
      const grade = gradePair(kind, alike, bonus);
      if (grade === null) return [];
      const isCopy = one.identity.line !== null && one.identity.line === other.identity.line && !isSettled(one, other);
      const score = strength + WORDS_STRENGTH * (alike + bonus);
      return [{ earlier: a, present: b, grade, score, strength, isCopy, line: other.place.line }];
    });
    return withoutRivals(candidates);
  });
}

/** The best pairs first, each finding once; uncertain ones take what is left. */
function assign(candidates: readonly Candidate[]): readonly FindingMatch[] {
  const rank = ({ grade }: Candidate): number => (grade === 'uncertain' ? 1 : 0);
  const sorted = [...candidates].sort(
    (a, b) => rank(a) - rank(b) || b.score - a.score || a.earlier - b.earlier || a.present - b.present,
  );
  const [usedEarlier, usedPresent] = [new Set<number>(), new Set<number>()];
  const matches: FindingMatch[] = [];
  for (const { earlier, present, grade } of sorted) {
    if (usedEarlier.has(earlier) || usedPresent.has(present)) continue;
    usedEarlier.add(earlier);
    usedPresent.add(present);
    matches.push({ earlier, present, grade });
  }
  return matches.sort((a, b) => a.earlier - b.earlier);
}

/**
 * Says which findings of a present review are about the issues of an earlier review of the same
 * change (GRD-6). Each finding is in at most one pair; pairs stand in the order of `earlier`. The
 * place is compared first, by digests; words only choose between findings of one place, and guard
 * against taking another issue there for the same. Pure and deterministic; the work grows with the
 * number of findings, not with its square.
 */
export function matchFindings(
  earlier: readonly ComparableFinding[],
  present: readonly ComparableFinding[],
  { renames = new Map() }: MatchFindingsOptions = {},
): readonly FindingMatch[] {
  const comparison = prepare(earlier, present, renames);
  // The first round only learns by how much lines were shifted.
  const shiftOf = estimateShifts(
    assign(listCandidates(comparison, () => 0)).flatMap(({ earlier: a, present: b }) => {
      const [one, other] = [earlier[a], present[b]];
      const [from, to] = [one?.place.line ?? null, other?.place.line ?? null];
      if (one === undefined || other === undefined || from === null || to === null) return [];
      return isSettled(one, other) ? [{ file: comparison.fileNow(one), from, to }] : [];
    }),
  );
  return assign(listCandidates(comparison, shiftOf));
}
