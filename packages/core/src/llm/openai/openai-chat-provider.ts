import type { OptionShape } from '../../foundation/check-options.js';
import { oneOf, optional } from '../../foundation/option-checks.js';
import type { HttpLlmProvider, LlmProtocol } from '../http-provider/http-provider.js';
import { createKeyedProvider } from '../http-provider/keyed-provider.js';
import {
  checkProviderOptions,
  type KeyedProviderOptions,
  keyedProviderShape,
  readBaseUrl,
} from '../http-provider/provider-options.js';
import { readOpenAiChatReply } from './openai-chat-reply.js';
import { buildOpenAiChatBody, type OpenAiChatEndpoint, openAiChatFields } from './openai-chat-request.js';
import { readOpenAiFailure } from './openai-failure.js';

/** Which model, at which endpoint, with which credential and limits. */
export interface OpenAiChatProviderOptions extends KeyedProviderOptions {
  /** How the key is sent: `Authorization: Bearer` (default), or `api-key`. */
  apiKeyHeader?: 'authorization' | 'api-key' | undefined;
  /** Role of the trusted text. Default `system`. */
  systemRole?: 'system' | 'developer' | undefined;
  /** Older compatible servers know `max_tokens` only. Default `max_completion_tokens`. */
  outputLimitField?: 'max_completion_tokens' | 'max_tokens' | undefined;
}

const optionShape: OptionShape<OpenAiChatProviderOptions> = {
  ...keyedProviderShape,
  apiKeyHeader: optional(oneOf('authorization', 'api-key')),
  systemRole: optional(oneOf('system', 'developer')),
  outputLimitField: optional(oneOf('max_completion_tokens', 'max_tokens')),
};

/** The protocol at this URL; Azure OpenAI speaks it at URLs of its own. */
export function openAiChatProtocol(endpoint: OpenAiChatEndpoint, url: string): LlmProtocol {
  return {
    url,
    bodyFields: openAiChatFields,
    buildBody: (request, turns) => buildOpenAiChatBody(endpoint, request, turns),
    readReply: readOpenAiChatReply,
    readFailure: readOpenAiFailure,
  };
}

const maker = 'createOpenAiChatProvider';

/**
 * A provider that speaks Chat Completions: OpenAI, and the gateways and servers compatible with it.
 * `baseUrl` is everything before `/chat/completions`: `https://gateway.example/v1`.
 * `send` tries the key before this one when the current is answered 401 (dual-key overlap, SEC-5),
 * then a newer one if the source has got it meanwhile; if all are denied it throws `AUTH_DENIED`
 * with `parks`, as the source is a refresh path (INT-4, ruling R13). Vendors' switches are
 * `extraBody`: `{ store: false }`, `{ reasoning_effort: 'low' }`. Throws `TypeError` for bad options.
 */
export function createOpenAiChatProvider(options: OpenAiChatProviderOptions): HttpLlmProvider {
  const modes = checkProviderOptions(maker, options, optionShape);
  const { apiKeyHeader: header = 'authorization' } = options;
  const endpoint: OpenAiChatEndpoint = {
    model: options.model,
    systemRole: options.systemRole ?? 'system',
    outputLimitField: options.outputLimitField ?? 'max_completion_tokens',
  };
  return createKeyedProvider(options, {
    maker,
    modes,
    header,
    protocol: openAiChatProtocol(endpoint, `${readBaseUrl(maker, options.baseUrl)}/chat/completions`),
  });
}
