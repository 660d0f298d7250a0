import type { OptionShape } from '../../foundation/check-options.js';
import type { JsonObject } from '../../foundation/json.js';
import { oneOf, optional } from '../../foundation/option-checks.js';
import type { HttpResponse } from '../../http/http-client.js';
import type { ProtocolFields } from '../extra-body.js';
import { assembleReply, chooseTexts, readStop, writeArguments } from '../http-provider/assemble-reply.js';
import {
  type AnswerContext,
  type HttpLlmProvider,
  type PlainTurn,
  stateSchema,
} from '../http-provider/http-provider.js';
import { createKeyedProvider } from '../http-provider/keyed-provider.js';
import {
  isOverflowMessage,
  isSchemaMessage,
  modelNotFound,
  quotaExhausted,
  readCode,
  schemaRefused,
  statusFailure,
  stoppedReply,
} from '../http-provider/provider-failures.js';
import {
  checkProviderOptions,
  type KeyedProviderOptions,
  keyedProviderShape,
  readBaseUrl,
} from '../http-provider/provider-options.js';
import {
  type Fields,
  fields,
  items,
  parseBody,
  readReplyFields,
  readRequestId,
  sumTokens,
  text,
  tokens,
} from '../http-provider/read-json.js';
import type { LlmReply, LlmRequest, LlmUsage, StopState } from '../llm-provider.js';
import { modeLadder } from '../mode-ladder.js';
import { toOptionalSchema } from '../response-schema.js';

/** Which model, at which endpoint, with which credential and limits. */
export interface GeminiProviderOptions extends KeyedProviderOptions {
  /** How the key is sent: `x-goog-api-key` (default), or `Authorization: Bearer`. */
  apiKeyHeader?: 'x-goog-api-key' | 'authorization' | undefined;
  /** Default `v1`. */
  apiVersion?: 'v1' | 'v1beta' | undefined;
  /**
   * `off` (default) sends `store: false`, since paid projects keep prompts up to 55 days otherwise.
   * `unset` leaves the field out, for gateways that refuse it.
   */
  store?: 'off' | 'unset' | undefined;
}

const optionShape: OptionShape<GeminiProviderOptions> = {
  ...keyedProviderShape,
  apiKeyHeader: optional(oneOf('x-goog-api-key', 'authorization')),
  apiVersion: optional(oneOf('v1', 'v1beta')),
  store: optional(oneOf('off', 'unset')),
};

const bodyFields: ProtocolFields = {
  fields: new Set(['contents', 'systemInstruction', 'tools', 'toolConfig', 'store', 'cachedContent']),
  nested: {
    generationConfig: new Set([
      'maxOutputTokens',
      'responseMimeType',
      'responseJsonSchema',
      'responseSchema',
      'responseFormat',
      'candidateCount',
      'stopSequences',
    ]),
  },
};

const filtered =
  'SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY MODEL_ARMOR ESCALATION PUP_LIMITED_DISABLED';
const failed =
  'OTHER MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS MISSING_THOUGHT_SIGNATURE MALFORMED_RESPONSE';
const rowsOf = (reasons: string, stop: StopState): Readonly<Record<string, StopState>> =>
  Object.fromEntries(reasons.split(' ').map((reason) => [reason, stop]));
const stops: Readonly<Record<string, StopState>> = {
  STOP: 'complete',
  MAX_TOKENS: 'truncated_output',
  // A part only: the vendor's client would ask for the rest.
  CONTINUATION: 'truncated_output',
  ...rowsOf(filtered, 'content_filtered'),
  ...rowsOf(failed, 'provider_error'),
};

/** How the schema is enforced. The two weak modes know none, so the system text states it. */
function structure(request: LlmRequest): { system: string; generation: JsonObject; fields: JsonObject } {
  const { mode, schemaName: name, system } = request;
  const json = { responseMimeType: 'application/json' };
  if (mode === 'prompt') return { system: stateSchema(request), generation: {}, fields: {} };
  if (mode === 'json_object') return { system: stateSchema(request), generation: json, fields: {} };
  const schema = toOptionalSchema(request.schema);
  if (mode === 'json_schema') return { system, generation: { ...json, responseJsonSchema: schema }, fields: {} };
  return {
    system,
    generation: {},
    fields: {
      tools: [{ functionDeclarations: [{ name, parametersJsonSchema: schema }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [name] } },
    },
  };
}

function buildBody(store: 'off' | 'unset', request: LlmRequest, turns: readonly PlainTurn[]): JsonObject {
  const { system, generation, fields: structured } = structure(request);
  return {
    systemInstruction: { parts: [{ text: system }] },
    contents: turns.map((turn) => ({
      role: turn.role === 'assistant' ? 'model' : 'user',
      parts: [{ text: turn.text }],
    })),
    ...structured,
    generationConfig: { maxOutputTokens: request.maxOutputTokens, ...generation },
    ...(store === 'off' ? { store: false } : {}),
  };
}

/** The vendor counts thoughts apart from the candidates' tokens. */
function readUsage(usage: Fields): LlmUsage {
  const thoughts = tokens(usage['thoughtsTokenCount']);
  return {
    inputTokens: tokens(usage['promptTokenCount']),
    outputTokens: sumTokens(tokens(usage['candidatesTokenCount']), thoughts),
    cachedInputTokens: tokens(usage['cachedContentTokenCount']),
    reasoningTokens: thoughts,
  };
}

function readReply(response: HttpResponse, context: AnswerContext): LlmReply {
  const reply = readReplyFields(response, context);
  const rest = {
    usage: readUsage(fields(reply['usageMetadata'])),
    requestId: readRequestId(reply['responseId']),
  };
  const candidates = items(reply['candidates']).map(fields);
  const blocked = readCode(fields(reply['promptFeedback'])['blockReason']);
  if (candidates.length === 0) {
    if (blocked !== '') return { stop: 'content_filtered', text: '', providerStop: blocked, ...rest };
    const stop = Array.isArray(reply['candidates']) ? 'empty' : 'provider_error';
    return { stop, text: '', providerStop: null, ...rest };
  }
  const parts = candidates.map((one) => items(fields(one['content'])['parts']).map(fields));
  const texts = chooseTexts({
    calls: parts.flat().map((part) => writeArguments(fields(part['functionCall'])['args'])),
    contents: parts.map((all) => all.map((part) => (part['thought'] === true ? '' : text(part['text']))).join('')),
  });
  const reasons = candidates.map((one) => text(one['finishReason']));
  const ends = reasons.map((reason) => readStop(stops, reason, texts.texts));
  const stop = ends.map((end) => end.stop).find((one) => one !== 'complete') ?? 'complete';
  return assembleReply(
    texts,
    { stop, notes: ends.flatMap((end) => end.notes ?? []) },
    { ...rest, providerStop: reasons[0]?.slice(0, 100) || null },
  );
}

/** What the vendor says about a failure: `details` is a list of typed objects. */
interface Complaint {
  status: string;
  message: string;
  reason: string;
  isDailyQuota: boolean;
  retryAfterMs: number | undefined;
}

function readComplaint(body: Uint8Array): Complaint {
  const parsed = parseBody(body);
  const error = fields(fields(Array.isArray(parsed) ? parsed[0] : parsed)['error']);
  const details = items(error['details']).map(fields);
  const ofType = (type: string): Fields => details.find((one) => text(one['@type']).endsWith(type)) ?? {};
  const delay = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(text(ofType('google.rpc.RetryInfo')['retryDelay']));
  const quotas = items(ofType('google.rpc.QuotaFailure')['violations']).map((one) => text(fields(one)['quotaId']));
  return {
    status: readCode(error['status']),
    message: text(error['message']).slice(0, 2_000),
    reason: readCode(ofType('google.rpc.ErrorInfo')['reason']),
    isDailyQuota: quotas.some((quota) => /PerDay/.test(quota)),
    retryAfterMs: delay === null ? undefined : Math.ceil(Number(delay[1]) * 1_000),
  };
}

/** The vendor answers a bad key with 400. */
export function isGeminiDenied(response: HttpResponse): boolean {
  return (
    response.status === 401 || (response.status === 400 && readComplaint(response.body).reason === 'API_KEY_INVALID')
  );
}

/** What an answer that is no success means; the vendor's messages are read and dropped. */
export function readGeminiFailure(response: HttpResponse, context: AnswerContext): LlmReply {
  const { status } = response;
  const complaint = readComplaint(response.body);
  const { message, retryAfterMs } = complaint;
  if (status === 413 || (status === 400 && isOverflowMessage(message)))
    return stoppedReply('context_overflow', null, complaint.status || null);
  const details: JsonObject = { status, host: context.host, code: complaint.status, reason: complaint.reason };
  if (status === 402 || (status === 429 && complaint.isDailyQuota)) throw quotaExhausted(details);
  if (status === 400 && isSchemaMessage(message)) throw schemaRefused(details);
  if (status === 404) throw modelNotFound(details);
  throw statusFailure(response, context, details, { retryAfterMs });
}

const maker = 'createGeminiProvider';

/** The base URL with the API version: the option's, the one that the URL ends with, or `v1`. */
function readVersionedUrl({ baseUrl, apiVersion }: GeminiProviderOptions): string {
  const base = readBaseUrl(maker, baseUrl);
  return apiVersion === undefined && /\/v1(beta)?$/.test(base) ? base : `${base}/${apiVersion ?? 'v1'}`;
}

/**
 * A provider that speaks Gemini's `generateContent`. `baseUrl` is
 * `https://generativelanguage.googleapis.com`, with or without the API version at its end. It sends
 * `store: false` by default. Vendors' switches are `extraBody`: `{ safetySettings: [...] }`,
 * `{ generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } }`. Throws `TypeError` for bad
 * options.
 */
export function createGeminiProvider(options: GeminiProviderOptions): HttpLlmProvider {
  const modes = checkProviderOptions(maker, options, optionShape, modeLadder);
  const { apiKeyHeader: header = 'x-goog-api-key', store = 'off' } = options;
  const model = encodeURIComponent(options.model.replace(/^models\//, ''));
  return createKeyedProvider(options, {
    maker,
    modes,
    header,
    protocol: {
      url: `${readVersionedUrl(options)}/models/${model}:generateContent`,
      bodyFields,
      buildBody: (request, turns) => buildBody(store, request, turns),
      readReply,
      isDenied: isGeminiDenied,
      readFailure: readGeminiFailure,
    },
  });
}
