// Public entry `@criticizer/core/llm`: the port and the protocols that speak it. Named exports only.
export type {
  LlmProvider,
  LlmReply,
  LlmRequest,
  LlmUsage,
  PreparedLlmRequest,
  ReplyNote,
  StopState,
  StructuredMode,
} from './llm-provider.js';
export { modeLadder, nextMode, strongestMode } from './mode-ladder.js';
export { createOpenAiProvider, type OpenAiProviderOptions } from './openai-provider.js';
export { type ReplyEnd, readUnknownStop } from './stop-reasons.js';
export { toStrictSchema } from './strict-schema.js';
