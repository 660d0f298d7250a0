// #region model
import { createAnthropic } from '@ai-sdk/anthropic';
import { revealSecret, type SecretSource } from '@criticizer/core';
import type { HttpClient } from '@criticizer/core/http';
import type { LlmProvider } from '@criticizer/core/llm';
import { createAiSdkProvider, type ModelFetch } from '@criticizer/llm-ai-sdk';

/** A model of the AI SDK: pass it as `llm` to `createCriticizer`. */
export function createReviewer(
  http: HttpClient,
  secrets: SecretSource,
  baseURL = 'https://api.anthropic.com/v1',
): LlmProvider {
  return createAiSdkProvider({
    id: 'anthropic',
    model: (fetch) =>
      createAnthropic({ baseURL, apiKey: 'set by withKey', fetch: withKey(fetch, secrets) })('claude-sonnet-4-5'),
    host: new URL(baseURL).host,
    http,
    limits: { contextTokens: 200_000, maxOutputTokens: 16_000 },
  });
}

/** Sets the key that the source has now, in each request: a rotated key is used at once. */
function withKey(fetch: ModelFetch, secrets: SecretSource): ModelFetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('x-api-key', revealSecret((await secrets.read('ANTHROPIC_KEY')).current.secret));
    return fetch(input, { ...init, headers });
  };
}
// #endregion
