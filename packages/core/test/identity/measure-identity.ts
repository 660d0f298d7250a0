import type { ComparableFinding, FindingMatch } from '../../src/review/history/comparable-finding.js';
import { matchFindings } from '../../src/review/history/match-findings.js';
import { createRandom } from './random.js';
import { type KnownFinding, makeFile, reviewFile } from './source-file.js';
import { VARIATIONS, vary } from './variations.js';

/** One row of the table of identity. */
export interface IdentityRow {
  variation: string;
  /** Defects that both reviews report. */
  pairs: number;
  /** Those that were matched, in any grade but `uncertain`. */
  matched: number;
  /** Those in the grade `uncertain`. */
  uncertain: number;
  /** Matches, without uncertain ones, of findings about different defects. */
  false: number;
  /** All matches but uncertain ones. */
  matches: number;
}

/** Says which findings of two reviews are one. */
export type Matcher = (
  earlier: readonly ComparableFinding[],
  present: readonly ComparableFinding[],
  renames: ReadonlyMap<string, string>,
) => readonly FindingMatch[];

const byPlace: Matcher = (earlier, present, renames) => matchFindings(earlier, present, { renames });

/** Findings of one id: how reviews were compared before there was a matcher. */
export const matchById: Matcher = (earlier, present) =>
  earlier.flatMap(({ id }, at) => {
    const found = present.findIndex((other) => other.id === id);
    return found === -1 ? [] : [{ earlier: at, present: found, grade: 'same' as const }];
  });

function countPair(
  row: IdentityRow,
  earlier: readonly KnownFinding[],
  present: readonly KnownFinding[],
  matches: readonly FindingMatch[],
): void {
  const now = new Set(present.map(({ key }) => key));
  row.pairs += earlier.filter(({ key }) => now.has(key)).length;
  for (const match of matches) {
    const isTrue = earlier[match.earlier]?.key === present[match.present]?.key;
    if (match.grade === 'uncertain') {
      if (isTrue) row.uncertain += 1;
      continue;
    }
    row.matches += 1;
    if (isTrue) row.matched += 1;
    else row.false += 1;
  }
}

/** Compares `files` pairs of versions for each variation; the seed determines them. */
export function measureIdentity(files: number, seed: number, match: Matcher = byPlace): readonly IdentityRow[] {
  return VARIATIONS.map((variation, nth) => {
    const row = { variation: variation.name, pairs: 0, matched: 0, uncertain: 0, false: 0, matches: 0 };
    for (let at = 0; at < files; at += 1) {
      const random = createRandom(seed * 1_000_003 + nth * 10_007 + at);
      const file = makeFile(random);
      variation.prepare?.(random, file);
      const [path, earlier] = [file.path, reviewFile(random, file)];
      vary(random, variation, file);
      const present = reviewFile(random, file);
      const renames = new Map(path === file.path ? [] : [[path, file.path]]);
      countPair(
        row,
        earlier,
        present,
        match(
          earlier.map(({ finding }) => finding),
          present.map(({ finding }) => finding),
          renames,
        ),
      );
    }
    return row;
  });
}
