import { CriticizerError } from '../../foundation/errors.js';
import { isRetryable } from '../../foundation/failures/failure.js';
import { httpFailure } from '../../foundation/failures/http-failure.js';
import type { JsonObject } from '../../foundation/json.js';
import type { HttpResponse } from '../../http/http-client.js';
import { type LlmReply, noUsage, type StopState } from '../llm-provider.js';
import type { AnswerContext } from './http-provider.js';

const word = /^[\w.[\]-]{1,100}$/;

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
const schemaMessage =
  /response_format|output_config|response_?(json_?)?schema|json[_ ]?schema|too many states|compiled grammar|parse grammar|structured output/i;

/** Whether a vendor's words say that the prompt is longer than the window. The words are not kept. */
export function isOverflowMessage(message: string): boolean {
  return overflowMessage.test(message);
}

/** Whether a vendor's words say that the response schema is at fault. The words are not kept. */
export function isSchemaMessage(message: string): boolean {
  return schemaMessage.test(message);
}

/** A vendor's code where it is one short word; else empty. Longer texts may quote the prompt. */
export function readCode(value: unknown): string {
  return typeof value === 'string' && word.test(value) ? value : '';
}

/** A rejection that is an outcome, not a failure: the prompt is too long, or the content was filtered. */
export function stoppedReply(stop: StopState, requestId: string | null, providerStop: string | null): LlmReply {
  return { stop, text: '', usage: noUsage, requestId, providerStop };
}

/** `LLM_QUOTA_EXHAUSTED` (policy, not retried): a person must pay. */
export function quotaExhausted(details: JsonObject): CriticizerError {
  return new CriticizerError('LLM_QUOTA_EXHAUSTED', 'the account of the model provider has no quota left', {
    category: 'policy',
    details,
  });
}

/** `LLM_SCHEMA_REFUSED` (validation): the caller goes down the mode ladder. */
export function schemaRefused(details: JsonObject): CriticizerError {
  return new CriticizerError('LLM_SCHEMA_REFUSED', 'the model endpoint refused the response schema', {
    category: 'validation',
    details,
  });
}

/** `LLM_MODEL_NOT_FOUND` (not_found). */
export function modelNotFound(details: JsonObject): CriticizerError {
  return new CriticizerError('LLM_MODEL_NOT_FOUND', 'the model endpoint has no such model', {
    category: 'not_found',
    details,
  });
}

/** The status table's error with a vendor's details. `isFinal` makes a retryable status one that is not retried. */
export function statusFailure(
  response: HttpResponse,
  context: AnswerContext,
  details: JsonObject,
  { isFinal = false, retryAfterMs }: { isFinal?: boolean; retryAfterMs?: number | undefined } = {},
): CriticizerError {
  const plain = httpFailure(response, context);
  return new CriticizerError(plain.code, plain.message, {
    category: isFinal && isRetryable(plain.category) ? 'policy' : plain.category,
    retryAfterMs: retryAfterMs ?? plain.retryAfterMs,
    details,
  });
}
