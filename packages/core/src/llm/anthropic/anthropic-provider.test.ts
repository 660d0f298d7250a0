import { describe, expect, it } from 'vitest';
import {
  preparedBody,
  type ScriptedAnswer,
  sampleRequest,
  sampleOptionalSchema as schema,
  scriptHttp,
  sendSample,
} from '../../../test/provider-samples.js';
import { createEnvironmentSecrets } from '../../secrets/environment-secrets.js';
import { type AnthropicProviderOptions, createAnthropicProvider } from './anthropic-provider.js';

const make = (more: Partial<AnthropicProviderOptions> = {}) =>
  createAnthropicProvider({
    id: 'anthropic',
    model: 'm-1',
    baseUrl: 'https://models.example/',
    http: scriptHttp().http,
    limits: { contextTokens: 8_000, maxOutputTokens: 1_000 },
    ...more,
  });

describe('createAnthropicProvider', () => {
  it('EGR-3: writes the whole body of each mode, without a sampling parameter', async () => {
    const common = {
      model: 'm-1',
      max_tokens: 500,
      messages: [
        { role: 'user', content: '+ a "b"\n' },
        { role: 'assistant', content: '{}' },
        { role: 'user', content: 'Again.' },
      ],
    };
    const { url, headers } = make().prepare(sampleRequest('tool'));
    expect([url, headers['anthropic-version']]).toEqual(['https://models.example/v1/messages', '2026-10-21']);
    expect(await preparedBody(make(), 'json_schema')).toEqual({
      ...common,
      system: 'Review.',
      output_config: { format: { type: 'json_schema', schema } },
    });
    expect(await preparedBody(make(), 'tool')).toEqual({
      ...common,
      system: 'Review.',
      tools: [{ name: 'review', strict: true, input_schema: schema }],
      tool_choice: { type: 'tool', name: 'review', disable_parallel_tool_use: true },
    });
    const { system, ...rest } = await preparedBody(make(), 'prompt');
    expect(system).toMatch(/^Review\.\n\nReply with one JSON object/);
    expect(rest).toEqual(common);
    expect(() => make({ modes: ['json_object'] })).toThrow(TypeError);
  });

  it('SEC-4: merges an effort into output_config, and lets nobody set the format', async () => {
    const body = await preparedBody(make({ extraBody: { output_config: { effort: 'low' } } }), 'json_schema');
    expect(body['output_config']).toMatchObject({ effort: 'low', format: { type: 'json_schema' } });
    expect(() => make({ extraBody: { output_config: { format: {} } } })).toThrow('output_config.format');
  });

  it('INT-4: sends the key as Bearer or as x-api-key, under the version that it was given', async () => {
    const key = `k${Date.now()}`;
    const apiKey = { source: createEnvironmentSecrets({ env: { KEY: key } }), name: 'KEY' };
    for (const [apiKeyHeader, value] of [
      ['authorization', `Bearer ${key}`],
      ['x-api-key', key],
    ] as const) {
      const { http, requests } = scriptHttp({ body: { content: [], stop_reason: 'end_turn' } });
      expect(await sendSample(make({ http, apiKey, apiKeyHeader, version: '2023-06-01' }))).toBe('empty');
      expect(requests[0]?.headers).toMatchObject({ [apiKeyHeader]: value, 'anthropic-version': '2023-06-01' });
    }
  });

  it('ERR-1: reads what ended a reply, and what a failure means', async () => {
    const failed = (status: number, type: string, more: object = {}): ScriptedAnswer => ({
      status,
      body: { type: 'error', error: { type, message: 'no', ...more } },
    });
    const ended = (stop_reason: string): ScriptedAnswer => ({
      body: { content: [{ type: 'text', text: '{}' }], stop_reason },
    });
    const spent = { details: { error_code: 'enforced_spend_limit_reached' } };
    const rows: readonly [ScriptedAnswer, string][] = [
      [ended('pause_turn'), 'provider_error'],
      [ended('model_context_window_exceeded'), 'context_overflow'],
      [failed(413, 'request_too_large'), 'context_overflow'],
      [failed(429, 'rate_limit_error', spent), 'policy LLM_QUOTA_EXHAUSTED'],
      [failed(402, 'billing_error'), 'policy LLM_QUOTA_EXHAUSTED'],
      [failed(429, 'rate_limit_error'), 'rate_limit RATE_LIMITED'],
      [failed(529, 'overloaded_error'), 'upstream UPSTREAM_OVERLOADED'],
      [failed(500, 'api_error'), 'upstream UPSTREAM_ERROR'],
      [
        failed(400, 'invalid_request_error', { message: 'output_config.format: compiled grammar is too large' }),
        'validation LLM_SCHEMA_REFUSED',
      ],
      [failed(404, 'not_found_error', { message: 'model: m-1' }), 'not_found LLM_MODEL_NOT_FOUND'],
      [failed(403, 'permission_error'), 'auth AUTH_DENIED'],
      [{ ...failed(503, 'api_error'), headers: { 'x-should-retry': 'false' } }, 'policy UPSTREAM_UNAVAILABLE'],
    ];
    for (const [answer, meaning] of rows)
      expect(await sendSample(make({ http: scriptHttp(answer).http })), meaning).toBe(meaning);
  });
});
