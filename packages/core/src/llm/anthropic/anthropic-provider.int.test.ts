import { describe, it } from 'vitest';
import { makeAnthropicScenes } from '../../../../../tools/testing/model-scenes/anthropic-scenes.js';
import { contractTexts, createOnScenes } from '../../../test/scene-server.js';
import { describeLlmProviderContract } from '../../testing/ports/llm/llm-provider-contract.js';
import { createAnthropicProvider } from './anthropic-provider.js';

const createUnderTest = () =>
  createOnScenes(makeAnthropicScenes(contractTexts), {
    create: createAnthropicProvider,
    usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 6, reasoningTokens: 3 },
    // The vendor has one word for both: refusal.
    unplayable: ['filtered'],
  });

describeLlmProviderContract({ describe, it }, { create: createUnderTest });
