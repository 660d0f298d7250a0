import { hiddenPathsOf } from '../../changes/redacted-change.js';
import type { JsonValue } from '../../foundation/json.js';
import { coverChange } from '../../review/merge/coverage.js';
import { type MergedReview, mergeReviews } from '../../review/merge/merge-reviews.js';
import { mergeSecrets } from '../../review/merge/merge-secrets.js';
import { type MergedFinding, toModelFinding } from '../../review/merge/review-finding.js';
import { findSecrets } from '../../review/merge/secret-findings.js';
import type { Finding } from '../../review/review-result.js';
import { attribute, metric } from '../../telemetry/names.js';
import type { Stage, StageContext } from '../../worker/run/stage.js';
import { filterChange } from '../job/path-filter.js';
import { openRedactedSnapshot } from '../job/redacted-snapshot.js';
import type { ReviewJob } from '../job/review-job.js';
import { openRunOutputs, type RunOutputs } from '../job/run-outputs.js';
import { readPathsForPolicy } from '../job/true-paths.js';
import type { LlmStageOptions, ReviewUnderWay } from './ask-model.js';
import type { PartReading } from './ask-part.js';
import { type CheckedFindings, checkFindings } from './check/check-findings.js';
import { digestSnapshot } from './chunk-question.js';
import { explainUnusable, hasSecretToReport, listRefusals, withSecretCounts } from './failed-review.js';
import { freezeVariant } from './frozen-variant.js';
import { createGuide, digestRules, type Guide } from './guidance/guidance.js';
import { carryForward } from './history/carry-forward.js';
import { loadHistory } from './history/load-history.js';
import { findReadBefore, isIncremental } from './history/read-before.js';
import { recordReading } from './history/record-reading.js';
import { sumUsage } from './model-usage.js';
import { type ChangeReading, type ReadingStep, readChange } from './read-change.js';
import { judgeOutcome } from './read-reply.js';
import { redactReview } from './redact-review.js';
import { createReplyRedaction, type ReplyRedaction } from './reply-redaction.js';
import { nameSubject } from './rollout/name-subject.js';
import { sampleReplies } from './sample-replies.js';
import { shareWithContext } from './share-context.js';
import { createReviewBudget } from './spending/review-budget.js';
import { listDistinct, type Reviewer } from './stored-reply.js';
import { listSecretPlaces, type ReviewRecord, storedReview } from './stored-review.js';
import { suppressFindings } from './suppress/suppress-findings.js';
import { chooseRates, frozenRates, readRates } from './token-rates/choose-rates.js';

/** The second stage: chunks, prompts, guarded requests, each reply a checkpoint, one redacted review. */
export function createLlmStage(options: LlmStageOptions): Stage<ReviewJob> {
  return {
    name: 'llm',
    async run(context) {
      const outputs = openRunOutputs(options.artifacts, context);
      const review = await open(options, context, outputs);
      const { readings, steps } = await read(options, review);
      const checked = await checkFindings(options, review, merge(options, review, readings, steps), readings);
      const concluded = conclude(options, review, readings, steps, checked);
      const carried = await carryForward(options, review, concluded, readings);
      const shown = await suppressFindings(options, review, carried);
      const stored = withState({ ...shown, reading: recordReading(review, readings, options, shown) });
      for (const { severity } of [...stored.findings, ...stored.secretFindings])
        options.telemetry.count(metric.findings, 1, { [attribute.severity]: severity });
      const about = { namespace: 'redacted', purpose: 'review', redaction: options.redactor.rules } as const;
      const id = await outputs.write(about, Buffer.from(JSON.stringify(stored), 'utf8'));
      const samples = sampleReplies(review.variant, readings, 1);
      return { kind: 'next', effects: { outputs: { [storedReview]: id }, publish: [id], samples } };
    },
  };
}

async function open(
  options: LlmStageOptions,
  context: StageContext<ReviewJob>,
  outputs: RunOutputs,
): Promise<ReviewUnderWay> {
  const { snapshot, change: whole } = await openRedactedSnapshot(options.redactor, outputs, context);
  // Aliases say nothing to a policy by path.
  const truePaths = await readPathsForPolicy(whole, outputs);
  const replyRedaction = createReplyRedaction(options.redactor, whole);
  // Filtered here and not in the snapshot, so that the setting in force decides, in a replay too.
  const change = filterChange(whole, truePaths, options.filter);
  const { providers, calibration } = options;
  const subject = nameSubject(change, truePaths);
  const variant = await freezeVariant(options.variants, subject, context, ({ template }) => ({
    [frozenRates]: chooseRates({ providers, change, template, calibration, logger: context.logger }),
  }));
  const rates = readRates(context.outputs()[frozenRates]);
  const snapshotDigest = digestSnapshot(snapshot);
  const about = { jobId: context.job.id, changelistId: change.changelistId };
  const budget = createReviewBudget({ ...options, settings: options.settings.llm.budget, truePaths, about });
  const { findings: secretFindings } = findSecrets(whole);
  const guide = createGuide(change, truePaths, options.rules);
  const { job, signal, logger } = context;
  const { changelistId, reviewVersion } = job;
  const past = await loadHistory(
    options,
    { changelistId, reviewVersion, signal, logger },
    { change, truePaths, replyRedaction },
  );
  const shares = shareWithContext({ ...options, change, truePaths });
  const isPartial = isIncremental(options.settings.review, change.kind, context.payload);
  const readBefore = isPartial ? findReadBefore(past, change, shares, { ...options, variant, guide }) : new Map();
  const asked = { snapshot, snapshotDigest, change, variant, guide, rates, truePaths, shares, readBefore };
  return { context, ...asked, secretFindings, budget, replyRedaction, past };
}

/**
 * Reads the change. Nothing usable at all is a failure, not an empty review (OUT-3, ruling R8), but for a
 * refusal of a change whose withheld credentials must be reported: its review says that nothing was read.
 */
async function read(options: LlmStageOptions, review: ReviewUnderWay): Promise<ChangeReading> {
  const { context, secretFindings } = review;
  try {
    const { readings, steps } = await readChange(options, review);
    const unusable = explainUnusable(readings.flatMap(({ documents }) => documents));
    if (unusable === null) return { readings, steps };
    if (unusable.code !== 'LLM_REFUSED' || !hasSecretToReport(secretFindings, options.settings.review)) {
      // Unusable replies are not stored, so the next run asks for others: these count here or never.
      const samples = sampleReplies(review.variant, readings, 0);
      if (samples !== undefined) await context.checkpoint({ samples });
      throw unusable;
    }
    context.logger.warn(
      { event: 'review.change_refused', errorCode: unusable.code },
      'a change was refused; its withheld credentials are reported',
    );
    return { readings, steps: [...steps, ...listRefusals(readings)] };
  } catch (error) {
    throw withSecretCounts(error, secretFindings);
  }
}

/** Each of those who answered, once. */
function listReviewers(readings: readonly PartReading[], checkers: readonly Reviewer[]): readonly Reviewer[] {
  return listDistinct([...readings.flatMap(({ reviewer }) => (reviewer === null ? [] : [reviewer])), ...checkers]);
}

/**
 * Findings and document, redacted. Ids and identities are ours, digests of redacted texts: they are
 * taken past the redactor, which might find a digest secret.
 */
function redactMerged(merged: MergedReview, redaction: ReplyRedaction): Pick<ReviewRecord, 'findings' | 'result'> {
  const { findings: redacted, ...result } = redactReview(merged.result, redaction);
  return { findings: takeTexts(merged.findings, redacted), result };
}

/** The same for findings that are in no document. */
function redactFindings(findings: readonly MergedFinding[], redaction: ReplyRedaction): readonly MergedFinding[] {
  const versions = { schema_version: '', prompt_version: '' };
  return takeTexts(findings, redactReview({ ...versions, findings: findings.map(toModelFinding) }, redaction).findings);
}

/** The findings with the texts of `redacted`, which has the same ones in the same order. */
function takeTexts(findings: readonly MergedFinding[], redacted: readonly Finding[]): readonly MergedFinding[] {
  return redacted.flatMap(({ title, message, suggestion, rule_id }, at) => {
    const own = findings[at];
    if (own === undefined) return [];
    const optional = {
      ...(suggestion === undefined ? {} : { suggestion }),
      ...(rule_id === undefined ? {} : { rule_id }),
    };
    return [{ ...own, title, message, ...optional }];
  });
}

/** The review whose `meta.steps` says which providers failed or refused and which budgets were spent. */
function withSteps(merged: MergedReview, steps: readonly ReadingStep[]): MergedReview {
  if (steps.length === 0) return merged;
  const list = JSON.parse(JSON.stringify(steps)) as JsonValue;
  return { ...merged, result: { ...merged.result, meta: { ...merged.result.meta, steps: list } } };
}

/**
 * `meta.instructions_hash` says which of the team's rules the model was told, where there were any.
 * Set behind the redactor, which might find a digest secret.
 */
function withInstructionsHash(
  redacted: Pick<ReviewRecord, 'findings' | 'result'>,
  guide: Guide,
  readings: readonly PartReading[],
): Pick<ReviewRecord, 'findings' | 'result'> {
  const hash = digestRules(guide(readings.flatMap(({ files }) => files.map(({ file }) => file))));
  if (hash === null) return redacted;
  const { findings, result } = redacted;
  return { findings, result: { ...result, meta: { ...result.meta, instructions_hash: hash } } };
}

/** The document for records says what is said of the change once all is known of it. */
function withState(record: ReviewRecord): ReviewRecord {
  const { verdict, doubts } = record.state;
  const meta = { ...record.result.meta, review_state: { verdict, doubts: [...doubts] } };
  return { ...record, result: { ...record.result, meta } };
}

/** One review of the whole change: each issue once, before its findings are checked. */
function merge(
  { providers }: LlmStageOptions,
  { change, secretFindings, variant, readBefore }: ReviewUnderWay,
  readings: readonly PartReading[],
  steps: readonly ReadingStep[],
): MergedReview {
  const coverage = coverChange(
    change,
    readings.map((reading) => ({ files: reading.files, outcome: judgeOutcome(reading), context: reading.context })),
    { unsentBecause: providers.length === 0 ? 'no_model' : 'budget', readBefore },
  );
  const replies = readings.flatMap(({ documents }) => documents);
  const otherFindings = secretFindings.length;
  return withSteps(mergeReviews({ replies, coverage, versions: variant, otherFindings }), steps);
}

function conclude(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  readings: readonly PartReading[],
  steps: readonly ReadingStep[],
  { merged, dropped, summary, ...check }: CheckedFindings,
): ReviewRecord {
  const { change, secretFindings, guide, replyRedaction } = review;
  const { findings: redacted, result } = withInstructionsHash(redactMerged(merged, replyRedaction), guide, readings);
  const reported = mergeSecrets(redacted, secretFindings);
  const { serverId, number, changelistId, user, description, kind } = change;
  return {
    format: 4,
    hiddenPaths: hiddenPathsOf(change),
    change: { serverId, number, changelistId, user, description, kind },
    findings: reported.findings,
    secretFindings: reported.secretFindings,
    history: null,
    earlier: [],
    suppressed: [],
    reading: [],
    result,
    check: summary,
    droppedByCheck: redactFindings(dropped, replyRedaction),
    coverage: merged.coverage,
    state: merged.state,
    secretsWithheld: Object.values(change.redactions).reduce((a, b) => a + b, 0),
    secrets: listSecretPlaces(change),
    findingsWithheld: merged.withheld,
    diagnostics: [
      ...steps,
      ...readings.flatMap((reading) => reading.diagnostics),
      ...check.diagnostics,
      ...merged.diagnostics,
      ...reported.diagnostics,
    ],
    reviewers: listReviewers(readings, check.reviewers),
    usage: sumUsage([...readings.flatMap((reading) => reading.usage), ...check.usage]),
  };
}
