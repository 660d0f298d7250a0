import { hasNothingToReview } from '../review/merge/coverage.js';
import { plural } from '../review/plural.js';
import type { StoredReview } from '../stages/llm/stored-review.js';

/** Something that the review does not say, so that its silence is not taken for praise. */
export interface UnreadPart {
  /** `error`: the review as a whole says nothing. */
  level: 'error' | 'warning';
  /** Ours, but for a path, which is not in it. */
  text: string;
  /** Depot path; null: the change as a whole. */
  file: string | null;
}

/** What was not looked at, and findings that are not in the list; empty where the review is the whole truth. */
export function listUnreadParts({
  state,
  coverage,
  findingsWithheld,
  suppressed,
}: StoredReview): readonly UnreadPart[] {
  const parts: UnreadPart[] = [];
  const say = (text: string, file: string | null = null): void => void parts.push({ level: 'warning', text, file });
  if (state.verdict === 'inconclusive')
    parts.push({
      level: 'error',
      text: 'The review is inconclusive: having no finding means nothing here.',
      file: null,
    });
  if (state.doubts.length > 0) say(`Doubts: ${state.doubts.join(', ')}.`);
  if (coverage.denied_files > 0) say(`${plural(coverage.denied_files, 'file')} of the change may not be read.`);
  if (coverage.visibility === 'partial-possible') say('The server may have hidden files of the change.');
  const withheld = Object.values(findingsWithheld).reduce((sum, count) => sum + count, 0);
  if (withheld > 0) say(`${plural(withheld, 'further finding')} of lower severity not listed.`);
  if (suppressed.length > 0) say(`${plural(suppressed.length, 'finding')} hidden by suppressions.`);
  for (const file of coverage.files) {
    if (file.state === 'reviewed_full' || hasNothingToReview(file)) continue;
    if (file.state === 'skipped') say(`Not reviewed: ${file.reason}.`, file.path);
    else
      say(
        `Reviewed in part, ${file.hunks_reviewed} of ${plural(file.hunks, 'hunk')}: ${file.reasons.join(', ')}.`,
        file.path,
      );
  }
  return parts;
}
