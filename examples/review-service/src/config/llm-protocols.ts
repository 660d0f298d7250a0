// The one table of model protocols: a protocol that a package speaks is a line here.
import type { SecretSource } from '@criticizer/core';
import type { HttpClient } from '@criticizer/core/http';
import {
  createAnthropicProvider,
  createAzureOpenAiProvider,
  createBedrockProvider,
  createGeminiProvider,
  createOllamaProvider,
  createOpenAiChatProvider,
  createOpenAiResponsesProvider,
  type LlmProvider,
} from '@criticizer/core/llm';

/** What every protocol is made from. */
export interface ModelParts {
  /** Names the provider in policies, egress records and telemetry. */
  id: string;
  model: string;
  /** As the vendor's SDK takes it. */
  baseUrl: string;
  http: HttpClient;
  /** Absent where the endpoint asks for no key. */
  apiKey?: { source: SecretSource; name: string } | undefined;
  limits: { contextTokens: number; maxOutputTokens: number };
}

/** The region in a host of Bedrock; requests to another host are not signed by it. */
function readRegion(baseUrl: string): string {
  return /^bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./.exec(new URL(baseUrl).hostname)?.[1] ?? 'us-east-1';
}

/** The value of `LLM_PROTOCOL` for no model: files and withheld secrets are counted, and nothing is sent. */
export const noModel = 'none';

/** The other values of `LLM_PROTOCOL`, each with the function that makes its provider. */
export const llmProtocols: Readonly<Record<string, (parts: ModelParts) => LlmProvider>> = {
  'openai-chat': createOpenAiChatProvider,
  'openai-responses': createOpenAiResponsesProvider,
  'azure-openai': ({ baseUrl: endpoint, ...parts }) => createAzureOpenAiProvider({ ...parts, endpoint }),
  anthropic: createAnthropicProvider,
  gemini: createGeminiProvider,
  ollama: createOllamaProvider,
  bedrock: ({ baseUrl: endpoint, ...parts }) =>
    createBedrockProvider({ ...parts, endpoint, region: readRegion(endpoint) }),
};
