import { CriticizerError } from '../../foundation/errors.js';
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
import { fields, parseBody, readRequestId, text } from '../http-provider/read-json.js';
import type { LlmReply } from '../llm-provider.js';

/** The vendor's id for support. */
export function readAwsRequestId({ headers }: HttpResponse): string | null {
  return readRequestId(headers['x-amzn-requestid']);
}

/** The error's name: the header up to its colon, else the body's `__type` after its `#`. Empty where neither is one. */
export function readAwsErrorName({ headers, body }: HttpResponse): string {
  const inHeader = (headers['x-amzn-errortype'] ?? '').split(':')[0] ?? '';
  const inBody = text(fields(parseBody(body))['__type'])
    .split('#')
    .at(-1);
  return readCode(inHeader) || readCode(inBody);
}

function readMessage(body: Uint8Array): string {
  const parsed = fields(parseBody(body));
  return (text(parsed['message']) || text(parsed['Message'])).slice(0, 2_000);
}

/** Whether the answer denies the credentials. */
export function isAwsDenied(response: HttpResponse): boolean {
  return response.status === 401 || response.status === 403;
}

/** Throws for a name whose status says too little; returns for the others. */
function throwByName(name: string, status: number, message: string, details: JsonObject): void {
  if (status === 402 || name === 'ServiceQuotaExceededException') throw quotaExhausted(details);
  if (status === 424 || name === 'ModelErrorException')
    throw new CriticizerError('UPSTREAM_ERROR', 'the model failed', { category: 'upstream', details });
  if (name === 'ModelNotReadyException')
    throw new CriticizerError('UPSTREAM_OVERLOADED', 'the model is not loaded yet', { category: 'upstream', details });
  if (status === 404) throw modelNotFound(details);
  // A model that may be reached through an inference profile only, or whose agreement nobody signed.
  if (status === 400 && /on-demand throughput isn.?t supported|model identifier is invalid/i.test(message))
    throw modelNotFound(details);
}

/**
 * What an answer that is no success means: `context_overflow` by the vendor's words, else
 * `LLM_QUOTA_EXHAUSTED`, `LLM_SCHEMA_REFUSED`, `LLM_MODEL_NOT_FOUND`, `UPSTREAM_ERROR`, or the
 * status table's code. Messages are read and dropped: they may quote the prompt.
 */
export function readBedrockFailure(response: HttpResponse, context: AnswerContext): LlmReply {
  const { status } = response;
  const name = readAwsErrorName(response);
  const message = readMessage(response.body);
  const requestId = readAwsRequestId(response);
  if (status === 413 || (status === 400 && isOverflowMessage(message)))
    return stoppedReply('context_overflow', requestId, name || null);
  const details = { status, host: context.host, requestId, name };
  if (status === 400 && isSchemaMessage(message)) throw schemaRefused(details);
  throwByName(name, status, message, details);
  throw statusFailure(response, context, details);
}
