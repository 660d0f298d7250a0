import type { EarlierFinding } from '../../review/history/earlier-finding.js';
import { countFilesAsBefore } from '../../review/merge/coverage.js';
import type { ReviewFinding } from '../../review/merge/review-finding.js';
import type { StoredReview } from '../llm/stored-review.js';
import type { ReviewMailContent, ReviewMailCounts } from './mail-composer.js';

/** Findings of the version before that a mail names; the others are counted. */
const MAX_NAMED = 50;

/** Only a file that is no part of the change any more is nobody's concern in this version. */
function isConcern({ state, because }: EarlierFinding): boolean {
  return state !== 'not_verifiable' || because !== 'file_left';
}

/** Findings of the version before that were not reported again, at or above the floor; gravest first. */
export function listEarlier(
  { earlier }: Pick<StoredReview, 'earlier'>,
  isVisible: (finding: Pick<ReviewFinding, 'severity' | 'file'>) => boolean,
): readonly EarlierFinding[] {
  return earlier.filter((one) => isConcern(one) && isVisible(one));
}

/** How many findings are new, open, resolved and not verifiable since the version before; undefined without one. */
export function countSince(
  { history, coverage }: Pick<StoredReview, 'history' | 'coverage'>,
  findings: readonly ReviewFinding[],
  earlier: readonly EarlierFinding[],
): ReviewMailCounts['sinceVersion'] {
  if (history === null) return undefined;
  const inState = (state: EarlierFinding['state']): number => earlier.filter((one) => one.state === state).length;
  const filesAsBefore = countFilesAsBefore(coverage);
  const reportedAgain = findings.filter(({ state }) => state === 'open').length;
  return {
    reviewVersion: history.reviewVersion,
    new: findings.length - reportedAgain,
    reportedAgain,
    open: inState('open'),
    resolved: inState('resolved'),
    notVerifiable: inState('not_verifiable'),
    ...(filesAsBefore === 0 ? {} : { filesAsBefore: { count: filesAsBefore, of: coverage.totals.files } }),
  };
}

/** The same with those that were not reported again; nothing without a version before. */
export function mailSince(
  review: Pick<StoredReview, 'history' | 'coverage'>,
  findings: readonly ReviewFinding[],
  earlier: readonly EarlierFinding[],
): Pick<ReviewMailContent, 'sinceVersion'> {
  const counts = countSince(review, findings, earlier);
  if (counts === undefined) return {};
  const notReported = earlier.slice(0, MAX_NAMED).map(({ id, state, severity, title, file, place, reason }) => ({
    ...{ id, state, severity, title, file, line: place.line },
    ...(reason === '' ? {} : { reason }),
  }));
  return { sinceVersion: { ...counts, notReported } };
}
