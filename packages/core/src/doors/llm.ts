// Public entry `@criticizer/core/llm`: the port, the protocols that speak it, and what a model must
// answer. Named exports only.
export {
  joinRedacted,
  type RedactedForLlm,
  type RedactedPiece,
  redactForLlm,
  type TextForLlm,
} from '../egress/redact-for-llm.js';
export { isRedactedText, type RedactedText, readRedactedText } from '../foundation/redacted-text.js';
export {
  type LlmCallOptions,
  type LlmProvider,
  type LlmReply,
  type LlmRequest,
  type LlmTurn,
  type LlmUsage,
  noUsage,
  type PreparedLlmRequest,
  type ReplyNote,
  type StopState,
  type StructuredMode,
} from '../llm/llm-provider.js';
export { modeLadder, nextMode, strongestMode } from '../llm/mode-ladder.js';
export { createOpenAiChatProvider, type OpenAiChatProviderOptions } from '../llm/openai/openai-chat-provider.js';
export { type ReplyEnd, readUnknownStop } from '../llm/openai/openai-stop-reasons.js';
export { toStrictSchema } from '../llm/openai/strict-schema.js';
export { type FindingPlace, type PlacedFinding, placeFindings } from '../review/merge/place-findings.js';
export { type ParsedReview, type ParseReviewInput, parseReview } from '../review/read/parse-review.js';
export { type ReviewResult, reviewResultJsonSchema, reviewResultSchema } from '../review/review-result.js';
export type { ModelUsage } from '../stages/model-usage.js';
export type { Reviewer } from '../stages/stored-reply.js';
