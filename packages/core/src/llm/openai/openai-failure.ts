import type { JsonObject } from '../../foundation/json.js';
import type { HttpResponse } from '../../http/http-client.js';
import type { AnswerContext } from '../http-provider/http-provider.js';
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
import { fields, parseBody } from '../http-provider/read-json.js';
import type { LlmReply, StopState } from '../llm-provider.js';
import { readOpenAiRequestId } from './openai-chat-reply.js';

interface Complaint {
  code: string;
  type: string;
  param: string;
  innerCode: string;
  /** Looked at and dropped: it may quote the prompt. */
  message: string;
}

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
function complaintOf(body: Uint8Array): Complaint {
  const parsed = parseBody(body);
  const given = fields(parsed)['error'] ?? parsed;
  // Ollama gives the engine's own error object as JSON text.
  const inner = typeof given === 'string' ? parseBody(Buffer.from(given)) : undefined;
  const error = inner === undefined ? given : (fields(inner)['error'] ?? inner);
  const message = typeof error === 'string' ? error : (fields(error)['message'] ?? fields(error)['Message']);
  return {
    code: readCode(fields(error)['code']),
    type: readCode(fields(error)['type']),
    param: readCode(fields(error)['param']),
    innerCode: readCode(fields(fields(error)['innererror'])['code']),
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
  if (status === 413 || named(complaint, overflowCodes) || isOverflowMessage(complaint.message))
    return 'context_overflow';
  return undefined;
}

function isSchemaRefusal(status: number, complaint: Complaint): boolean {
  if (status !== 400 && status !== 422) return false;
  return named(complaint, schemaCodes) || schemaParam.test(complaint.param) || isSchemaMessage(complaint.message);
}

/**
 * What an answer that is no success means: a reply with a stop state, or a thrown
 * `CriticizerError`. `LLM_QUOTA_EXHAUSTED` (policy, not retried: a person must pay),
 * `LLM_SCHEMA_REFUSED` (validation; the caller goes down the mode ladder), `LLM_MODEL_NOT_FOUND`,
 * else the status table's. The vendor's `x-should-retry: false` makes a retryable status final.
 * Messages and bodies are read and dropped: they may quote the prompt.
 */
export function readOpenAiFailure(response: HttpResponse, context: AnswerContext): LlmReply {
  const { status, headers } = response;
  const complaint = complaintOf(response.body);
  const requestId = readOpenAiRequestId(headers);
  const stop = stopOf(status, complaint);
  if (stop !== undefined) return stoppedReply(stop, requestId, complaint.code || complaint.type || null);

  const details: JsonObject = {
    status,
    host: context.host,
    requestId,
    code: complaint.code,
    type: complaint.type,
    param: complaint.param,
  };
  if (status === 402 || (status === 429 && named(complaint, quotaCodes))) throw quotaExhausted(details);
  if (isSchemaRefusal(status, complaint)) throw schemaRefused(details);
  if (status === 404 && complaint.code === 'model_not_found') throw modelNotFound(details);
  const isFinal = headers['x-should-retry'] === 'false' && status >= 400 && status !== 401;
  throw statusFailure(response, context, details, { isFinal });
}
