import type { ReviewFinding } from '../merge/review-finding.js';
import type { FindingMatch } from './comparable-finding.js';
import type { Renames } from './locate-findings.js';
import { matchFindings } from './match-findings.js';
import type { OpenFinding } from './open-finding.js';

/** Indices of the findings that fit. */
function indicesOf<One>(findings: readonly One[], fits: (one: One, at: number) => boolean): readonly number[] {
  return findings.flatMap((finding, at) => (fits(finding, at) ? [at] : []));
}

const isSecret = ({ origin }: Pick<ReviewFinding, 'origin'>): boolean => origin === 'redaction';

/**
 * Credentials that are left over are paired by file and rule, in their order: what redaction still
 * finds there may be the same value on an edited line, and is not taken for resolved.
 */
function pairSecrets(
  open: readonly OpenFinding[],
  present: readonly ReviewFinding[],
  known: readonly FindingMatch[],
): readonly FindingMatch[] {
  const taken = new Set(known.map((match) => match.present));
  const matched = new Set(known.map((match) => match.earlier));
  const pairs: FindingMatch[] = [];
  for (const earlier of indicesOf(open, isSecret)) {
    if (matched.has(earlier)) continue;
    const { file, rule_id: rule } = open[earlier] ?? {};
    const at = present.findIndex(
      (one, index) => one.origin === 'redaction' && !taken.has(index) && one.file === file && one.rule_id === rule,
    );
    if (at === -1) continue;
    taken.add(at);
    pairs.push({ earlier, present: at, grade: 'moved' });
  }
  return pairs;
}

/** What was not read again, of both reviews. */
interface AsBefore {
  renames: Renames;
  /** Of `open`, by place: those whose text is as it was (`listAsBefore`). */
  asBefore: ReadonlySet<number>;
  /** Whether a line is in a hunk that was not read again (`createReadBeforeLines`). */
  isReadBefore: (path: string, line: number) => boolean;
}

/**
 * Which present findings are earlier open ones (GRD-6): the model's among the model's, withheld
 * credentials among withheld credentials. One whose text was not read again is none of those that
 * were found in text that was: the same fault can be there, too. Indices of both lists, each at most once.
 */
export function matchOpen(
  open: readonly OpenFinding[],
  present: readonly ReviewFinding[],
  { renames, asBefore, isReadBefore }: AsBefore,
): readonly FindingMatch[] {
  const isBefore = ({ file, place: { line } }: ReviewFinding): boolean =>
    file !== null && line !== null && isReadBefore(file, line);
  const groups = [
    [indicesOf(open, isSecret), indicesOf(present, isSecret)],
    ...[true, false].map((before) => [
      indicesOf(open, (one, at) => !isSecret(one) && asBefore.has(at) === before),
      indicesOf(present, (one) => !isSecret(one) && isBefore(one) === before),
    ]),
  ] as const;
  const matches = groups.flatMap(([ours = [], theirs = []], group) => {
    const pick = <One>(list: readonly One[], indices: readonly number[]): One[] =>
      indices.flatMap((at) => list[at] ?? []);
    return matchFindings(pick(open, ours), pick(present, theirs), { renames }).map(
      (match): FindingMatch => ({
        ...match,
        earlier: ours[match.earlier] ?? 0,
        present: theirs[match.present] ?? 0,
        // Whatever the words: redaction found the same credential.
        grade: group === 0 && match.grade === 'uncertain' ? 'moved' : match.grade,
      }),
    );
  });
  return [...matches, ...pairSecrets(open, present, matches)];
}
