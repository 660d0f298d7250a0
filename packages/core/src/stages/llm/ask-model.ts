import type { Artifacts } from '../../artifacts/artifacts.js';
import type { RedactedChange } from '../../changes/redacted-change.js';
import type { HostRule } from '../../egress/check-host.js';
import { type EgressPlanOptions, guardedExchange } from '../../egress/guarded-exchange.js';
import type { KillSwitch } from '../../egress/kill-switch.js';
import type { ProviderPolicy } from '../../egress/provider-policy.js';
import { CriticizerError, isCriticizerError } from '../../foundation/errors.js';
import { classifyFailure } from '../../foundation/failures/failure.js';
import { type RedactedText, readRedactedText } from '../../foundation/redacted-text.js';
import type { Redactor } from '../../foundation/redactor.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { Random } from '../../foundation/time/random.js';
import type { LlmProvider, LlmReply, LlmRequest, StructuredMode } from '../../llm/llm-provider.js';
import { nextMode } from '../../llm/mode-ladder.js';
import type { PromptChunk } from '../../prompt/prompt-chunk.js';
import type { PromptVariant, PromptVariants } from '../../prompt/prompt-variant.js';
import type { SecretFinding } from '../../review/merge/review-finding.js';
import type { Settings } from '../../settings/settings.js';
import type { EgressLog } from '../../stores/egress-log.js';
import type { JobStore } from '../../stores/job-store.js';
import type { SuppressionStore } from '../../stores/suppression-store.js';
import { attribute, metric, nameChatSpan, tokenAttribute, tokenCounter } from '../../telemetry/names.js';
import type { SecurityEvents } from '../../telemetry/security-events.js';
import { runInSpan, type Telemetry } from '../../telemetry/telemetry.js';
import type { StageContext } from '../../worker/run/stage.js';
import type { TruePaths } from '../job/change-snapshot.js';
import type { PathFilter } from '../job/path-filter.js';
import type { ReviewJob } from '../job/review-job.js';
import type { Guide } from './guidance/guidance.js';
import type { ReviewRules } from './guidance/review-rules.js';
import type { ReviewPast } from './history/load-history.js';
import type { ReadBefore } from './history/read-before.js';
import { usageKinds } from './model-usage.js';
import type { SharedPace } from './pacing/shared-pace.js';
import type { ProviderShare } from './provider-shares.js';
import type { ReplyRedaction } from './reply-redaction.js';
import { type ChunkRequestOptions, estimateTokens, planChunkRequest } from './review-request.js';
import type { PathBudget } from './spending/path-budgets.js';
import type { ReviewBudget } from './spending/review-budget.js';
import type { SpendingLedger } from './spending/spending-ledger.js';
import { priceUsage } from './spending/spent.js';
import type { ModelAnswer } from './stored-reply.js';
import type { RateCalibration } from './token-rates/calibrate-rate.js';
import type { TokenRates } from './token-rates/choose-rates.js';

export interface LlmStageOptions extends HostRule {
  /** In order of preference; none: nothing is sent, and nothing is reviewed. */
  providers: readonly LlmProvider[];
  /** Whether they stand in for each other. */
  fallback: boolean;
  /** Whether the next of them reads what one refused. */
  onRefusal: 'stop' | 'next';
  /** Of all processes' requests. */
  pace: SharedPace;
  /** What all processes spent. */
  ledger: SpendingLedger;
  /** Of `settings.llm.budget.perPath`. */
  pathBudgets: readonly PathBudget[];
  /** The prompt variants that a job may be frozen on. */
  variants: PromptVariants;
  policy: ProviderPolicy;
  redactor: Redactor;
  artifacts: Artifacts;
  /** Where the job of an earlier review version is found. */
  jobs: Pick<JobStore<never>, 'list'>;
  killSwitch: KillSwitch;
  log: EgressLog<never>;
  suppressions: Pick<SuppressionStore<never>, 'listInForce'>;
  storeNow(): Promise<Date>;
  /** Of `settings.intake.skipPaths`. */
  filter: PathFilter;
  /** Of `settings.review.rules`. */
  rules: ReviewRules;
  /** Of this process's replies. */
  calibration: RateCalibration;
  settings: Pick<Settings, 'llm' | 'review'>;
  securityEvents: SecurityEvents;
  clock: Clock;
  random: Random;
  telemetry: Telemetry;
}

/** One review under way. */
export interface ReviewUnderWay {
  context: StageContext<ReviewJob>;
  snapshot: RedactedText;
  /** `digestSnapshot` of it. */
  snapshotDigest: string;
  change: RedactedChange;
  /** What redaction withheld in the whole change, also in files that are kept from the model. */
  secretFindings: readonly SecretFinding[];
  /** Checked before every request. */
  budget: ReviewBudget;
  /** What the job is frozen on. */
  variant: PromptVariant;
  /** What the system text adds for the files of a request. */
  guide: Guide;
  /** What the job is frozen on, too. */
  rates: TokenRates;
  /** In the change's order, for the policy alone. */
  truePaths: readonly TruePaths[];
  /** Of all replies, so that one value has one mark in the whole review. */
  replyRedaction: ReplyRedaction;
  /** The review of an earlier version of the change, if there is one that can be read (GRD-6). */
  past: ReviewPast;
  /** What of the change that review read, or one before it: no request shows it again. */
  readBefore: ReadBefore;
  /** Who reads which files where nobody fails. */
  shares: readonly ProviderShare[];
}

/** What a request is for. */
export interface ModelRequest {
  share: ProviderShare;
  chunk: PromptChunk;
  mode: StructuredMode;
  maxOutputTokens: number;
  /** Of a repair: what was wrong with the last reply (`renderRepairNote`). */
  repairNote?: string | undefined;
}

/** A request of any kind: who gets it, which files it shows, and what is sent in each mode. */
export interface PlannedRequest {
  share: ProviderShare;
  /** By place in the change. */
  files: readonly number[];
  mode: StructuredMode;
  maxOutputTokens: number;
  /** Tokens that it may take, output included. */
  countTokens(mode: StructuredMode): number;
  plan(mode: StructuredMode): EgressPlanOptions;
}

/**
 * Asks for a review of a chunk. Throws what `sendRequest` throws.
 */
export function askModel(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  request: ModelRequest,
): Promise<ModelAnswer> {
  const about = egressParts(options, review);
  return sendRequest(options, review, {
    share: request.share,
    files: request.chunk.files.map(({ file }) => file),
    mode: request.mode,
    maxOutputTokens: request.maxOutputTokens,
    countTokens: (mode) => estimateTokens({ ...request, mode }, review),
    plan: (mode) => planChunkRequest({ ...options, ...review, ...request, ...about, mode }),
  });
}

/** What every request of a review is planned with. */
export function egressParts(
  { settings, securityEvents }: LlmStageOptions,
  { context: { job, signal }, change: { changelistId } }: ReviewUnderWay,
): Pick<ChunkRequestOptions, 'context' | 'signal' | 'settings'> {
  return { settings: settings.llm, signal, context: { securityEvents, jobId: job.id, changelistId } };
}

/**
 * Sends a request through budget, pace and guard, from `request.mode` down the ladder where the
 * endpoint refuses the schema. Throws what `guardedExchange` throws, and `LLM_NO_ANSWER` (upstream) for a reply that
 * ended without an answer.
 */
export async function sendRequest(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  request: PlannedRequest,
): Promise<ModelAnswer> {
  for (let { mode } = request; ; ) {
    try {
      const reply = await exchange(options, review, { ...request, mode });
      if (reply.stop === 'provider_error' || reply.stop === 'empty')
        throw new CriticizerError('LLM_NO_ANSWER', 'The model ended without an answer.', {
          category: 'upstream',
          details: { stop: reply.stop },
        });
      return { reply, mode };
    } catch (error) {
      const weaker =
        isCriticizerError(error) && error.code === 'LLM_SCHEMA_REFUSED'
          ? nextMode(mode, request.share.provider.modes)
          : null;
      if (weaker === null) throw error;
      mode = weaker;
    }
  }
}

async function exchange(options: LlmStageOptions, review: ReviewUnderWay, request: PlannedRequest): Promise<LlmReply> {
  const { signal } = review.context;
  const { files, mode } = request;
  const { provider } = request.share;
  await review.budget.admit(files);
  const place = await options.pace.reserve(provider, request.countTokens(mode), signal);
  let isSent = false;
  const beforeSend = async (): Promise<void> => {
    await review.budget.countRequest(provider, files);
    isSent = true;
  };
  const planned = guard(options, review, request.plan(mode), beforeSend);
  let reply: LlmReply;
  try {
    // Others may have spent what was left meanwhile.
    if (place.waited) await review.budget.admit(files);
    reply = await measure(options, review, request, () => guardedExchange(planned));
  } catch (error) {
    if (!isSent) await place.release();
    throw error;
  }
  const { inputTokens, outputTokens } = reply.usage;
  if (inputTokens !== null) options.calibration.learn(provider, { ...measureBytes(planned.request), inputTokens });
  if (inputTokens !== null || outputTokens !== null) await place.settle((inputTokens ?? 0) + (outputTokens ?? 0));
  await review.budget.countUsage(provider, reply.usage, files);
  return reply;
}

/** UTF-8 bytes of what the model reads. */
function measureBytes({ system, schema, turns }: LlmRequest): { fixedBytes: number; userBytes: number } {
  const texts = turns.map(({ text }) => Buffer.byteLength(readRedactedText(text).text));
  return {
    fixedBytes: Buffer.byteLength(system) + Buffer.byteLength(JSON.stringify(schema)),
    userBytes: texts.reduce((sum, bytes) => sum + bytes, 0),
  };
}

function guard(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  plan: EgressPlanOptions,
  beforeSend: () => Promise<void>,
): Parameters<typeof guardedExchange<never>>[0] {
  const { job } = review.context;
  return {
    ...plan,
    changelistId: review.change.changelistId,
    clock: options.clock,
    jobId: job.id,
    reviewVersion: job.reviewVersion ?? 1,
    killSwitch: options.killSwitch,
    log: options.log,
    random: options.random,
    timeoutMs: options.settings.llm.requestTimeoutMs,
    beforeSend,
  };
}

/** Measures one exchange by the conventions for generative AI: a span, its duration, the tokens of its reply. */
async function measure(
  { telemetry, clock, settings }: LlmStageOptions,
  { context, variant }: ReviewUnderWay,
  { share: { provider }, maxOutputTokens }: PlannedRequest,
  send: () => Promise<{ reply: LlmReply }>,
): Promise<LlmReply> {
  const labels = {
    [attribute.llmOperation]: 'chat',
    [attribute.llmProvider]: provider.id,
    [attribute.llmModel]: provider.model,
  };
  const prompt = { [attribute.llmPromptName]: variant.id, [attribute.llmPromptVersion]: variant.promptVersion };
  const described = { ...labels, ...prompt, [attribute.llmMaxTokens]: maxOutputTokens };
  const began = clock.monotonicMs();
  const span = telemetry.startSpan(nameChatSpan(provider.model), described, { kind: 'client', parent: context.span });
  const ended = (errorType?: string): void => {
    const failed = errorType === undefined ? {} : { [attribute.errorType]: errorType };
    telemetry.record(metric.llmDuration, (clock.monotonicMs() - began) / 1_000, { ...labels, ...failed });
    span.end(errorType);
  };
  try {
    const { reply } = await runInSpan(span, send);
    for (const kind of usageKinds) {
      const tokens = reply.usage[kind];
      if (tokens === null) continue;
      span.setAttributes({ [tokenAttribute[kind]]: tokens });
      telemetry.count(tokenCounter[kind], tokens, { ...labels, [attribute.llmTokenModality]: 'text' });
    }
    const { costMicros } = priceUsage(settings.llm.budget, provider, reply.usage);
    telemetry.count(metric.llmCost, costMicros / 1_000_000, labels);
    ended();
    return reply;
  } catch (error) {
    ended(classifyFailure(error).code);
    throw error;
  }
}
