import type { JsonObject } from '../../foundation/json.js';
import type { HttpResponse } from '../../http/http-client.js';
import type { ProtocolFields } from '../extra-body.js';
import { assembleReply, chooseTexts, readStop } from '../http-provider/assemble-reply.js';
import {
  type AnswerContext,
  type HttpLlmProvider,
  type PlainTurn,
  stateSchema,
} from '../http-provider/http-provider.js';
import { createKeyedProvider } from '../http-provider/keyed-provider.js';
import { modelNotFound } from '../http-provider/provider-failures.js';
import {
  checkProviderOptions,
  type KeyedProviderOptions,
  keyedProviderShape,
  readBaseUrl,
} from '../http-provider/provider-options.js';
import { fields, parseBody, readReplyFields, text, tokens } from '../http-provider/read-json.js';
import type { LlmReply, LlmRequest, StopState, StructuredMode } from '../llm-provider.js';
import { readOpenAiFailure } from '../openai/openai-failure.js';
import { toOptionalSchema } from '../response-schema.js';

/** Which model, at which server, with which limits. */
export type OllamaProviderOptions = KeyedProviderOptions;

const knownModes: readonly StructuredMode[] = ['json_schema', 'json_object', 'prompt'];

const bodyFields: ProtocolFields = {
  fields: new Set(['model', 'messages', 'tools', 'format', 'stream', 'truncate', 'shift']),
  nested: { options: new Set(['num_ctx', 'num_predict']) },
};

const stops: Readonly<Record<string, StopState>> = {
  stop: 'complete',
  length: 'truncated_output',
  // The server loaded the model and wrote nothing.
  load: 'empty',
};

function formatOf({ mode, schema }: LlmRequest): JsonObject {
  if (mode === 'json_schema') return { format: toOptionalSchema(schema) };
  return mode === 'json_object' ? { format: 'json' } : {};
}

function buildBody(
  { model, limits }: OllamaProviderOptions,
  request: LlmRequest,
  turns: readonly PlainTurn[],
): JsonObject {
  const system = request.mode === 'json_schema' ? request.system : stateSchema(request);
  return {
    model,
    messages: [{ role: 'system', content: system }, ...turns.map((turn) => ({ role: turn.role, content: turn.text }))],
    ...formatOf(request),
    options: { num_ctx: limits.contextTokens, num_predict: request.maxOutputTokens },
    stream: false,
    truncate: false,
    shift: false,
  };
}

/**
 * Servers that do not know `truncate: false` cut a long prompt and answer 200: what they read then
 * fills the window.
 */
function readReply(response: HttpResponse, context: AnswerContext, contextTokens: number): LlmReply {
  const reply = readReplyFields(response, context);
  const message = fields(reply['message']);
  const texts = chooseTexts({ calls: [], contents: [text(message['content'])] });
  const inputTokens = tokens(reply['prompt_eval_count']);
  const reason = reply['done'] === false ? '' : text(reply['done_reason']);
  const isCut = inputTokens !== null && inputTokens >= contextTokens;
  return assembleReply(texts, isCut ? { stop: 'context_overflow' } : readStop(stops, reason, texts.texts), {
    usage: { inputTokens, outputTokens: tokens(reply['eval_count']), cachedInputTokens: null, reasoningTokens: null },
    requestId: null,
    providerStop: reason.slice(0, 100) || null,
  });
}

/** The server's `{error: "text"}`, in which the text may be the engine's own error as JSON. */
function readFailure(response: HttpResponse, context: AnswerContext): LlmReply {
  const message = text(fields(parseBody(response.body))['error']);
  if (response.status === 404 && /\bmodel\b.*\bnot found\b/.test(message))
    throw modelNotFound({ status: 404, host: context.host });
  return readOpenAiFailure(response, context);
}

const maker = 'createOllamaProvider';

/**
 * A provider that speaks Ollama's own protocol. `baseUrl` is everything before `/api/chat`:
 * `http://127.0.0.1:11434`; `apiKey` is for a server behind a proxy that asks for one. It sets
 * `num_ctx` to `limits.contextTokens`, as the server's default window is small, and
 * `truncate: false`, so that a prompt over the window is refused and not cut. Vendors' switches are
 * `extraBody`: `{ think: false }`, `{ keep_alive: '10m' }`, `{ options: { temperature: 0 } }`.
 * Throws `TypeError` for bad options.
 */
export function createOllamaProvider(options: OllamaProviderOptions): HttpLlmProvider {
  const modes = checkProviderOptions(maker, options, keyedProviderShape, knownModes);
  return createKeyedProvider(options, {
    maker,
    modes,
    header: 'authorization',
    protocol: {
      url: `${readBaseUrl(maker, options.baseUrl)}/api/chat`,
      bodyFields,
      buildBody: (request, turns) => buildBody(options, request, turns),
      readReply: (response, context) => readReply(response, context, options.limits.contextTokens),
      readFailure,
    },
  });
}
