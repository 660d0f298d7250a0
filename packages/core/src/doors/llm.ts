// Public entry `@criticizer/core/llm`: the port, the protocols that speak it, and what a model must
// answer. Named exports only.
export { createInternalHosts } from '../egress/internal-hosts.js';
export { mayReach } from '../egress/policy-reach.js';
export type { ProviderRule } from '../egress/provider-policy.js';
export {
  joinRedacted,
  type RedactedForLlm,
  type RedactedPiece,
  redactForLlm,
  type TextForLlm,
} from '../egress/redact-for-llm.js';
export { isRedactedText, type RedactedText, readRedactedText } from '../foundation/redacted-text.js';
export { type AnthropicProviderOptions, createAnthropicProvider } from '../llm/anthropic/anthropic-provider.js';
export { type AzureOpenAiProviderOptions, createAzureOpenAiProvider } from '../llm/azure/azure-openai-provider.js';
export { createEntraTokenSource, type EntraTokenSourceOptions } from '../llm/azure/entra-token-source.js';
export { type BedrockProviderOptions, createBedrockProvider } from '../llm/bedrock/bedrock-provider.js';
export type { AwsCredentials } from '../llm/bedrock/sign-aws.js';
export { createFallback, type FallbackOptions, type LlmFallback } from '../llm/fallback.js';
export { createGeminiProvider, type GeminiProviderOptions } from '../llm/gemini/gemini-provider.js';
export { assembleReply, chooseTexts, type ReplyEnd, readUnknownStop } from '../llm/http-provider/assemble-reply.js';
export {
  type AnswerContext,
  type HttpLlmProvider,
  type PlainTurn,
  readLlmRequest,
  stateSchema,
} from '../llm/http-provider/http-provider.js';
export {
  type CredentialName,
  checkProviderOptions,
  type HttpProviderOptions,
  httpProviderShape,
  type KeyedProviderOptions,
} from '../llm/http-provider/provider-options.js';
export { readRequestId } from '../llm/http-provider/read-json.js';
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
  type TokenCounter,
} from '../llm/llm-provider.js';
export { modeLadder, nextMode, strongestMode } from '../llm/mode-ladder.js';
export { createLlmProvider, llmProtocols, type NamedProtocolOptions } from '../llm/named-protocol.js';
export { createOllamaProvider, type OllamaProviderOptions } from '../llm/ollama/ollama-provider.js';
export { createOpenAiChatProvider, type OpenAiChatProviderOptions } from '../llm/openai/openai-chat-provider.js';
export {
  createOpenAiResponsesProvider,
  type OpenAiResponsesProviderOptions,
} from '../llm/openai/openai-responses-provider.js';
export { toOptionalSchema, toStrictSchema } from '../llm/response-schema.js';
export {
  createTokenCounter,
  type TokenCounterOptions,
  type TokenEncoding,
  withTokenCounter,
} from '../llm/token-counter.js';
export { readVendorFailure, type VendorFormat } from '../llm/vendor-failures.js';
export { builtInVariant } from '../prompt/built-in-variant.js';
export type { NotedLanguage } from '../prompt/language-notes.js';
export {
  type CheckTemplate,
  type ContextWords,
  nameVariant,
  type PromptTemplate,
  type PromptVariant,
  type PromptVersions,
  type PromptWords,
  type QuoteShape,
} from '../prompt/prompt-variant.js';
export { type FindingPlace, type PlacedFinding, placeFindings } from '../review/merge/place-findings.js';
export { type ParsedReview, type ParseReviewInput, parseReview } from '../review/read/parse-review.js';
export { type ReviewResult, reviewResultJsonSchema, reviewResultSchema } from '../review/review-result.js';
export type { ModelUsage } from '../stages/llm/model-usage.js';
export type { Reviewer } from '../stages/llm/stored-reply.js';
