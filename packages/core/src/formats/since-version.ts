import { countFilesAsBefore } from '../review/merge/coverage.js';
import { plural } from '../review/plural.js';
import type { StoredReview } from '../stages/llm/stored-review.js';

/**
 * What became of a review's findings since the version before, in numbers: `Since version 2: 1 new, 2
 * still open, 1 resolved, 0 not verifiable.`, and how many files were not read again. Null where there
 * is no review to compare with.
 */
export function describeSinceVersion({
  history,
  findings,
  earlier,
  coverage,
}: Pick<StoredReview, 'history' | 'findings' | 'earlier' | 'coverage'>): string | null {
  if (history === null) return null;
  const count = (state: string): number => [...findings, ...earlier].filter((one) => one.state === state).length;
  const states = `${count('new')} new, ${count('open')} still open, ${count('resolved')} resolved`;
  const sentence = `Since version ${history.reviewVersion}: ${states}, ${count('not_verifiable')} not verifiable.`;
  const asBefore = countFilesAsBefore(coverage);
  if (asBefore === 0) return sentence;
  return `${sentence} ${asBefore} of ${plural(coverage.totals.files, 'file')} as before, not read again.`;
}
