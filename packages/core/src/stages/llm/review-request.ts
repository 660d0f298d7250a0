import type { EgressContext } from '../../egress/block-egress.js';
import type { HostRule } from '../../egress/check-host.js';
import { deriveRedacted } from '../../egress/derive-redacted.js';
import type { EgressPlanOptions } from '../../egress/guarded-exchange.js';
import type { ProviderPolicy } from '../../egress/provider-policy.js';
import { joinRedacted, redactForLlm } from '../../egress/redact-for-llm.js';
import type { RedactedText } from '../../foundation/redacted-text.js';
import type { Redactor } from '../../foundation/redactor.js';
import type { LlmProvider, LlmRequest, StructuredMode } from '../../llm/llm-provider.js';
import { type PromptPart, renderChangeForPrompt } from '../../prompt/build-prompt.js';
import type { PromptChunk } from '../../prompt/prompt-chunk.js';
import type { PromptVariant } from '../../prompt/prompt-variant.js';
import { REVIEW_SCHEMA_NAME } from '../../prompt/template.js';
import type { Settings } from '../../settings/settings.js';
import type { TruePaths } from '../job/change-snapshot.js';
import { pathsInRequest } from '../job/true-paths.js';
import type { Guidance, Guide } from './guidance/guidance.js';
import { instructionsFor } from './instructions.js';
import type { ProviderShare } from './provider-shares.js';

/** Kept free of the model's context, for what the estimate misses. */
const contextMargin = 0.1;

/** The output that a request may produce: what the settings allow, as far as the model can. */
export function outputTokens(provider: LlmProvider, settings: Settings['llm']): number {
  return Math.min(settings.maxOutputTokens, provider.limits.maxOutputTokens);
}

/** What decides how much a request may hold. */
export interface RequestRoom {
  provider: LlmProvider;
  variant: PromptVariant;
  /** For the files of the request. */
  guidance: Guidance;
  settings: Settings['llm'];
}

/** How much more room a reply gets that spent its budget without an answer, at most. */
const roomFactor = 4;
/** Less more room than this would only be spent likewise. */
const leastRoomFactor = 1.5;

/**
 * More output for a chunk whose reply spent its budget: up to four times as much, within the
 * model's limit and what its context leaves beside the chunk. Null where that is less than half as
 * much again.
 */
export function largerOutput(room: RequestRoom, chunk: PromptChunk): number | null {
  const { provider, settings } = room;
  const budget = outputTokens(provider, settings);
  const free = usableContext(provider) - fixedTokens(room) - chunk.estimatedTokens;
  const larger = Math.min(budget * roomFactor, provider.limits.maxOutputTokens, free);
  return larger >= budget * leastRoomFactor ? larger : null;
}

/** Tokens of a model's context that requests may use. */
export function usableContext(provider: LlmProvider): number {
  return Math.floor(provider.limits.contextTokens * (1 - contextMargin));
}

/** Tokens of a request besides the change, in whichever of the provider's modes it takes most. */
function fixedTokens({ provider, variant, guidance }: RequestRoom): number {
  return Math.max(...provider.modes.map((mode) => instructionsFor(mode, variant, guidance).tokens));
}

/** Tokens of user text that a request has room for: the context less system text, schema, output and margin. */
export function userTextTokens(room: RequestRoom): number {
  const { provider, settings } = room;
  const taken = outputTokens(provider, settings) + fixedTokens(room);
  return Math.max(1, usableContext(provider) - taken);
}

/**
 * Tokens that a request may take, output included: what a limit counts until the reply says how many
 * it took.
 */
export function estimateTokens(
  request: {
    chunk: PromptChunk;
    mode: StructuredMode;
    maxOutputTokens: number;
    repairNote?: string | undefined;
  },
  { variant, guide }: { variant: PromptVariant; guide: Guide },
): number {
  const guidance = guide(request.chunk.files.map(({ file }) => file));
  const fixed = instructionsFor(request.mode, variant, guidance).tokens;
  // As the chunk's own estimate: at most two bytes a token.
  const note = Buffer.byteLength(request.repairNote ?? '') / 2;
  return Math.ceil(fixed + request.chunk.estimatedTokens + note + request.maxOutputTokens);
}

export interface ChunkRequestOptions extends HostRule {
  context: EgressContext;
  signal: AbortSignal;
  snapshot: RedactedText;
  share: Pick<ProviderShare, 'provider' | 'change'>;
  truePaths: readonly TruePaths[];
  chunk: PromptChunk;
  variant: PromptVariant;
  guide: Guide;
  mode: StructuredMode;
  maxOutputTokens: number;
  /** Trusted text at the end of a repair request; left out in a first one. */
  repairNote?: string | undefined;
  policy: ProviderPolicy;
  redactor: Redactor;
  settings: Settings['llm'];
}

/**
 * The parts of a user text, to be joined: text of findings is redacted once more (ruling R15). Throws
 * `EGRESS_BLOCKED` where that fails.
 */
export function mintParts(
  parts: readonly PromptPart[],
  { snapshot, redactor, context }: Pick<ChunkRequestOptions, 'snapshot' | 'redactor' | 'context'>,
): (RedactedText | string)[] {
  return parts.flatMap((part): (RedactedText | string)[] => {
    if ('trusted' in part) return [part.trusted];
    if ('redacted' in part) return [deriveRedacted(snapshot, () => part.redacted)];
    const texts = [{ name: 'findings', text: part.reported }];
    return redactForLlm({ redactor, texts, ...context }).pieces.map(({ text }) => text);
  });
}

/**
 * One chunk's request and all that decides about it. Its user text is minted from the redacted
 * snapshot and our own words alone (ART-6).
 */
export function planChunkRequest(options: ChunkRequestOptions): EgressPlanOptions {
  const { chunk, variant, mode } = options;
  const { parts } = renderChangeForPrompt(options.share.change, chunk, variant.template);
  const minted = mintParts(parts, options);
  if (options.repairNote !== undefined) minted.push(options.repairNote);
  const guidance = options.guide(chunk.files.map(({ file }) => file));
  const { system, schema } = instructionsFor(mode, variant, guidance);
  return planRequest(options, { system, schema, schemaName: REVIEW_SCHEMA_NAME, parts: minted });
}

/** What a request of a review says; `parts` are its user text. */
interface RequestText extends Pick<LlmRequest, 'system' | 'schema' | 'schemaName'> {
  parts: readonly (RedactedText | string)[];
}

/** A request of a review, with all that decides whether it is sent (EGR-1, EGR-2). */
export function planRequest(
  options: Omit<ChunkRequestOptions, 'snapshot' | 'guide' | 'repairNote'>,
  { parts, ...text }: RequestText,
): EgressPlanOptions {
  const { context, truePaths, chunk, variant, mode, maxOutputTokens, policy, redactor, settings } = options;
  const { provider, change } = options.share;
  const turn = { role: 'user' as const, text: joinRedacted({ redactor, parts, ...context }) };
  const request: LlmRequest = { ...text, turns: [turn], mode, maxOutputTokens };
  return {
    ...context,
    signal: options.signal,
    provider,
    request,
    redactor,
    policy,
    isInternal: options.isInternal,
    namesProviders: options.namesProviders,
    ...pathsInRequest(change, truePaths, chunk),
    redactions: change.redactions,
    versions: variant,
    scanTimeoutMs: settings.guardTimeoutMs,
    prepareTimeoutMs: settings.prepareTimeoutMs,
  };
}
