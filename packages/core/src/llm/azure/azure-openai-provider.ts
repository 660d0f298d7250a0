import type { OptionShape } from '../../foundation/check-options.js';
import { checkedElsewhere, checkName, oneOf, optional } from '../../foundation/option-checks.js';
import type { HttpLlmProvider, LlmProtocol } from '../http-provider/http-provider.js';
import { createKeyedProvider } from '../http-provider/keyed-provider.js';
import {
  type CredentialName,
  checkCredentialName,
  checkProviderOptions,
  type HttpProviderOptions,
  httpProviderShape,
  readBaseUrl,
} from '../http-provider/provider-options.js';
import { openAiChatProtocol } from '../openai/openai-chat-provider.js';
import { openAiResponsesProtocol } from '../openai/openai-responses-provider.js';

/** Which deployment, at which resource, with which credential and limits. `model` is the deployment's name. */
export interface AzureOpenAiProviderOptions extends HttpProviderOptions {
  /** The resource: `https://NAME.openai.azure.com` or `https://NAME.services.ai.azure.com`. */
  endpoint: string;
  /** A key (header `api-key`), or a bearer token of Entra ID: `createEntraTokenSource`. Exactly one. */
  apiKey?: CredentialName | undefined;
  entraToken?: CredentialName | undefined;
  /** Chat Completions (default) or Responses. */
  api?: 'chat' | 'responses' | undefined;
  /** Left out: the `v1` paths. Given: the dated paths, `2024-10-21` or later. */
  apiVersion?: string | undefined;
}

const optionShape: OptionShape<AzureOpenAiProviderOptions> = {
  ...httpProviderShape,
  endpoint: checkedElsewhere,
  apiKey: checkCredentialName,
  entraToken: checkCredentialName,
  api: optional(oneOf('chat', 'responses')),
  apiVersion: optional(checkName),
};

const maker = 'createAzureOpenAiProvider';

/** Dated paths of Responses name no deployment: the body does. */
function buildUrl({ endpoint, model, api = 'chat', apiVersion }: AzureOpenAiProviderOptions): string {
  const base = `${readBaseUrl(maker, endpoint, 'endpoint')}/openai`;
  const path = api === 'chat' ? 'chat/completions' : 'responses';
  if (apiVersion === undefined) return `${base}/v1/${path}`;
  const deployment = api === 'chat' ? `deployments/${encodeURIComponent(model)}/` : '';
  return `${base}/${deployment}${path}?api-version=${encodeURIComponent(apiVersion)}`;
}

/**
 * A provider for Azure OpenAI, by key or by Entra ID. A prompt that the resource's filter stops is
 * `content_filtered`, never a clean review. Throws `TypeError` for bad options.
 */
export function createAzureOpenAiProvider(options: AzureOpenAiProviderOptions): HttpLlmProvider {
  const modes = checkProviderOptions(maker, options, optionShape);
  const { apiKey, entraToken, api = 'chat', model } = options;
  const credential = apiKey ?? entraToken;
  if (credential === undefined || (apiKey !== undefined && entraToken !== undefined))
    throw new TypeError(`${maker}: expected exactly one of apiKey and entraToken`);
  const url = buildUrl(options);
  const protocol: LlmProtocol =
    api === 'responses'
      ? openAiResponsesProtocol(model, url)
      : openAiChatProtocol({ model, systemRole: 'system', outputLimitField: 'max_completion_tokens' }, url);
  return createKeyedProvider(
    { ...options, apiKey: credential },
    { maker, modes, protocol, header: apiKey === undefined ? 'authorization' : 'api-key' },
  );
}
