import type { ComparableFinding, FindingMatch, MatchGrade } from './comparable-finding.js';
import { indexFindings } from './finding-index.js';
import { compareWords, readWords, weighWords } from './finding-words.js';
import { estimateShifts, type LineShift } from './line-shift.js';
import { comparePlaces, type PlaceEvidence } from './place-evidence.js';

export interface MatchFindingsOptions {
  /** Files that have another path now: earlier path to present path. Default: none. */
  renames?: ReadonlyMap<string, string> | undefined;
}

/** How much of the shorter text must be shared, 0 to 1, for one issue: the surer the place, the less. */
const MIN_LIKENESS: Readonly<Record<PlaceEvidence, number>> = {
  stands: 0.12,
  line: 0.25,
  between: 0.3,
  beside: 0.4,
  near: 0.45,
  file: 0.45,
  none: 0.8,
};
/** What the place counts for beside the words when several findings compete. */
const PLACE_SCORE: Readonly<Record<PlaceEvidence, number>> = {
  stands: 1,
  line: 0.7,
  between: 0.7,
  beside: 0.4,
  near: 0.3,
  file: 0.3,
  none: 0,
};
/** From here on, words are alike. */
const LIKE_WORDS = 0.3;
/** A category or rule that is the same makes up for so much likeness, and another rule takes it away. */
const SAME_CATEGORY = 0.05;
const SAME_RULE = 0.2;

interface Candidate extends FindingMatch {
  score: number;
}

function ruleBonus(earlier: ComparableFinding, present: ComparableFinding): number {
  const category = earlier.category === present.category ? SAME_CATEGORY : 0;
  if (earlier.rule_id === undefined || present.rule_id === undefined) return category;
  return category + (earlier.rule_id === present.rule_id ? SAME_RULE : -SAME_RULE);
}

/** Null: nothing speaks for the pair. */
function gradePair(evidence: PlaceEvidence, likeness: number, bonus: number): MatchGrade | null {
  if (likeness + bonus < MIN_LIKENESS[evidence]) return evidence === 'none' || evidence === 'near' ? null : 'uncertain';
  if (evidence === 'line' || evidence === 'none') return 'moved';
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

function listCandidates(comparison: Comparison, shiftOf: LineShift): readonly Candidate[] {
  const { earlier, present, fileNow, likeness } = comparison;
  const index = indexFindings(present);
  return earlier.flatMap((one, a) => {
    const file = fileNow(one);
    const expected = one.place.line === null ? null : one.place.line + shiftOf(file, one.place.line);
    return [...index.findCandidates(one, file, expected)].flatMap((b): readonly Candidate[] => {
      const other = present[b];
      if (other === undefined) return [];
      const compared = comparePlaces(one, other, expected);
      // In another file, only a block that was moved there is the same.
      const evidence = other.file === file ? compared : compared === 'stands' ? 'line' : 'none';
      const alike = likeness(a, b);
      const bonus = ruleBonus(one, other);
      const grade = gradePair(evidence, alike, bonus);
      if (grade === null) return [];
      const twin = one.identity.occurrence === other.identity.occurrence ? 0.02 : 0;
      const away = expected === null || other.place.line === null ? 0 : Math.abs(other.place.line - expected);
      const score = PLACE_SCORE[evidence] + alike + bonus + twin - Math.min(away, 1_000) / 100_000;
      return [{ earlier: a, present: b, grade, score }];
    });
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
  const sure = assign(listCandidates(comparison, () => 0)).filter(({ grade }) => grade === 'same');
  const shiftOf = estimateShifts(
    sure.flatMap((match) => {
      const [one, other] = [earlier[match.earlier], present[match.present]];
      const [from, to] = [one?.place.line ?? null, other?.place.line ?? null];
      const isOneLine = one?.identity.line === other?.identity.line;
      if (one === undefined || from === null || to === null || !isOneLine) return [];
      return [{ file: comparison.fileNow(one), from, to }];
    }),
  );
  return assign(listCandidates(comparison, shiftOf));
}
