import { describe, it } from 'vitest';
import { makeOpenAiResponsesScenes } from '../../../../../tools/testing/model-scenes/openai-responses-scenes.js';
import { contractTexts, createOnScenes } from '../../../test/scene-server.js';
import { describeLlmProviderContract } from '../../testing/ports/llm/llm-provider-contract.js';
import { createOpenAiResponsesProvider } from './openai-responses-provider.js';

const createUnderTest = () =>
  createOnScenes(makeOpenAiResponsesScenes(contractTexts), {
    create: (options) => createOpenAiResponsesProvider({ ...options, baseUrl: `${options.baseUrl}/v1` }),
    usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 6, reasoningTokens: 3 },
  });

describeLlmProviderContract({ describe, it }, { create: createUnderTest });
