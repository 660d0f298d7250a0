import { createAnthropicProvider } from './anthropic/anthropic-provider.js';
import { createAzureOpenAiProvider } from './azure/azure-openai-provider.js';
import { createBedrockProvider } from './bedrock/bedrock-provider.js';
import { createGeminiProvider } from './gemini/gemini-provider.js';
import type { HttpLlmProvider } from './http-provider/http-provider.js';
import type { KeyedProviderOptions } from './http-provider/provider-options.js';
import { createOllamaProvider } from './ollama/ollama-provider.js';
import { createOpenAiChatProvider } from './openai/openai-chat-provider.js';
import { createOpenAiResponsesProvider } from './openai/openai-responses-provider.js';

/** An endpoint whose protocol is configuration: a word in a file, not code. */
export interface NamedProtocolOptions extends KeyedProviderOptions {
  /** One of `llmProtocols`. `baseUrl` of Azure OpenAI and Bedrock is the endpoint. */
  protocol: string;
}

/** The region in a host of Bedrock; requests by API key are not signed, so that another host needs none. */
function readRegion(baseUrl: string): string {
  const { hostname } = new URL(URL.canParse(baseUrl) ? baseUrl : 'https://none.invalid');
  return /^bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./.exec(hostname)?.[1] ?? 'us-east-1';
}

const factories: Readonly<Record<string, (options: KeyedProviderOptions) => HttpLlmProvider>> = {
  'openai-chat': createOpenAiChatProvider,
  'openai-responses': createOpenAiResponsesProvider,
  'azure-openai': ({ baseUrl: endpoint, ...parts }) => createAzureOpenAiProvider({ ...parts, endpoint }),
  anthropic: createAnthropicProvider,
  gemini: createGeminiProvider,
  ollama: createOllamaProvider,
  bedrock: ({ baseUrl: endpoint, ...parts }) =>
    createBedrockProvider({ ...parts, endpoint, region: readRegion(endpoint) }),
};

/** The words that `createLlmProvider` takes as `protocol`. */
export const llmProtocols: readonly string[] = Object.keys(factories);

/**
 * A provider by the name of its protocol, for services whose model is configuration. What is
 * particular to one protocol is left to its own factory. Throws `TypeError` for an unknown protocol
 * and for what that factory refuses.
 */
export function createLlmProvider({ protocol, ...parts }: NamedProtocolOptions): HttpLlmProvider {
  const create = Object.hasOwn(factories, protocol) ? factories[protocol] : undefined;
  if (create === undefined)
    throw new TypeError(`createLlmProvider: protocol expects one of ${llmProtocols.join(', ')}`);
  return create(parts);
}
