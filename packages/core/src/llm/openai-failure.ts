import { CriticizerError } from '../foundation/errors.js';
import { httpFailure } from '../foundation/http-failure.js';
import type { JsonObject } from '../foundation/json.js';
import type { HttpResponse } from '../http/http-client.js';
import { type LlmReply, noUsage, type StopState } from './llm-provider.js';
import { parseBody, requestIdOf } from './openai-reply.js';

interface Complaint {
  code: string;
  type: string;
  param: string;
  innerCode: string;
  /** Looked at and dropped: it may quote the prompt. */
  message: string;
}

const word = /^[\w.[\]-]{1,100}$/;
const quotaCodes: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'credit_balance_exhausted',
  'billing_hard_limit_reached',
  'billing_not_active',
]);
const overflowCodes: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'string_above_max_length',
  'exceed_context_size_error',
]);
const filterCodes: ReadonlySet<string> = new Set([
  'content_filter',
  'content_policy_violation',
  'ResponsibleAIPolicyViolation',
]);
const schemaCodes: ReadonlySet<string> = new Set(['invalid_json_schema', 'invalid_function_parameters']);
const schemaParam = /^(response_format|text\.format|tools|tool_choice|parallel_tool_calls|json_schema)\b/;
// Compatible servers and gateways (vLLM, llama.cpp, TGI, LM Studio, Bedrock, xAI) give the case in words alone.
const overflowMessage = new RegExp(
  [
    'maximum (context|prompt|model) length',
    'maximum number of tokens allowed',
    'context (window|length|size)\\b.*exceed',
    'exceeds? the (available )?context',
    'exceed context limit',
    'longer than the maximum',
    'too many (total text bytes|tokens)',
    '(input|prompt|request) is too (long|large)',
    'reduce the length of',
    'max_new_tokens. must be <=',
    'context the overflows',
  ].join('|'),
  'i',
);
const schemaMessage = /response_format|json_schema|json schema|compiled grammar|parse grammar|structured output/i;

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function complaintOf(body: Uint8Array): Complaint {
  const parsed = parseBody(body);
  const given = field(parsed, 'error') ?? parsed;
  // Ollama gives the engine's own error object as JSON text.
  const inner = typeof given === 'string' ? parseBody(Buffer.from(given)) : undefined;
  const error = inner === undefined ? given : (field(inner, 'error') ?? inner);
  const short = (value: unknown): string => (typeof value === 'string' && word.test(value) ? value : '');
  const message = typeof error === 'string' ? error : (field(error, 'message') ?? field(error, 'Message'));
  return {
    code: short(field(error, 'code')),
    type: short(field(error, 'type')),
    param: short(field(error, 'param')),
    innerCode: short(field(field(error, 'innererror'), 'code')),
    message: typeof message === 'string' ? message.slice(0, 2_000) : '',
  };
}

function named(complaint: Complaint, codes: ReadonlySet<string>): boolean {
  return codes.has(complaint.code) || codes.has(complaint.type) || codes.has(complaint.innerCode);
}

/** Some rejections are outcomes, not failures: the prompt is too long, or the content was filtered. */
function stopOf(status: number, complaint: Complaint): StopState | undefined {
  if (status !== 400 && status !== 413 && status !== 422) return undefined;
  if (named(complaint, filterCodes)) return 'content_filtered';
  if (status === 413 || named(complaint, overflowCodes) || overflowMessage.test(complaint.message))
    return 'context_overflow';
  return undefined;
}

function isSchemaRefusal(status: number, complaint: Complaint): boolean {
  if (status !== 400 && status !== 422) return false;
  return named(complaint, schemaCodes) || schemaParam.test(complaint.param) || schemaMessage.test(complaint.message);
}

/**
 * What an answer that is no success means: a reply with a stop state, or a thrown
 * `CriticizerError`. `LLM_QUOTA_EXHAUSTED` (policy, not retried: a person must pay),
 * `LLM_SCHEMA_REFUSED` (validation; the caller goes down the mode ladder), `LLM_MODEL_NOT_FOUND`,
 * else the status table's. The vendor's `x-should-retry: false` makes a retryable status final.
 * Messages and bodies are read and dropped: they may quote the prompt.
 */
export function readOpenAiFailure(response: HttpResponse, context: { host: string; nowMs: number }): LlmReply {
  const { status, headers } = response;
  const complaint = complaintOf(response.body);
  const requestId = requestIdOf(headers);
  const stop = stopOf(status, complaint);
  if (stop !== undefined)
    return {
      stop,
      text: '',
      usage: noUsage,
      requestId,
      providerStop: complaint.code || complaint.type || null,
    };

  const details: JsonObject = {
    status,
    host: context.host,
    requestId,
    code: complaint.code,
    type: complaint.type,
    param: complaint.param,
  };
  if (status === 402 || (status === 429 && named(complaint, quotaCodes)))
    throw new CriticizerError('LLM_QUOTA_EXHAUSTED', 'the account of the model provider has no quota left', {
      category: 'policy',
      details,
    });
  if (isSchemaRefusal(status, complaint))
    throw new CriticizerError('LLM_SCHEMA_REFUSED', 'the model endpoint refused the response schema', {
      category: 'validation',
      details,
    });
  if (status === 404 && complaint.code === 'model_not_found')
    throw new CriticizerError('LLM_MODEL_NOT_FOUND', 'the model endpoint has no such model', {
      category: 'not_found',
      details,
    });

  const plain = httpFailure(response, context);
  const final = headers['x-should-retry'] === 'false';
  throw new CriticizerError(plain.code, plain.message, {
    category: final && status >= 400 && status !== 401 ? finalCategory(plain) : plain.category,
    retryAfterMs: plain.retryAfterMs,
    details,
  });
}

function finalCategory(error: CriticizerError): CriticizerError['category'] {
  const retryable =
    error.category === 'network' ||
    error.category === 'rate_limit' ||
    error.category === 'upstream' ||
    error.category === 'conflict';
  return retryable ? 'policy' : error.category;
}
