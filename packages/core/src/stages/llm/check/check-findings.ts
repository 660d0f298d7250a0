import pLimit from 'p-limit';
import type { CheckedFinding } from '../../../prompt/check/check-prompt.js';
import type { CheckTemplate } from '../../../prompt/prompt-variant.js';
import { applyVerdicts, type CheckedReview } from '../../../review/check/apply-verdicts.js';
import type { CheckOutcome } from '../../../review/check/read-verdicts.js';
import type { Diagnostic } from '../../../review/diagnostics.js';
import type { MergedReview } from '../../../review/merge/merge-reviews.js';
import { compareSeverity } from '../../../review/review-result.js';
import type { Settings } from '../../../settings/settings.js';
import type { LlmStageOptions, ReviewUnderWay } from '../ask-model.js';
import type { PartReading } from '../ask-part.js';
import type { ModelUsage } from '../model-usage.js';
import { createReplyRedaction } from '../reply-redaction.js';
import type { Reviewer } from '../stored-reply.js';
import { askCheck, explainNotChecked, leaveAll, type NotChecked } from './ask-check.js';
import { planCheck } from './check-request.js';

/** A merged review after its check, if it had one, and what the check took. */
export interface CheckedFindings extends Omit<CheckedReview, 'summary'> {
  /** Null: nothing was to be checked. */
  summary: CheckedReview['summary'] | null;
  reviewers: readonly Reviewer[];
  usage: readonly ModelUsage[];
  /** How the replies were read. */
  diagnostics: readonly Diagnostic[];
}

/** Findings whose reply is this reading's. */
interface CheckGroup {
  reading: PartReading;
  findings: CheckedFinding[];
}

/** How the check of one group ended; it never rejects, so that concurrent requests are waited for. */
type GroupEnd =
  | { kind: 'checked'; outcomes: ReadonlyMap<string, CheckOutcome>; took: Took }
  | { kind: 'failed'; error: unknown }
  | { kind: 'left' };

type Took = Pick<CheckedFindings, 'reviewers' | 'usage' | 'diagnostics'>;

const nothing: Took = { reviewers: [], usage: [], diagnostics: [] };

function isCandidate(finding: Pick<CheckedFinding, 'severity'>, level: Settings['review']['check']): boolean {
  return level === 'all' || (level === 'high' && compareSeverity(finding.severity, 'high') <= 0);
}

/**
 * The findings to check, by the reading that they are from. Their texts are redacted as they will be
 * in the review, but marks that are not the change's lose their numbers: these follow the order in
 * which replies were read, and the same findings must make the same request.
 */
function groupCandidates(
  { redactor, settings }: LlmStageOptions,
  { change, replyRedaction }: ReviewUnderWay,
  merged: MergedReview,
  readings: readonly PartReading[],
): readonly CheckGroup[] {
  const byReply = readings.flatMap((reading) => reading.documents.map(() => reading));
  const unnumbered = createReplyRedaction(redactor, change);
  const redact = (text: string): string => unnumbered.redact(replyRedaction.redact(text));
  const groups = new Map<PartReading, CheckedFinding[]>();
  merged.findings.forEach((finding, at) => {
    const reading = byReply[merged.sources[at] ?? -1];
    if (reading === undefined || !isCandidate(finding, settings.review.check)) return;
    const { title, message, suggestion } = finding;
    const texts = {
      title: redact(title),
      message: redact(message),
      suggestion: suggestion === undefined ? undefined : redact(suggestion),
    };
    groups.set(reading, [...(groups.get(reading) ?? []), { ...finding, ...texts }]);
  });
  return [...groups].map(([reading, findings]) => ({ reading, findings }));
}

function report(review: ReviewUnderWay, { reading }: CheckGroup, why: NotChecked): void {
  review.context.logger.warn(
    { event: 'review.check_skipped', provider: reading.share.provider.id, reason: why.because, errorCode: why.failure },
    'findings were not checked; they stay as they are',
  );
}

async function checkGroup(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  group: CheckGroup,
  template: CheckTemplate,
): Promise<GroupEnd> {
  const { reading, findings } = group;
  const { share, chunk, maxUserTokens } = reading;
  const bytesPerToken = review.rates(share.provider);
  const { llm: settings } = options.settings;
  const question = planCheck({ share, chunk, maxUserTokens, findings, template, settings, bytesPerToken });
  const noRoom = leaveAll(
    findings.map(({ id }) => id),
    { because: 'no_room', failure: null },
  );
  if (question === null) return { kind: 'checked', outcomes: noRoom, took: nothing };
  try {
    const { outcomes, diagnostics, reviewer, usage } = await askCheck(options, review, question);
    const took = { reviewers: [reviewer], usage: [usage], diagnostics };
    return { kind: 'checked', outcomes: new Map([...noRoom, ...outcomes]), took };
  } catch (error) {
    const why = explainNotChecked(error);
    if (why === null) return { kind: 'failed', error };
    report(review, group, why);
    const ids = question.findings.map(({ id }) => id);
    return { kind: 'checked', outcomes: new Map([...noRoom, ...leaveAll(ids, why)]), took: nothing };
  }
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
  const limit = pLimit(options.settings.llm.concurrency);
  let isOver = false;
  const ends = await Promise.all(
    groups.map((group) =>
      limit(async (): Promise<GroupEnd> => {
        if (isOver) return { kind: 'left' };
        const end = await checkGroup(options, review, group, template);
        if (end.kind === 'failed') isOver = true;
        return end;
      }),
    ),
  );
  const failed = ends.find((end) => end.kind === 'failed');
  if (failed !== undefined) throw failed.error;
  const checked = ends.flatMap((end) => (end.kind === 'checked' ? [end] : []));
  const outcomes = new Map(checked.flatMap((end) => [...end.outcomes]));
  return {
    ...applyVerdicts(merged, outcomes, template.checkVersion),
    reviewers: checked.flatMap(({ took }) => took.reviewers),
    usage: checked.flatMap(({ took }) => took.usage),
    diagnostics: checked.flatMap(({ took }) => took.diagnostics),
  };
}
