// Public entry `@criticizer/llm-ai-sdk`: a model of the AI SDK as an `LlmProvider`. Named exports only.

export type { AiSdkModel } from './ai-sdk-model.js';
export { type AiSdkProviderOptions, createAiSdkProvider } from './ai-sdk-provider.js';
export type { ModelFetch } from './model-fetch.js';
