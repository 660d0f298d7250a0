import { createHash } from 'node:crypto';
import type { EgressPlanOptions } from '../../../egress/guarded-exchange.js';
import { canonicalJson } from '../../../foundation/canonical-json.js';
import type { StructuredMode } from '../../../llm/llm-provider.js';
import { promptText, type RenderedPrompt } from '../../../prompt/build-prompt.js';
import { type CheckedFinding, checkSchema, renderCheck } from '../../../prompt/check-prompt.js';
import { CHECK_SCHEMA_NAME } from '../../../prompt/check-template.js';
import { estimateTokens } from '../../../prompt/plan-chunks.js';
import type { PromptChunk } from '../../../prompt/prompt-chunk.js';
import type { CheckTemplate, PromptVariant } from '../../../prompt/prompt-variant.js';
import type { Settings } from '../../../settings/settings.js';
import { digestQuestion } from '../chunk-question.js';
import type { Instructions } from '../instructions.js';
import type { ProviderShare } from '../provider-shares.js';
import { type ChunkRequestOptions, mintParts, outputTokens, planRequest, usableContext } from '../review-request.js';
import { narrowToFiles, narrowToHunks } from './narrow-chunk.js';

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
  /** Gravest first, redacted. */
  findings: readonly CheckedFinding[];
  template: CheckTemplate;
  settings: Settings['llm'];
}

/**
 * The one request about the findings of a chunk: their files as the chunk showed them; where that is
 * more than the model's context holds, their hunks; then fewer findings, the gravest. Null where
 * there is no room for any. Deterministic.
 */
export function planCheck({ share, chunk, findings, template, settings }: CheckOptions): CheckQuestion | null {
  const { provider, change } = share;
  const maxOutputTokens = outputTokens(provider, settings);
  const room = usableContext(provider) - maxOutputTokens - checkInstructions(template).tokens;
  const most = Math.max(1, Math.floor(maxOutputTokens / TOKENS_PER_VERDICT));
  for (let count = Math.min(findings.length, most); count >= 1; count = Math.floor(count / 2)) {
    const some = findings.slice(0, count);
    for (const narrow of [narrowToFiles, narrowToHunks]) {
      const view = narrow(change, chunk, some);
      const prompt = renderCheck(change, view, some, template);
      const estimatedTokens = estimateTokens(promptText(prompt));
      if (estimatedTokens > room) continue;
      return { share, chunk: { ...view, estimatedTokens }, template, findings: some, prompt, maxOutputTokens };
    }
  }
  return null;
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
