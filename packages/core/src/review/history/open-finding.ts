import type { ModelFinding, ReviewFinding, SecretFinding } from '../merge/review-finding.js';
import { compareSeverity } from '../review-result.js';
import type { EarlierFinding } from './earlier-finding.js';

/** A finding that an earlier review leaves open, and the review that last reported it. */
export type OpenFinding = (ModelFinding | SecretFinding) & { lastReported: EarlierFinding['lastReported'] };

/** What of an earlier review is carried forward. */
export interface EarlierFindings {
  reviewVersion: number;
  findings: readonly ReviewFinding[];
  earlier: readonly EarlierFinding[];
}

/** Findings that one review carries forward: bounds what a change of many versions stores. */
export const MAX_OPEN = 1_000;

function reopen({ state: _state, because: _because, reason: _reason, ...finding }: EarlierFinding): OpenFinding {
  return { ...finding, state: 'open' };
}

/** Credentials before all others: what is beyond the limit is forgotten. */
const rank = ({ origin }: OpenFinding): number => (origin === 'redaction' ? 0 : 1);

/**
 * What an earlier review leaves open, credentials first, then the gravest: what it reported, and what
 * it carried forward and is not resolved. A finding without a known first version has that of its review.
 */
export function listOpen({ reviewVersion, findings, earlier }: EarlierFindings): readonly OpenFinding[] {
  const reported = findings.map(
    (finding): OpenFinding => ({ ...finding, lastReported: { reviewVersion, line: finding.place.line } }),
  );
  const carried = earlier.filter(({ state }) => state !== 'resolved').map(reopen);
  return [...reported, ...carried]
    .sort((a, b) => rank(a) - rank(b) || compareSeverity(a.severity, b.severity))
    .slice(0, MAX_OPEN)
    .map((finding) => ({ ...finding, since: finding.since ?? finding.lastReported.reviewVersion }));
}
