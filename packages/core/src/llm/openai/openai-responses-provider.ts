import type { OptionShape } from '../../foundation/check-options.js';
import { CriticizerError } from '../../foundation/errors.js';
import type { JsonObject } from '../../foundation/json.js';
import { oneOf, optional } from '../../foundation/option-checks.js';
import type { HttpResponse } from '../../http/http-client.js';
import type { ProtocolFields } from '../extra-body.js';
import {
  assembleReply,
  chooseTexts,
  type ReplyEnd,
  readUnknownStop,
  writeArguments,
} from '../http-provider/assemble-reply.js';
import {
  type AnswerContext,
  type HttpLlmProvider,
  type LlmProtocol,
  type PlainTurn,
  stateSchema,
} from '../http-provider/http-provider.js';
import { createKeyedProvider } from '../http-provider/keyed-provider.js';
import { readCode } from '../http-provider/provider-failures.js';
import {
  checkProviderOptions,
  type KeyedProviderOptions,
  keyedProviderShape,
  readBaseUrl,
} from '../http-provider/provider-options.js';
import { type Fields, fields, items, readReplyFields, text, tokens } from '../http-provider/read-json.js';
import type { LlmReply, LlmRequest } from '../llm-provider.js';
import { toStrictSchema } from '../response-schema.js';
import { readOpenAiRequestId } from './openai-chat-reply.js';
import { readOpenAiFailure } from './openai-failure.js';

/** Which model, at which endpoint, with which credential and limits. */
export interface OpenAiResponsesProviderOptions extends KeyedProviderOptions {
  /** How the key is sent: `Authorization: Bearer` (default), or `api-key`. */
  apiKeyHeader?: 'authorization' | 'api-key' | undefined;
}

const optionShape: OptionShape<OpenAiResponsesProviderOptions> = {
  ...keyedProviderShape,
  apiKeyHeader: optional(oneOf('authorization', 'api-key')),
};

/** Nothing may be stored, dropped from the input, answered later or joined to an earlier conversation. */
const bodyFields: ProtocolFields = {
  fields: new Set([
    'model',
    'instructions',
    'input',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'max_output_tokens',
    'store',
    'truncation',
    'stream',
    'stream_options',
    'background',
    'previous_response_id',
    'conversation',
    'prompt',
  ]),
  nested: { text: new Set(['format']) },
};

/** The vendor refuses a smaller limit. */
const leastOutputTokens = 16;

/** How the schema is enforced. The two weak modes know none, so the instructions state it. */
function structure(request: LlmRequest): { instructions: string; fields: JsonObject } {
  const { mode, schema, schemaName: name, system: instructions } = request;
  if (mode === 'json_schema')
    return {
      instructions,
      fields: { text: { format: { type: 'json_schema', name, strict: true, schema: toStrictSchema(schema) } } },
    };
  if (mode === 'tool')
    return {
      instructions,
      fields: {
        tools: [{ type: 'function', name, strict: true, parameters: toStrictSchema(schema) }],
        tool_choice: { type: 'function', name },
        parallel_tool_calls: false,
      },
    };
  return {
    instructions: stateSchema(request),
    fields: mode === 'json_object' ? { text: { format: { type: 'json_object' } } } : {},
  };
}

function buildBody(model: string, request: LlmRequest, turns: readonly PlainTurn[]): JsonObject {
  const { instructions, fields: structured } = structure(request);
  return {
    model,
    instructions,
    input: turns.map(({ role, text: content }) => ({ role, content })),
    ...structured,
    max_output_tokens: Math.max(leastOutputTokens, request.maxOutputTokens),
    store: false,
    truncation: 'disabled',
  };
}

/** Content that the vendor's policies stopped, in its own codes. */
const filterCodes: ReadonlySet<string> = new Set(['content_filter', 'bio_policy', 'misalignment_policy_violation']);

/** A 200 that says that the generation failed. */
function readFailed(error: Fields, { host }: AnswerContext, requestId: string | null): ReplyEnd {
  const code = readCode(error['code']);
  if (filterCodes.has(code)) return { stop: 'content_filtered', notes: [] };
  const details = { host, status: 200, requestId, code };
  if (code === 'rate_limit_exceeded')
    throw new CriticizerError('RATE_LIMITED', 'the model endpoint is at its limit', {
      category: 'rate_limit',
      details,
    });
  if (code === 'server_error')
    throw new CriticizerError('UPSTREAM_ERROR', 'the model endpoint failed', { category: 'upstream', details });
  throw new CriticizerError('HTTP_REJECTED', 'the model endpoint refused the request', {
    category: 'validation',
    details,
  });
}

function readEnd(reply: Fields, texts: readonly string[], context: AnswerContext, requestId: string | null): ReplyEnd {
  const reason = text(fields(reply['incomplete_details'])['reason']);
  switch (text(reply['status'])) {
    case 'completed':
      return { stop: 'complete', notes: [] };
    case 'incomplete':
      if (reason === 'max_output_tokens') return { stop: 'truncated_output', notes: [] };
      return { stop: reason === 'content_filter' ? 'content_filtered' : 'provider_error', notes: [] };
    case 'failed':
      return readFailed(fields(reply['error']), context, requestId);
    case 'cancelled':
    case 'queued':
    case 'in_progress':
      return { stop: 'provider_error', notes: [] };
    default:
      return readUnknownStop(texts);
  }
}

function readReply(response: HttpResponse, context: AnswerContext): LlmReply {
  const reply = readReplyFields(response, context);
  const output = items(reply['output']).map(fields);
  const parts = output.filter(({ type }) => type === 'message').map((one) => items(one['content']).map(fields));
  const texts = chooseTexts({
    calls: output.filter(({ type }) => type === 'function_call').map((call) => writeArguments(call['arguments'])),
    contents: parts.map((all) => all.map((part) => text(part['text'])).join('')),
  });
  const requestId = readOpenAiRequestId(response.headers);
  const usage = fields(reply['usage']);
  const rest = {
    usage: {
      inputTokens: tokens(usage['input_tokens']),
      outputTokens: tokens(usage['output_tokens']),
      cachedInputTokens: tokens(fields(usage['input_tokens_details'])['cached_tokens']),
      reasoningTokens: tokens(fields(usage['output_tokens_details'])['reasoning_tokens']),
    },
    requestId,
    providerStop:
      [reply['status'], fields(reply['incomplete_details'])['reason']].map(readCode).filter(Boolean).join(':') || null,
  };
  const refusal = parts
    .flat()
    .map((part) => text(part['refusal']))
    .join('');
  if (refusal !== '') return { stop: 'refused', text: refusal, ...rest };
  return assembleReply(texts, readEnd(reply, texts.texts, context, requestId), rest);
}

/** The protocol at this URL; Azure OpenAI speaks it at URLs of its own. */
export function openAiResponsesProtocol(model: string, url: string): LlmProtocol {
  return {
    url,
    bodyFields,
    buildBody: (request, turns) => buildBody(model, request, turns),
    readReply,
    readFailure: readOpenAiFailure,
  };
}

const maker = 'createOpenAiResponsesProvider';

/**
 * A provider that speaks OpenAI Responses. `baseUrl` is everything before `/responses`:
 * `https://api.openai.com/v1`. It always sends `store: false`, so that the vendor keeps no state, and
 * `truncation: 'disabled'`, so that it drops no input. Vendors' switches are `extraBody`:
 * `{ reasoning: { effort: 'low' } }`, `{ text: { verbosity: 'low' } }`. Throws `TypeError` for bad
 * options.
 */
export function createOpenAiResponsesProvider(options: OpenAiResponsesProviderOptions): HttpLlmProvider {
  const modes = checkProviderOptions(maker, options, optionShape);
  const { apiKeyHeader: header = 'authorization' } = options;
  return createKeyedProvider(options, {
    maker,
    modes,
    header,
    protocol: openAiResponsesProtocol(options.model, `${readBaseUrl(maker, options.baseUrl)}/responses`),
  });
}
