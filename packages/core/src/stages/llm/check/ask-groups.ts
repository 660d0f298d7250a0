import pLimit from 'p-limit';
import type { CheckedFinding } from '../../../prompt/check/check-prompt.js';
import type { CheckTemplate } from '../../../prompt/prompt-variant.js';
import type { CheckOutcome } from '../../../review/check/read-verdicts.js';
import type { Diagnostic } from '../../../review/diagnostics.js';
import type { LlmStageOptions, ReviewUnderWay } from '../ask-model.js';
import type { PartReading } from '../ask-part.js';
import type { ModelUsage } from '../model-usage.js';
import { createReplyRedaction } from '../reply-redaction.js';
import type { Reviewer } from '../stored-reply.js';
import { askCheck, explainNotChecked, leaveAll, type NotChecked } from './ask-check.js';
import { planCheck } from './check-request.js';

/** Findings whose reply is this reading's. */
export interface CheckGroup {
  reading: PartReading;
  findings: CheckedFinding[];
}

/**
 * Redacts the texts of findings that are sent back as they will be in the review. Marks that are not
 * the change's lose their numbers: these follow the order in which replies were read, and the same
 * findings must make the same request.
 */
export function createCandidateTexts(
  { redactor }: Pick<LlmStageOptions, 'redactor'>,
  { change, replyRedaction }: Pick<ReviewUnderWay, 'change' | 'replyRedaction'>,
): <Candidate extends Pick<CheckedFinding, 'title' | 'message' | 'suggestion'>>(finding: Candidate) => Candidate {
  const unnumbered = createReplyRedaction(redactor, change);
  const redact = (text: string): string => unnumbered.redact(replyRedaction.redact(text));
  return (finding) => {
    const { title, message, suggestion } = finding;
    const texts = { title: redact(title), message: redact(message) };
    return { ...finding, ...texts, suggestion: suggestion === undefined ? undefined : redact(suggestion) };
  };
}

/** The groups of these findings, in the order in which their readings come first. */
export function groupByReading(pairs: Iterable<readonly [PartReading, CheckedFinding]>): readonly CheckGroup[] {
  const groups = new Map<PartReading, CheckGroup>();
  for (const [reading, finding] of pairs) {
    const group = groups.get(reading) ?? { reading, findings: [] };
    group.findings.push(finding);
    groups.set(reading, group);
  }
  return [...groups.values()];
}

/** What requests took. */
export interface Took {
  reviewers: readonly Reviewer[];
  usage: readonly ModelUsage[];
  /** How the replies were read. */
  diagnostics: readonly Diagnostic[];
}

/** How the check of one group ended; it never rejects, so that concurrent requests are waited for. */
type GroupEnd =
  | { kind: 'checked'; outcomes: ReadonlyMap<string, CheckOutcome>; took: Took }
  | { kind: 'failed'; error: unknown }
  | { kind: 'left' };

/** Where no request was sent. */
export const nothing: Took = { reviewers: [], usage: [], diagnostics: [] };

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
 * One request for each group, and what was said of each finding. Where nothing can be said of one its
 * verdict is null. Rejects with the first outage, once every request under way has ended: replies
 * that came are stored, so the next run asks for the rest.
 */
export async function askGroups(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  groups: readonly CheckGroup[],
  template: CheckTemplate,
): Promise<Took & { outcomes: ReadonlyMap<string, CheckOutcome> }> {
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
    outcomes,
    reviewers: checked.flatMap(({ took }) => took.reviewers),
    usage: checked.flatMap(({ took }) => took.usage),
    diagnostics: checked.flatMap(({ took }) => took.diagnostics),
  };
}
