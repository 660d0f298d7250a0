import type { ReviewFinding } from '../../review/merge/review-finding.js';
import type { SecretPlace, StoredReview } from '../llm/stored-review.js';

/** Placements for which one finding of a file represents all of them. */
const UNTOUCHED: ReadonlySet<SecretPlace['where']> = new Set(['unchanged', 'heading']);

function keyOf({ path, rule, line, where, oldLine }: SecretPlace): string {
  return UNTOUCHED.has(where) ? JSON.stringify([path]) : JSON.stringify([path, rule, line, where, oldLine]);
}

/** The places of withheld secrets that none of these findings is about. */
export function listUnreported(
  places: readonly SecretPlace[],
  findings: readonly ReviewFinding[],
): readonly SecretPlace[] {
  const reported = new Set(
    findings.flatMap((one) => (one.origin === 'redaction' ? [keyOf({ ...one.secret, path: one.file })] : [])),
  );
  return reported.size === 0 ? places : places.filter((place) => !reported.has(keyOf(place)));
}

/** True where redaction withheld something that is no finding: a review of an earlier version, or no credential. */
export function hasUnreportedSecret({ secrets, secretsWithheld, findings }: StoredReview): boolean {
  if (secretsWithheld === 0) return false;
  return secrets.length === 0 || listUnreported(secrets, findings).length > 0;
}
