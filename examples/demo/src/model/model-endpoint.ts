// The model of a run: the rule-based stand-in on this machine, or the endpoint that the LLM_ settings name.
import type { Logger, SecurityEvents } from '@criticizer/core';
import { createHttpClient } from '@criticizer/core/http';
import { createLlmProvider, type LlmProvider, llmProtocols } from '@criticizer/core/llm';
import { isLoopbackHost } from '../settings/loopback.js';
import { secretIn } from '../settings/secret-file.js';
import { requirePartners, resolvePath, wholeNumber } from '../settings/settings-environment.js';
import { UsageError } from '../settings/usage-error.js';
import { modelName } from './model-server.js';

/** A model's endpoint. Survives JSON; the key stays in its file. */
export interface ModelEndpoint {
  /** Names the provider in policies, egress records and telemetry. */
  id: string;
  model: string;
  /** One of `llmProtocols`. */
  protocol: string;
  /** As the vendor's own client takes it. */
  baseUrl: string;
  /** A file of this user alone that holds the API key; absent: the endpoint needs none. */
  keyFile?: string | undefined;
  limits: { contextTokens: number; maxOutputTokens: number };
}

const defaultLimits = { contextTokens: 128_000, maxOutputTokens: 8_192 };

/** A name for each endpoint: stored replies are found again by it. */
function idOf(protocol: string, host: string): string {
  return `${protocol}.${host.toLowerCase().replace(/[^a-z0-9.-]+/g, '-')}`.slice(0, 64);
}

/** The stand-in that listens at this origin. */
export function standInModel(origin: string): ModelEndpoint {
  return { id: 'stand-in', model: modelName, protocol: 'openai-chat', baseUrl: `${origin}/v1`, limits: defaultLimits };
}

/** Null where no LLM_ setting is set. Throws `UsageError` that names the setting which is missing or wrong. */
export function readModelEndpoint(env: NodeJS.ProcessEnv): ModelEndpoint | null {
  const known = [
    'LLM_PROTOCOL',
    'LLM_BASE_URL',
    'LLM_MODEL',
    'LLM_KEY_FILE',
    'LLM_CONTEXT_TOKENS',
    'LLM_MAX_OUTPUT_TOKENS',
  ];
  const given = requirePartners(env, 'LLM_', known, ['LLM_PROTOCOL', 'LLM_BASE_URL', 'LLM_MODEL']);
  if (given === null) return null;
  const {
    LLM_PROTOCOL: protocol = '',
    LLM_BASE_URL: baseUrl = '',
    LLM_MODEL: model = '',
    LLM_KEY_FILE: keyFile,
  } = given;
  if (!llmProtocols.includes(protocol)) throw new UsageError(`LLM_PROTOCOL takes one of ${llmProtocols.join(', ')}.`);
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new UsageError(
      'LLM_BASE_URL takes an address such as https://llm.example.com/v1, without credentials, query or fragment.',
    );
  const isLocal = isLoopbackHost(url.hostname);
  if (url.protocol === 'http:' && !isLocal)
    throw new UsageError(
      'LLM_BASE_URL is plain http to another machine, which would carry key and code in the clear: use https.',
    );
  if (keyFile === undefined && !isLocal)
    throw new UsageError(
      'LLM_BASE_URL is set, and LLM_KEY_FILE is not: set it to a file of yours alone (0600) that holds the API key.',
    );
  const whole = (name: string, standard: number): number => {
    const text = given[name];
    return text === undefined ? standard : wholeNumber(text, name);
  };
  const contextTokens = whole('LLM_CONTEXT_TOKENS', defaultLimits.contextTokens);
  const maxOutputTokens = whole(
    'LLM_MAX_OUTPUT_TOKENS',
    Math.min(defaultLimits.maxOutputTokens, Math.ceil(contextTokens / 2)),
  );
  return {
    id: idOf(protocol, url.host),
    model,
    protocol,
    baseUrl,
    keyFile: keyFile === undefined ? undefined : resolvePath(keyFile, env),
    limits: { contextTokens, maxOutputTokens },
  };
}

/** The provider for it. Its origin is one that the caller named, so it may be a private address. */
export function createModelProvider(
  endpoint: ModelEndpoint,
  observers: { securityEvents: SecurityEvents; logger: Logger },
): LlmProvider {
  const { id, model, protocol, baseUrl, keyFile, limits } = endpoint;
  return createLlmProvider({
    protocol,
    id,
    model,
    baseUrl,
    limits,
    http: createHttpClient({ allowPrivateOrigins: [new URL(baseUrl).origin], ...observers }),
    apiKey: keyFile === undefined ? undefined : secretIn(keyFile),
  });
}
