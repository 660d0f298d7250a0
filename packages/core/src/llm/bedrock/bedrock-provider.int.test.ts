import { describe, it } from 'vitest';
import { makeBedrockScenes } from '../../../../../tools/testing/model-scenes/bedrock-scenes.js';
import { contractTexts, createOnScenes } from '../../../test/scene-server.js';
import { describeLlmProviderContract } from '../../testing/ports/llm/llm-provider-contract.js';
import { createBedrockProvider } from './bedrock-provider.js';

/** Signed, or by API key. */
const create = (isSigned: boolean) => () =>
  createOnScenes(makeBedrockScenes(contractTexts), {
    create: ({ baseUrl: endpoint, apiKey, ...options }, { credential }) => {
      const credentials = async () => ({ accessKeyId: credential, secretAccessKey: credential.repeat(2) });
      return createBedrockProvider({
        ...options,
        model: 'eu.vendor.model-1:0',
        region: 'eu-central-1',
        endpoint,
        ...(isSigned ? { credentials } : { apiKey }),
      });
    },
    usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 6, reasoningTokens: null },
  });

describe('by API key', () => describeLlmProviderContract({ describe, it }, { create: create(false) }));
describe('signed', () => describeLlmProviderContract({ describe, it }, { create: create(true) }));
