// #region models
import type { SecretSource, SettingsInput } from '@criticizer/core';
import type { HttpClient } from '@criticizer/core/http';
import { createAnthropicProvider, createFallback, createOllamaProvider, type LlmFallback } from '@criticizer/core/llm';

/** A model in the house first; a vendor's where the house is out and the policy permits it. */
export function createModels(http: HttpClient, secrets: SecretSource): LlmFallback {
  return createFallback([
    createOllamaProvider({
      id: 'house',
      model: 'reviewer-32b',
      baseUrl: 'https://gpu1.studio.example',
      http,
      limits: { contextTokens: 64_000, maxOutputTokens: 8_000 },
    }),
    createAnthropicProvider({
      id: 'vendor',
      model: 'claude-reviewer',
      baseUrl: 'https://api.anthropic.com',
      http,
      apiKey: { source: secrets, name: 'VENDOR_KEY' },
      limits: { contextTokens: 200_000, maxOutputTokens: 16_000 },
    }),
  ]);
}

export const modelSettings: SettingsInput = {
  egress: {
    internalHosts: ['.studio.example'],
    policy: [
      { paths: ['//...'], providers: ['house'] },
      { paths: ['//depot/open/...'], providers: ['house', 'vendor'] },
    ],
  },
  llm: {
    budget: {
      perReview: { cost: 2 },
      perDay: { cost: 50 },
      perPath: [{ name: 'engine', paths: ['//depot/engine/...'], cost: 20 }],
      prices: [{ provider: 'vendor', inputPerMillion: 3, outputPerMillion: 15 }],
    },
  },
};
// #endregion
