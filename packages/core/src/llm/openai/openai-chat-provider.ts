import type { OptionShape } from '../../foundation/check-options.js';
import { checkedElsewhere, oneOf, optional } from '../../foundation/option-checks.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import { createHttpProvider, type HttpLlmProvider, type LlmProtocol } from '../http-provider/http-provider.js';
import { createKeyedExchange } from '../http-provider/keyed-exchange.js';
import {
  type CredentialName,
  checkCredentialName,
  checkProviderOptions,
  type HttpProviderOptions,
  httpProviderShape,
  readBaseUrl,
} from '../http-provider/provider-options.js';
import { readOpenAiChatReply } from './openai-chat-reply.js';
import { buildOpenAiChatBody, type OpenAiChatEndpoint, openAiChatFields } from './openai-chat-request.js';
import { readOpenAiFailure } from './openai-failure.js';

/** Which model, at which endpoint, with which credential and limits. */
export interface OpenAiChatProviderOptions extends HttpProviderOptions {
  /**
   * Everything before `/chat/completions`: `https://gateway.example/v1`. Required, so that where
   * code goes is always written down.
   */
  baseUrl: string;
  /** Read before every request (SEC-5). Left out for a gateway that asks for none. */
  apiKey?: CredentialName | undefined;
  /** How the key is sent: `Authorization: Bearer` (default), or `api-key`. */
  apiKeyHeader?: 'authorization' | 'api-key' | undefined;
  /** Role of the trusted text. Default `system`. */
  systemRole?: 'system' | 'developer' | undefined;
  /** Older compatible servers know `max_tokens` only. Default `max_completion_tokens`. */
  outputLimitField?: 'max_completion_tokens' | 'max_tokens' | undefined;
}

const optionShape: OptionShape<OpenAiChatProviderOptions> = {
  ...httpProviderShape,
  baseUrl: checkedElsewhere,
  apiKey: checkCredentialName,
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
 * `send` tries the key before this one when the current is answered 401 (dual-key overlap, SEC-5),
 * then a newer one if the source has got it meanwhile; if all are denied it throws `AUTH_DENIED`
 * with `parks`, as the source is a refresh path (INT-4, ruling R13). Vendors' switches are
 * `extraBody`: `{ store: false }`, `{ reasoning_effort: 'low' }`. Throws `TypeError` for bad options.
 */
export function createOpenAiChatProvider(options: OpenAiChatProviderOptions): HttpLlmProvider {
  const modes = checkProviderOptions(maker, options, optionShape);
  const { apiKey, apiKeyHeader: header = 'authorization', http, clock = systemClock } = options;
  const endpoint: OpenAiChatEndpoint = {
    model: options.model,
    systemRole: options.systemRole ?? 'system',
    outputLimitField: options.outputLimitField ?? 'max_completion_tokens',
  };
  return createHttpProvider(options, {
    maker,
    modes,
    protocol: openAiChatProtocol(endpoint, `${readBaseUrl(maker, options.baseUrl)}/chat/completions`),
    exchange: createKeyedExchange({ http, apiKey, header, clock }),
    hasCredential: apiKey !== undefined,
  });
}
