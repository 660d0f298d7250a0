import type { OptionShape } from '../foundation/check-options.js';
import { checkedElsewhere } from '../foundation/option-checks.js';
import { createAnthropicProvider } from './anthropic/anthropic-provider.js';
import { createAzureOpenAiProvider } from './azure/azure-openai-provider.js';
import { createBedrockProvider } from './bedrock/bedrock-provider.js';
import { createGeminiProvider } from './gemini/gemini-provider.js';
import type { HttpLlmProvider } from './http-provider/http-provider.js';
import {
  checkProviderOptions,
  type KeyedProviderOptions,
  keyedProviderShape,
  readBaseUrl,
} from './http-provider/provider-options.js';
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

const maker = 'createLlmProvider';

const optionShape: OptionShape<NamedProtocolOptions> = { ...keyedProviderShape, protocol: checkedElsewhere };

/** Their own factories know other credentials, which a file cannot hold. */
const keyedAlone: ReadonlySet<string> = new Set(['azure-openai', 'bedrock']);

/**
 * A provider by the name of its protocol, for services whose model is configuration. What is
 * particular to one protocol is left to its own factory. Throws `TypeError` for an unknown protocol
 * and for wrong options; `azure-openai` and `bedrock` need `apiKey`.
 */
export function createLlmProvider(options: NamedProtocolOptions): HttpLlmProvider {
  checkProviderOptions(maker, options, optionShape);
  const { protocol, ...parts } = options;
  const create = Object.hasOwn(factories, protocol) ? factories[protocol] : undefined;
  if (create === undefined) throw new TypeError(`${maker}: protocol expects one of ${llmProtocols.join(', ')}`);
  readBaseUrl(maker, parts.baseUrl);
  if (parts.apiKey === undefined && keyedAlone.has(protocol))
    throw new TypeError(`${maker}: apiKey: expected { source, name }, which ${protocol} needs`);
  return create(parts);
}
