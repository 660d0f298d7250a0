import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { partWith } from '../foundation/contract.js';
import { CriticizerError } from '../foundation/errors.js';
import { isSuccess } from '../foundation/http-failure.js';
import type { JsonObject } from '../foundation/json.js';
import {
  checkArray,
  checkedElsewhere,
  checkName,
  checkObject,
  nested,
  oneOf,
  optional,
  withMethods,
} from '../foundation/option-checks.js';
import type { Clock } from '../foundation/time/clock.js';
import { systemClock } from '../foundation/time/system-clock.js';
import type { HttpClient, HttpResponse } from '../http/http-client.js';
import { revealSecret, type Secret } from '../secrets/secret.js';
import type { SecretSource } from '../secrets/secret-source.js';
import { readExtraBody } from './extra-body.js';
import type { LlmProvider, LlmReply, LlmRequest, PreparedLlmRequest, StructuredMode } from './llm-provider.js';
import { modeLadder } from './mode-ladder.js';
import { readOpenAiFailure } from './openai-failure.js';
import { readOpenAiReply } from './openai-reply.js';
import { buildOpenAiRequest, type OpenAiEndpoint, protocolFields } from './openai-request.js';

/** Which model, at which endpoint, with which credential and limits. */
export interface OpenAiProviderOptions {
  /** Names the provider in policies, records and telemetry: `[a-z0-9][a-z0-9_.-]*`, at most 64. */
  id: string;
  model: string;
  /**
   * Everything before `/chat/completions`: `https://gateway.example/v1`. Required, so that where
   * code goes is always written down.
   */
  baseUrl: string;
  http: HttpClient;
  /** Read before every request (SEC-5). Left out for a gateway that asks for none. */
  apiKey?: { source: SecretSource; name: string } | undefined;
  /** How the key is sent: `Authorization: Bearer` (default), or `api-key` as Azure OpenAI wants it. */
  apiKeyHeader?: 'authorization' | 'api-key' | undefined;
  limits: { contextTokens: number; maxOutputTokens: number };
  /** What this endpoint can do. Default all four. */
  modes?: readonly StructuredMode[] | undefined;
  /** Role of the trusted text. Default `system`. */
  systemRole?: 'system' | 'developer' | undefined;
  /** Older compatible servers know `max_tokens` only. Default `max_completion_tokens`. */
  outputLimitField?: 'max_completion_tokens' | 'max_tokens' | undefined;
  /**
   * The vendor's switches, added to every body: `{ store: false }`, `{ reasoning_effort: 'low' }`. A
   * field that the protocol sets itself, and one that names a credential, is a `TypeError`. Dry runs
   * show it, the guard scans it, and a reply to a request with other switches is not used again.
   */
  extraBody?: JsonObject | undefined;
  clock?: Pick<Clock, 'nowMs' | 'monotonicMs'> | undefined;
}

const optionShape: OptionShape<OpenAiProviderOptions> = {
  id: checkedElsewhere,
  model: checkedElsewhere,
  baseUrl: checkedElsewhere,
  http: withMethods('exchange'),
  apiKey: optional(nested<NonNullable<OpenAiProviderOptions['apiKey']>>({ source: partWith('read'), name: checkName })),
  apiKeyHeader: optional(oneOf('authorization', 'api-key')),
  limits: nested<OpenAiProviderOptions['limits']>({
    contextTokens: checkedElsewhere,
    maxOutputTokens: checkedElsewhere,
  }),
  modes: optional(checkArray),
  systemRole: optional(oneOf('system', 'developer')),
  outputLimitField: optional(oneOf('max_completion_tokens', 'max_tokens')),
  extraBody: optional(checkObject),
  clock: optional(withMethods('nowMs', 'monotonicMs')),
};

const headerToken = /^[\x21-\x7e]+$/;

function endpointOf(options: OpenAiProviderOptions): OpenAiEndpoint {
  const url = URL.canParse(options.baseUrl) ? new URL(options.baseUrl) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new TypeError('createOpenAiProvider: baseUrl expects an http(s) URL without credentials, query or fragment');
  return {
    model: options.model,
    url: `${url.origin}${url.pathname.replace(/\/+$/, '')}/chat/completions`,
    systemRole: options.systemRole ?? 'system',
    outputLimitField: options.outputLimitField ?? 'max_completion_tokens',
    extraBody: readExtraBody('createOpenAiProvider: extraBody', options.extraBody ?? {}, protocolFields),
  };
}

function checkProviderOptions(options: OpenAiProviderOptions): readonly StructuredMode[] {
  checkOptions('createOpenAiProvider', options, optionShape);
  const { id, model, limits } = options;
  const fail = (option: string, expected: string): never => {
    throw new TypeError(`createOpenAiProvider: ${option} expects ${expected}`);
  };
  if (!/^[a-z0-9][a-z0-9_.-]{0,63}$/.test(id))
    fail('id', 'lower-case letters, digits, dots, dashes and underscores, at most 64');
  if (typeof model !== 'string' || model.trim() === '') fail('model', 'the name of a model');
  for (const name of ['contextTokens', 'maxOutputTokens'] as const)
    if (!Number.isSafeInteger(limits[name]) || limits[name] < 1) fail(`limits.${name}`, 'a positive whole number');
  const modes = options.modes ?? modeLadder;
  if (modes.length === 0 || modes.some((mode) => !modeLadder.includes(mode)))
    fail('modes', `some of ${modeLadder.join(', ')}`);
  return modeLadder.filter((mode) => modes.includes(mode));
}

/** What `createOpenAiProvider` gives: it needs nothing to prepare a request, so it prepares at once. */
export interface OpenAiProvider extends LlmProvider {
  prepare(request: LlmRequest): PreparedLlmRequest;
}

/** The credential is joined to the request here, for the length of one call (SEC-4). */
function withCredential(
  prepared: PreparedLlmRequest,
  header: 'authorization' | 'api-key',
  secret: Secret | null,
): Record<string, string> {
  if (secret === null) return { ...prepared.headers };
  const value = revealSecret(secret);
  if (!headerToken.test(value))
    throw new CriticizerError('SECRET_REJECTED', 'the API key holds characters that no header can carry', {
      category: 'auth',
      parks: true,
      details: { reason: 'characters' },
    });
  return { ...prepared.headers, [header]: header === 'authorization' ? `Bearer ${value}` : value };
}

/**
 * A provider that speaks Chat Completions: OpenAI, Azure OpenAI (v1), and the gateways and servers
 * compatible with them. `send` tries the key before this one when the current is answered 401
 * (dual-key overlap, SEC-5), then a newer one if the source has got it meanwhile; if all are denied
 * it throws `AUTH_DENIED` with `parks`, as the source is a refresh path (INT-4, ruling R13). Throws
 * `TypeError` for bad options.
 */
export function createOpenAiProvider(options: OpenAiProviderOptions): OpenAiProvider {
  const modes = checkProviderOptions(options);
  const endpoint = endpointOf(options);
  const clock = options.clock ?? systemClock;
  const { apiKey, http } = options;
  const host = new URL(endpoint.url).host;

  const exchange = async (
    prepared: PreparedLlmRequest,
    secret: Secret | null,
    signal: AbortSignal,
    endsAt: number,
  ): Promise<HttpResponse> => {
    const timeoutMs = Math.max(1, Math.floor(endsAt - clock.monotonicMs()));
    const headers = withCredential(prepared, options.apiKeyHeader ?? 'authorization', secret);
    return http.exchange(
      { method: prepared.method, url: prepared.url, headers, body: prepared.body },
      { signal, timeoutMs },
    );
  };

  const exchangeWithKeys = async (
    prepared: PreparedLlmRequest,
    signal: AbortSignal,
    endsAt: number,
  ): Promise<HttpResponse> => {
    if (apiKey === undefined) return exchange(prepared, null, signal, endsAt);
    const tried = new Set<string>();
    const first = await apiKey.source.read(apiKey.name, { signal });
    tried.add(first.current.version);
    let response = await exchange(prepared, first.current.secret, signal, endsAt);
    if (response.status === 401 && first.previous !== undefined && !tried.has(first.previous.version)) {
      tried.add(first.previous.version);
      response = await exchange(prepared, first.previous.secret, signal, endsAt);
    }
    if (response.status !== 401) return response;
    const { current } = await apiKey.source.read(apiKey.name, { signal });
    return tried.has(current.version) ? response : exchange(prepared, current.secret, signal, endsAt);
  };

  return {
    contract: 1,
    id: options.id,
    model: options.model,
    limits: { ...options.limits },
    modes,
    extraBody: endpoint.extraBody,
    prepare(request: LlmRequest) {
      if (!modes.includes(request.mode)) throw new TypeError(`prepare: mode expects one of ${modes.join(', ')}`);
      const most = options.limits.maxOutputTokens;
      if (
        !Number.isSafeInteger(request.maxOutputTokens) ||
        request.maxOutputTokens < 1 ||
        request.maxOutputTokens > most
      )
        throw new TypeError(`prepare: maxOutputTokens expects a whole number from 1 to ${most}`);
      return buildOpenAiRequest(endpoint, request);
    },
    async send(prepared, { signal, timeoutMs }): Promise<LlmReply> {
      // A prepared request of another provider must not carry this one's key elsewhere.
      if (prepared.url !== endpoint.url) throw new TypeError('send: expected a request prepared by this provider');
      const response = await exchangeWithKeys(prepared, signal, clock.monotonicMs() + timeoutMs);
      if (isSuccess(response.status)) return readOpenAiReply(response, { host });
      if (response.status === 401 && apiKey !== undefined)
        throw new CriticizerError('AUTH_DENIED', 'the model endpoint denied the API key', {
          category: 'auth',
          parks: true,
          details: { status: 401, host },
        });
      return readOpenAiFailure(response, { host, nowMs: clock.nowMs() });
    },
  };
}
