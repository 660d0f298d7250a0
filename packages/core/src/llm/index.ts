// Public entry `@criticizer/core/llm`: the port and the protocols that speak it. Named exports only.
export type { LlmProvider, LlmReply, LlmRequest, LlmUsage, PreparedLlmRequest, StopState, StructuredMode } from './llm-provider.js';
export { modeLadder, nextMode, strongestMode } from './mode-ladder.js';
export { createOpenAiProvider, type OpenAiProviderOptions } from './openai-provider.js';
export { toStrictSchema } from './strict-schema.js';
