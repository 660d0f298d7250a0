// #region bedrock
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import type { HttpClient } from '@criticizer/core/http';
import type { LlmProvider } from '@criticizer/core/llm';
import { createAiSdkProvider } from '@criticizer/llm-ai-sdk';

/** `readCredentials` is your chain: that of `@aws-sdk/credential-providers`, for instance. */
export function createBedrockReviewer(
  http: HttpClient,
  readCredentials: () => Promise<{ accessKeyId: string; secretAccessKey: string; sessionToken?: string }>,
  region = 'eu-central-1',
): LlmProvider {
  return createAiSdkProvider({
    id: 'bedrock',
    model: (fetch) =>
      createAmazonBedrock({
        region,
        apiKey: '', // else AWS_BEARER_TOKEN_BEDROCK of the environment is used in place of the credentials
        credentialProvider: readCredentials,
        fetch,
      })('eu.vendor.model-1:0'),
    host: `bedrock-runtime.${region}.amazonaws.com`,
    http,
    limits: { contextTokens: 200_000, maxOutputTokens: 8_000 },
  });
}
// #endregion
