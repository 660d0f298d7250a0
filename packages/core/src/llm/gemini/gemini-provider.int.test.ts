import { describe, it } from 'vitest';
import { makeGeminiScenes } from '../../../../../tools/testing/model-scenes/gemini-scenes.js';
import { contractTexts, createOnScenes } from '../../../test/scene-server.js';
import { describeLlmProviderContract } from '../../testing/ports/llm/llm-provider-contract.js';
import { createGeminiProvider } from './gemini-provider.js';

const createUnderTest = () =>
  createOnScenes(makeGeminiScenes(contractTexts), {
    create: createGeminiProvider,
    usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 6, reasoningTokens: 3 },
    // The vendor knows filters only.
    unplayable: ['refused'],
  });

describeLlmProviderContract({ describe, it }, { create: createUnderTest });
