import type { Artifacts } from '../artifacts/artifacts.js';
import type { RedactedChange } from '../changes/redacted-change.js';
import type { EgressLog } from '../egress/egress-log.js';
import { guardedExchange } from '../egress/guarded-exchange.js';
import type { KillSwitch } from '../egress/kill-switch.js';
import type { ProviderPolicy } from '../egress/provider-policy.js';
import type { RedactedText } from '../egress/redacted-text.js';
import type { Redactor } from '../egress/redactor.js';
import { CriticizerError, isCriticizerError } from '../errors.js';
import { classifyFailure } from '../failure.js';
import type { LlmProvider, LlmReply, StructuredMode } from '../llm/llm-provider.js';
import { nextMode, strongestMode } from '../llm/mode-ladder.js';
import type { PromptChunk } from '../prompt/prompt-chunk.js';
import { PROMPT_VERSION } from '../prompt/template.js';
import { type ParsedReview, parseReview } from '../review/parse-review.js';
import { SCHEMA_VERSION } from '../review/review-result.js';
import type { Settings } from '../settings.js';
import { attribute, metric, span as spanName } from '../telemetry/names.js';
import type { SecurityEvents } from '../telemetry/security-events.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { Clock } from '../time/clock.js';
import type { Random } from '../time/random.js';
import type { TruePaths } from './change-snapshot.js';
import type { ReviewJob } from './review-job.js';
import { planChunkRequest } from './review-request.js';
import type { StageContext } from './stage.js';

export interface LlmStageOptions {
  providers: readonly [LlmProvider, ...LlmProvider[]];
  policy: ProviderPolicy;
  redactor: Redactor;
  artifacts: Artifacts;
  killSwitch: KillSwitch;
  log: EgressLog<never>;
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
  change: RedactedChange;
  /** In the change's order, for the policy alone. */
  truePaths: readonly TruePaths[];
  provider: LlmProvider;
}

/** Larger replies are refused unread. */
const maxReplyBytes = 1 << 20;

const replyOutput = (chunk: PromptChunk): string => `llm.reply.${chunk.index}`;

/** The chunk's reply from an earlier run, or a new one; a reply that cannot be used is asked for once more (ruling R8). */
export async function reviewChunk(options: LlmStageOptions, review: ReviewUnderWay, chunk: PromptChunk): Promise<ParsedReview> {
  const earlier = review.context.outputs()[replyOutput(chunk)];
  if (earlier !== undefined) {
    const { body } = await options.artifacts.read(earlier);
    return parse(options, review, chunk, JSON.parse(Buffer.from(body).toString('utf8')) as LlmReply);
  }
  const { modes } = review.provider;
  const first = await ask(options, review, chunk, strongestMode(modes));
  const parsed = parse(options, review, chunk, first.reply);
  if (parsed.outcome === 'accepted') return keep(options, review, chunk, first.reply, parsed);
  // A cut reply, or one too large to read, would only come again.
  if (first.reply.stop !== 'complete' || Buffer.byteLength(first.reply.text) > maxReplyBytes) return parsed;
  const second = await ask(options, review, chunk, nextMode(first.mode, modes) ?? first.mode);
  const again = parse(options, review, chunk, second.reply);
  return again.outcome === 'accepted' ? keep(options, review, chunk, second.reply, again) : again;
}

/** Paid for once: after a crash the stored reply is read, not asked for again. */
async function keep(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  chunk: PromptChunk,
  reply: LlmReply,
  parsed: ParsedReview,
): Promise<ParsedReview> {
  const { job } = review.context;
  const about = { namespace: 'raw', purpose: 'reply', contentType: 'application/json', redaction: null } as const;
  const id = await options.artifacts.write(
    { ...about, changelistId: job.changelistId, jobId: job.id },
    Buffer.from(JSON.stringify(reply), 'utf8'),
  );
  await review.context.checkpoint({ outputs: { [replyOutput(chunk)]: id }, publish: [id] });
  return parsed;
}

async function ask(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  chunk: PromptChunk,
  from: StructuredMode,
): Promise<{ reply: LlmReply; mode: StructuredMode }> {
  for (let mode = from; ; ) {
    try {
      const reply = await exchange(options, review, chunk, mode);
      if (reply.stop === 'provider_error' || reply.stop === 'empty')
        throw new CriticizerError('LLM_NO_ANSWER', 'The model ended without an answer.', {
          category: 'upstream',
          details: { stop: reply.stop },
        });
      return { reply, mode };
    } catch (error) {
      const weaker = isCriticizerError(error) && error.code === 'LLM_SCHEMA_REFUSED' ? nextMode(mode, review.provider.modes) : null;
      if (weaker === null) throw error;
      mode = weaker;
    }
  }
}

async function exchange(options: LlmStageOptions, review: ReviewUnderWay, chunk: PromptChunk, mode: StructuredMode): Promise<LlmReply> {
  const { provider } = review;
  const { job, signal } = review.context;
  const { changelistId } = review.change;
  const context = { securityEvents: options.securityEvents, jobId: job.id, changelistId };
  const plan = planChunkRequest({ ...options, ...review, chunk, mode, settings: options.settings.llm, context });
  return measured(options, provider, () =>
    guardedExchange({
      ...plan,
      changelistId,
      clock: options.clock,
      jobId: job.id,
      reviewVersion: job.reviewVersion ?? 1,
      killSwitch: options.killSwitch,
      log: options.log,
      random: options.random,
      signal,
      timeoutMs: options.settings.llm.requestTimeoutMs,
    }),
  );
}

/** The exchange within its span; duration and tokens of an answer. */
async function measured(
  { telemetry, clock }: LlmStageOptions,
  provider: LlmProvider,
  exchanged: () => Promise<{ reply: LlmReply }>,
): Promise<LlmReply> {
  const labels = { [attribute.llmProvider]: provider.id, [attribute.llmModel]: provider.model };
  const began = clock.monotonicMs();
  const span = telemetry.startSpan(spanName.llmExchange, labels);
  let reply: LlmReply;
  try {
    ({ reply } = await exchanged());
  } catch (error) {
    span.end(classifyFailure(error).code);
    throw error;
  }
  span.end();
  telemetry.record(metric.llmDuration, (clock.monotonicMs() - began) / 1_000, labels);
  const { inputTokens, outputTokens } = reply.usage;
  if (inputTokens !== null) telemetry.record(metric.llmTokens, inputTokens, { ...labels, [attribute.llmTokenType]: 'input' });
  if (outputTokens !== null) telemetry.record(metric.llmTokens, outputTokens, { ...labels, [attribute.llmTokenType]: 'output' });
  return reply;
}

function parse(options: LlmStageOptions, { change }: ReviewUnderWay, chunk: PromptChunk, reply: LlmReply): ParsedReview {
  const seen = new Map(chunk.files.map(({ file, hunks }) => [file, new Set(hunks)]));
  return parseReview({
    text: reply.text,
    stop: reply.stop,
    maxBytes: maxReplyBytes,
    expected: { promptVersion: PROMPT_VERSION, schemaVersion: SCHEMA_VERSION, promptPatchDrift: options.settings.llm.promptPatchDrift },
    changedFiles: change.files.map((file, index) => ({
      path: file.path,
      hunks: file.hunks.filter((_, hunk) => seen.get(index)?.has(hunk)),
    })),
    diagnostics: { redact: (text) => options.redactor.session().redact(text).text },
  });
}
