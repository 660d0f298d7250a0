import type { OptionShape } from '../../foundation/check-options.js';
import type { JsonObject } from '../../foundation/json.js';
import { checkName, oneOf, optional } from '../../foundation/option-checks.js';
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
import type { LlmReply, LlmRequest, LlmUsage, StopState, StructuredMode } from '../llm-provider.js';
import { toOptionalSchema } from '../response-schema.js';

/** Which model, at which endpoint, with which credential and limits. */
export interface AnthropicProviderOptions extends KeyedProviderOptions {
  /** How the key is sent: `Authorization: Bearer` (default), or `x-api-key` for gateways that know no other. */
  apiKeyHeader?: 'authorization' | 'x-api-key' | undefined;
  /** The header `anthropic-version`. Default `2026-10-21`; gateways may know `2023-06-01` only. */
  version?: string | undefined;
}

const optionShape: OptionShape<AnthropicProviderOptions> = {
  ...keyedProviderShape,
  apiKeyHeader: optional(oneOf('authorization', 'x-api-key')),
  version: optional(checkName),
};

const knownModes: readonly StructuredMode[] = ['json_schema', 'tool', 'prompt'];

const bodyFields: ProtocolFields = {
  fields: new Set(['model', 'max_tokens', 'system', 'messages', 'tools', 'tool_choice', 'stream', 'stop_sequences']),
  nested: { output_config: new Set(['format']) },
};

const stops: Readonly<Record<string, StopState>> = {
  end_turn: 'complete',
  tool_use: 'complete',
  max_tokens: 'truncated_output',
  model_context_window_exceeded: 'context_overflow',
  refusal: 'refused',
  // The vendor wants the turn sent back to go on: a part only.
  pause_turn: 'provider_error',
};

/** Spent money, in the vendor's words; a 429 for it has no delay that would help. */
const quotaCodes: ReadonlySet<string> = new Set([
  'enforced_spend_limit_reached',
  'contract_spend_limit_reached',
  'credit_balance_too_low',
]);

/** How the schema is enforced. The mode `prompt` knows none, so the system text states it. */
function structure(request: LlmRequest): { system: string; fields: JsonObject } {
  const { mode, schemaName: name, system } = request;
  if (mode === 'prompt') return { system: stateSchema(request), fields: {} };
  const schema = toOptionalSchema(request.schema);
  if (mode === 'json_schema') return { system, fields: { output_config: { format: { type: 'json_schema', schema } } } };
  return {
    system,
    fields: {
      tools: [{ name, strict: true, input_schema: schema }],
      tool_choice: { type: 'tool', name, disable_parallel_tool_use: true },
    },
  };
}

function buildBody(model: string, request: LlmRequest, turns: readonly PlainTurn[]): JsonObject {
  const { system, fields: structured } = structure(request);
  return {
    model,
    max_tokens: request.maxOutputTokens,
    system,
    messages: turns.map(({ role, text: content }) => ({ role, content })),
    ...structured,
  };
}

/** `input_tokens` leaves out what the vendor's cache took or gave. */
function readUsage(usage: Fields): LlmUsage {
  const cached = tokens(usage['cache_read_input_tokens']);
  return {
    inputTokens: sumTokens(tokens(usage['input_tokens']), tokens(usage['cache_creation_input_tokens']), cached),
    outputTokens: tokens(usage['output_tokens']),
    cachedInputTokens: cached,
    reasoningTokens: tokens(fields(usage['output_tokens_details'])['thinking_tokens']),
  };
}

function requestIdOf(response: HttpResponse, body: Fields): string | null {
  const { headers } = response;
  return readRequestId(headers['request-id'] ?? headers['x-request-id'] ?? body['request_id']);
}

function readReply(response: HttpResponse, context: AnswerContext): LlmReply {
  const reply = readReplyFields(response, context);
  const parts = items(reply['content']).map(fields);
  const texts = chooseTexts({
    calls: parts.filter(({ type }) => type === 'tool_use').map(({ input }) => writeArguments(input)),
    contents: [parts.map((part) => (part['type'] === 'text' ? text(part['text']) : '')).join('')],
  });
  const reason = text(reply['stop_reason']);
  return assembleReply(texts, readStop(stops, reason, texts.texts), {
    usage: readUsage(fields(reply['usage'])),
    requestId: requestIdOf(response, reply),
    providerStop: reason.slice(0, 100) || null,
  });
}

/** Reads the vendor's `{type: 'error', error: {type, message, details}}`; messages are read and dropped. */
export function readAnthropicFailure(response: HttpResponse, context: AnswerContext): LlmReply {
  const { status } = response;
  const body = fields(parseBody(response.body));
  const error = fields(body['error']);
  const [type, code] = [readCode(error['type']), readCode(fields(error['details'])['error_code'])];
  const message = text(error['message']).slice(0, 2_000);
  const requestId = requestIdOf(response, body);
  if (status === 413 || (status === 400 && isOverflowMessage(message)))
    return stoppedReply('context_overflow', requestId, type || null);
  const details: JsonObject = { status, host: context.host, requestId, type, code };
  if (status === 402 || type === 'billing_error' || quotaCodes.has(code)) throw quotaExhausted(details);
  if (status === 400 && isSchemaMessage(message)) throw schemaRefused(details);
  if (status === 404 && type === 'not_found_error' && /\bmodel\b/.test(message)) throw modelNotFound(details);
  throw statusFailure(response, context, details, { isFinal: response.headers['x-should-retry'] === 'false' });
}

const maker = 'createAnthropicProvider';

/**
 * A provider that speaks Anthropic Messages. `baseUrl` is everything before `/v1/messages`:
 * `https://api.anthropic.com`. It sends no sampling parameter: version `2026-10-21` refuses them at
 * any value. Vendors' switches are `extraBody`: `{ thinking: { type: 'adaptive' } }`,
 * `{ output_config: { effort: 'low' } }`. Throws `TypeError` for bad options.
 */
export function createAnthropicProvider(options: AnthropicProviderOptions): HttpLlmProvider {
  const modes = checkProviderOptions(maker, options, optionShape, knownModes);
  const { apiKeyHeader: header = 'authorization' } = options;
  return createKeyedProvider(options, {
    maker,
    modes,
    header,
    protocol: {
      url: `${readBaseUrl(maker, options.baseUrl)}/v1/messages`,
      headers: { 'anthropic-version': options.version ?? '2026-10-21' },
      bodyFields,
      buildBody: (request, turns) => buildBody(options.model, request, turns),
      readReply,
      readFailure: readAnthropicFailure,
    },
  });
}
