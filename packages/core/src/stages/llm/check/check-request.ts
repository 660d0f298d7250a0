import { createHash } from 'node:crypto';
import type { EgressPlanOptions } from '../../../egress/guarded-exchange.js';
import { canonicalJson } from '../../../foundation/canonical-json.js';
import type { StructuredMode } from '../../../llm/llm-provider.js';
import { promptText, type RenderedPrompt } from '../../../prompt/build-prompt.js';
import { addCheckContext } from '../../../prompt/check/check-context.js';
import { narrowToFiles, narrowToHunks, narrowToRelated } from '../../../prompt/check/check-hunks.js';
import { type CheckedFinding, checkSchema, renderCheck } from '../../../prompt/check/check-prompt.js';
import { CHECK_SCHEMA_NAME } from '../../../prompt/check/check-template.js';
import { DEFAULT_BYTES_PER_TOKEN, estimateTokens } from '../../../prompt/plan-chunks.js';
import type { PromptChunk } from '../../../prompt/prompt-chunk.js';
import type { CheckTemplate, PromptVariant } from '../../../prompt/prompt-variant.js';
import type { Settings } from '../../../settings/settings.js';
import { digestQuestion } from '../chunk-question.js';
import type { Instructions } from '../instructions.js';
import type { ProviderShare } from '../provider-shares.js';
import { type ChunkRequestOptions, mintParts, outputTokens, planRequest, usableContext } from '../review-request.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Output of one verdict with its reason, about. */
const TOKENS_PER_VERDICT = 80;

/** Findings of one chunk, and the part of the change that they are checked against. */
export interface CheckQuestion {
  share: ProviderShare;
  chunk: PromptChunk;
  template: CheckTemplate;
  /** Those that the request has; redacted. */
  findings: readonly CheckedFinding[];
  prompt: RenderedPrompt;
  maxOutputTokens: number;
}

const known = new WeakMap<CheckTemplate, Instructions>();

/** System text and schema of a check: the same in every mode. */
export function checkInstructions(template: CheckTemplate): Instructions {
  const { system } = template;
  const schema = checkSchema(template);
  const made = known.get(template) ?? {
    system,
    schema,
    tokens: estimateTokens(system) + estimateTokens(JSON.stringify(schema)),
    digest: sha256(canonicalJson({ system, schema })),
  };
  known.set(template, made);
  return made;
}

/** What a check is asked about. */
export interface CheckOptions {
  share: ProviderShare;
  /** The chunk whose reply had the findings. */
  chunk: PromptChunk;
  /** Tokens of user text above which the model is known to take none. Left out: not known. */
  maxUserTokens?: number | undefined;
  /** Gravest first, redacted. */
  findings: readonly CheckedFinding[];
  template: CheckTemplate;
  settings: Settings['llm'];
  /** Of the change's text; two bytes of a finding's count as a token. */
  bytesPerToken: number;
}

/** Share of a request that hunks fill where fewer hunks are to be had, so that context has room. */
const ROOM_FOR_HUNKS = 0.7;

/** From most hunks to fewest: of several that leave context its room, the first is taken. */
const views = [ROOM_FOR_HUNKS, 1].flatMap((part) =>
  [narrowToRelated, narrowToFiles, narrowToHunks].map((narrow) => ({ narrow, part })),
);

function countTokens({ parts }: RenderedPrompt, bytesPerToken: number): number {
  const own = parts.reduce(
    (sum, part) => sum + ('reported' in part ? 0 : Buffer.byteLength('trusted' in part ? part.trusted : part.redacted)),
    0,
  );
  const reported = parts.map((part) => ('reported' in part ? part.reported : '')).join('');
  return Math.ceil(own / bytesPerToken) + estimateTokens(reported, Math.min(bytesPerToken, DEFAULT_BYTES_PER_TOKEN));
}

/**
 * The one request about the findings of a chunk: their hunks and those that bear on them, with more
 * code round them than the chunk showed, as far as its provider may see and the model's context
 * goes (`addCheckContext`). Where that is not enough, fewer hunks; then fewer findings, the gravest.
 * Null where there is no room for any. Deterministic.
 */
export function planCheck(options: CheckOptions): CheckQuestion | null {
  const { share, chunk, findings, template, settings, bytesPerToken } = options;
  const { provider, change } = share;
  const maxOutputTokens = outputTokens(provider, settings);
  const free = usableContext(provider) - maxOutputTokens - checkInstructions(template).tokens;
  const room = Math.min(free, options.maxUserTokens ?? free);
  const most = Math.max(1, Math.floor(maxOutputTokens / TOKENS_PER_VERDICT));
  for (let count = Math.min(findings.length, most); count >= 1; count = Math.floor(count / 2)) {
    const some = findings.slice(0, count);
    for (const { narrow, part } of views) {
      const { context: _context, ...hunks } = narrow(change, chunk, some);
      const taken = countTokens(renderCheck(change, hunks, some, template), bytesPerToken);
      if (taken > room * part) continue;
      const shown = widen({ ...hunks, estimatedTokens: taken }, some, { ...options, freeTokens: room - taken - 1 });
      const prompt = renderCheck(change, shown, some, template);
      return { share, chunk: shown, template, findings: some, prompt, maxOutputTokens };
    }
  }
  return null;
}

/** Adds context at the level that the chunk was planned with; none where the chunk had none. */
function widen(
  view: PromptChunk,
  findings: readonly CheckedFinding[],
  { share: { change, files }, chunk, bytesPerToken, freeTokens }: CheckOptions & { freeTokens: number },
): PromptChunk {
  if (chunk.context === undefined) return view;
  const { level } = chunk.context;
  const freeBytes = Math.floor(freeTokens * bytesPerToken);
  return addCheckContext(change, view, findings, { level, freeBytes, bytesPerToken, files });
}

/**
 * Name of the job output that holds the reply to this check (ruling R19): a digest of all that
 * shapes it, so that a worker that takes over reads it instead of asking again.
 */
export function nameCheck(
  { share: { provider }, template, prompt, maxOutputTokens }: CheckQuestion,
  { variant, snapshot }: { variant: PromptVariant; snapshot: string },
  mode: StructuredMode,
): string {
  const texts = { text: sha256(promptText(prompt)), instructions: checkInstructions(template).digest };
  return `llm.check.${digestQuestion({ snapshot, provider, variant, mode, maxOutputTokens }, texts)}`;
}

/** Tokens that a check may take, output included. */
export function countCheckTokens({ chunk, template, maxOutputTokens }: CheckQuestion): number {
  return chunk.estimatedTokens + checkInstructions(template).tokens + maxOutputTokens;
}

/** The request of a check and all that decides about it, as of a review's request (ART-6, EGR-1). */
export function planCheckRequest(
  question: CheckQuestion,
  options: Omit<ChunkRequestOptions, 'share' | 'chunk' | 'maxOutputTokens' | 'repairNote'>,
): EgressPlanOptions {
  const { share, chunk, prompt, maxOutputTokens, template } = question;
  const { system, schema } = checkInstructions(template);
  const text = { system, schema, schemaName: CHECK_SCHEMA_NAME, parts: mintParts(prompt.parts, options) };
  return planRequest({ ...options, share, chunk, maxOutputTokens }, text);
}
