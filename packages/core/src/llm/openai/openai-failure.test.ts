import { describe, expect, it } from 'vitest';
import type { CriticizerError } from '../../foundation/errors.js';
import type { JsonValue } from '../../foundation/json.js';
import { readOpenAiFailure } from './openai-failure.js';

const nowMs = Date.UTC(2026, 0, 1);

const read = (status: number, body: JsonValue | string, headers: Record<string, string> = {}) =>
  readOpenAiFailure(
    { status, headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) },
    { host: 'models.example', nowMs },
  );

function failureOf(status: number, body: JsonValue | string, headers: Record<string, string> = {}): CriticizerError {
  try {
    read(status, body, headers);
  } catch (error) {
    return error as CriticizerError;
  }
  throw new Error('expected a failure');
}

describe('readOpenAiFailure', () => {
  const error = (fields: Record<string, JsonValue>): { error: JsonValue } => ({ error: fields });
  it.each<[number, JsonValue | string, string, string]>([
    [429, error({ code: 'rate_limit_exceeded' }), 'RATE_LIMITED', 'rate_limit'],
    [429, error({ code: 'insufficient_quota' }), 'LLM_QUOTA_EXHAUSTED', 'policy'],
    [429, error({ type: 'insufficient_quota', code: null }), 'LLM_QUOTA_EXHAUSTED', 'policy'],
    [429, error({ code: 'credit_balance_exhausted' }), 'LLM_QUOTA_EXHAUSTED', 'policy'],
    [402, '', 'LLM_QUOTA_EXHAUSTED', 'policy'],
    [400, error({ code: 'invalid_json_schema', param: 'response_format' }), 'LLM_SCHEMA_REFUSED', 'validation'],
    [400, error({ code: 'unsupported_parameter', param: 'response_format' }), 'LLM_SCHEMA_REFUSED', 'validation'],
    [400, error({ message: 'compiled grammar is too large' }), 'LLM_SCHEMA_REFUSED', 'validation'],
    [400, error({ code: 'unsupported_parameter', param: 'max_tokens' }), 'HTTP_REJECTED', 'validation'],
    [404, error({ code: 'model_not_found' }), 'LLM_MODEL_NOT_FOUND', 'not_found'],
    [404, 'nginx', 'HTTP_NOT_FOUND', 'not_found'],
    [401, error({ code: 'invalid_api_key' }), 'AUTH_DENIED', 'auth'],
    [403, error({}), 'AUTH_DENIED', 'auth'],
    [408, '', 'NETWORK_TIMEOUT', 'network'],
    [409, '', 'HTTP_CONFLICT', 'conflict'],
    [500, error({ type: 'server_error' }), 'UPSTREAM_ERROR', 'upstream'],
    [502, '<html>', 'UPSTREAM_UNAVAILABLE', 'network'],
    [503, '', 'UPSTREAM_UNAVAILABLE', 'network'],
    [529, '', 'UPSTREAM_OVERLOADED', 'upstream'],
    [302, '', 'HTTP_REDIRECTED', 'bug'],
  ])('ERR-1: %i %j is %s, %s', (status, body, code, category) => {
    expect(failureOf(status, body)).toMatchObject({ code, category });
  });

  it.each<[number, JsonValue, string]>([
    [400, error({ code: 'context_length_exceeded' }), 'context_overflow'],
    [400, error({ message: "This model's maximum context length is 4096 tokens" }), 'context_overflow'],
    [400, error({ type: 'exceed_context_size_error', code: 400 }), 'context_overflow'],
    [400, error({ message: 'prompt is too long: 210000 tokens > 200000 maximum' }), 'context_overflow'],
    [400, error({ message: 'Input is too long for requested model.' }), 'context_overflow'],
    [
      400,
      error({ message: 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000' }),
      'context_overflow',
    ],
    [400, error({ message: 'too many total text bytes: 9000000 > 8000000' }), 'context_overflow'],
    [
      400,
      error({ message: 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.' }),
      'context_overflow',
    ],
    [
      400,
      error({ message: 'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).' }),
      'context_overflow',
    ],
    [
      400,
      error({ message: "This model's maximum prompt length is 131072 but the request contains 140000 tokens." }),
      'context_overflow',
    ],
    [400, error({ message: 'Please reduce the length of the messages or completion.' }), 'context_overflow'],
    [
      400,
      { error: JSON.stringify({ error: { type: 'exceed_context_size_error', n_prompt_tokens: 9, n_ctx: 8 } }) },
      'context_overflow',
    ],
    [400, { error: JSON.stringify({ type: 'exceed_context_size_error', n_ctx: 8 }) }, 'context_overflow'],
    [413, 'Request Entity Too Large', 'context_overflow'],
    [400, error({ code: 'content_filter' }), 'content_filtered'],
    [400, error({ code: 'other', innererror: { code: 'ResponsibleAIPolicyViolation' } }), 'content_filtered'],
  ])('%i %j is the stop state %s', (status, body, stop) => {
    expect(read(status, body)).toMatchObject({ stop, text: '' });
  });

  it('ERR-3: passes on the delay the vendor asked for', () => {
    const limited = (headers: Record<string, string>) => failureOf(429, '', headers);
    expect(limited({ 'retry-after': '7' })).toMatchObject({ retryAfterMs: 7_000 });
    expect(limited({ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' })).toMatchObject({ retryAfterMs: 60_000 });
    expect(limited({ 'retry-after-ms': '250' })).toMatchObject({ retryAfterMs: 250 });
  });

  it('ERR-4: x-should-retry: false makes a retryable status final', () => {
    expect(failureOf(500, '', { 'x-should-retry': 'false' })).toMatchObject({
      code: 'UPSTREAM_ERROR',
      category: 'policy',
    });
  });

  it('ERR-8: keeps no message, and no odd text from a field', () => {
    const echoed = error({
      message: 'your prompt was: leaked-text',
      code: 'has spaces leaked-text',
      param: 'messages[0]',
    });
    const failure = failureOf(400, echoed);
    expect(JSON.stringify({ ...failure, message: String(failure) })).not.toContain('leaked-text');
    expect(failure).toMatchObject({ details: { code: '', param: 'messages[0]' } });
  });
});
