import type { CheckedFinding } from '../../../prompt/check/check-prompt.js';
import { applyVerdicts, type CheckedReview } from '../../../review/check/apply-verdicts.js';
import type { MergedReview } from '../../../review/merge/merge-reviews.js';
import { compareSeverity } from '../../../review/review-result.js';
import type { Settings } from '../../../settings/settings.js';
import type { LlmStageOptions, ReviewUnderWay } from '../ask-model.js';
import type { PartReading } from '../ask-part.js';
import { askGroups, type CheckGroup, createCandidateTexts, groupByReading, nothing, type Took } from './ask-groups.js';

/** A merged review after its check, if it had one, and what the check took. */
export interface CheckedFindings extends Omit<CheckedReview, 'summary'>, Took {
  /** Null: nothing was to be checked. */
  summary: CheckedReview['summary'] | null;
}

function isCandidate(finding: Pick<CheckedFinding, 'severity'>, level: Settings['review']['check']): boolean {
  return level === 'all' || (level === 'high' && compareSeverity(finding.severity, 'high') <= 0);
}

/** The findings to check, by the reading that they are from. */
function groupCandidates(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  merged: MergedReview,
  readings: readonly PartReading[],
): readonly CheckGroup[] {
  const byReply = readings.flatMap((reading) => reading.documents.map(() => reading));
  const redactTexts = createCandidateTexts(options, review);
  return groupByReading(
    merged.findings.flatMap((finding, at): [PartReading, CheckedFinding][] => {
      const reading = byReply[merged.sources[at] ?? -1];
      if (reading === undefined || !isCandidate(finding, options.settings.review.check)) return [];
      return [[reading, redactTexts(finding)]];
    }),
  );
}

/**
 * Sends the gravest findings of a merged review (`review.check`) back to the models that reported
 * them, one request a chunk, and carries out what they say (GRD-5). Where nothing can be said of a
 * finding it stays as it is. Rejects with the first outage, once every request under way has ended:
 * replies that came are stored, so the next run asks for the rest.
 */
export async function checkFindings(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  merged: MergedReview,
  readings: readonly PartReading[],
): Promise<CheckedFindings> {
  const template = review.variant.check;
  const groups = template === undefined ? [] : groupCandidates(options, review, merged, readings);
  if (template === undefined || groups.length === 0) return { merged, dropped: [], summary: null, ...nothing };
  const { outcomes, ...took } = await askGroups(options, review, groups, template);
  return { ...applyVerdicts(merged, outcomes, template.checkVersion), ...took };
}
