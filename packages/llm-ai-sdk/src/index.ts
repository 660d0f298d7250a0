// Public entry `@criticizer/llm-ai-sdk`: a model of the AI SDK as an `LlmProvider`. Named exports only.

export type { AiSdkModel } from './ai-sdk-model.js';
export { type AiSdkProviderOptions, createAiSdkProvider } from './ai-sdk-provider.js';
export { createModelFetch, type ModelFetch } from './model-fetch.js';
