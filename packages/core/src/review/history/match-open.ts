import type { ReviewFinding } from '../merge/review-finding.js';
import type { FindingMatch } from './comparable-finding.js';
import type { Renames } from './locate-findings.js';
import { matchFindings } from './match-findings.js';
import type { OpenFinding } from './open-finding.js';

type Origin = ReviewFinding['origin'];

/** Indices of the findings of one origin. */
function indicesOf(findings: readonly { origin: Origin }[], origin: Origin): readonly number[] {
  return findings.flatMap((finding, at) => (finding.origin === origin ? [at] : []));
}

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
  for (const earlier of indicesOf(open, 'redaction')) {
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

/**
 * Which present findings are earlier open ones (GRD-6): the model's among the model's, withheld
 * credentials among withheld credentials. Indices of both lists, each at most once.
 */
export function matchOpen(
  open: readonly OpenFinding[],
  present: readonly ReviewFinding[],
  renames: Renames,
): readonly FindingMatch[] {
  const matches = (['model', 'redaction'] as const).flatMap((origin) => {
    const [ours, theirs] = [indicesOf(open, origin), indicesOf(present, origin)];
    const pick = <One>(list: readonly One[], indices: readonly number[]): One[] =>
      indices.flatMap((at) => list[at] ?? []);
    return matchFindings(pick(open, ours), pick(present, theirs), { renames }).map(
      (match): FindingMatch => ({
        ...match,
        earlier: ours[match.earlier] ?? 0,
        present: theirs[match.present] ?? 0,
        // Whatever the words: redaction found the same credential.
        grade: origin === 'redaction' && match.grade === 'uncertain' ? 'moved' : match.grade,
      }),
    );
  });
  return [...matches, ...pairSecrets(open, present, matches)];
}
