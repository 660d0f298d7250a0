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
import { createGeminiProvider, type GeminiProviderOptions } from './gemini-provider.js';

const make = (more: Partial<GeminiProviderOptions> = {}) =>
  createGeminiProvider({
    id: 'gemini',
    model: 'models/m-1',
    baseUrl: 'https://models.example',
    http: scriptHttp().http,
    limits: { contextTokens: 8_000, maxOutputTokens: 1_000 },
    ...more,
  });

describe('createGeminiProvider', () => {
  it('EGR-3: writes the whole body of each mode, which keeps nothing', async () => {
    const common = {
      systemInstruction: { parts: [{ text: 'Review.' }] },
      contents: [
        { role: 'user', parts: [{ text: '+ a "b"\n' }] },
        { role: 'model', parts: [{ text: '{}' }] },
        { role: 'user', parts: [{ text: 'Again.' }] },
      ],
      store: false,
    };
    expect(make().prepare(sampleRequest('tool')).url).toBe('https://models.example/v1/models/m-1:generateContent');
    const beta = make({ baseUrl: 'https://models.example/v1beta/' }).prepare(sampleRequest('tool'));
    expect(beta.url).toBe('https://models.example/v1beta/models/m-1:generateContent');
    expect(await preparedBody(make(), 'json_schema')).toEqual({
      ...common,
      generationConfig: { maxOutputTokens: 500, responseMimeType: 'application/json', responseJsonSchema: schema },
    });
    expect(await preparedBody(make(), 'tool')).toEqual({
      ...common,
      tools: [{ functionDeclarations: [{ name: 'review', parametersJsonSchema: schema }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['review'] } },
      generationConfig: { maxOutputTokens: 500 },
    });
    expect(await preparedBody(make(), 'json_object')).toMatchObject({
      generationConfig: { maxOutputTokens: 500, responseMimeType: 'application/json' },
    });
    expect(await preparedBody(make({ store: 'unset', apiVersion: 'v1beta' }), 'prompt')).not.toHaveProperty('store');
  });

  it('SEC-4: merges thinking into generationConfig, and lets nobody set the limit', async () => {
    const extraBody = { generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } };
    expect(await preparedBody(make({ extraBody }), 'prompt')).toMatchObject({
      generationConfig: { maxOutputTokens: 500, thinkingConfig: { thinkingLevel: 'LOW' } },
    });
    expect(() => make({ extraBody: { generationConfig: { maxOutputTokens: 9 } } })).toThrow(
      'generationConfig.maxOutputTokens',
    );
    expect(() => make({ extraBody: { store: true } })).toThrow('store');
  });

  it('SEC-5: tries the key before this one where the vendor denies with 400', async () => {
    const [current, previous] = [`n${Date.now()}`, `o${Date.now()}`];
    const source = createEnvironmentSecrets({ env: { KEY: current, KEY_PREVIOUS: previous } });
    const denied = {
      status: 400,
      body: { error: { details: [{ '@type': 'x/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }] } },
    };
    const { http, requests } = scriptHttp(denied, { body: { candidates: [] } });
    expect(await sendSample(make({ http, apiKey: { source, name: 'KEY' } }))).toBe('empty');
    expect(requests.map(({ headers }) => headers?.['x-goog-api-key'])).toEqual([current, previous]);
  });

  it('ERR-1: reads what ended a reply, and what a failure means', async () => {
    const failed = (status: number, word: string, message = 'no', details: readonly object[] = []): ScriptedAnswer => ({
      status,
      body: JSON.stringify({ error: { status: word, message, details } }),
    });
    const ended = (finishReason: string): ScriptedAnswer => ({
      body: { candidates: [{ content: { parts: [{ text: '{}' }] }, finishReason }] },
    });
    const daily = [
      { '@type': 'x/google.rpc.QuotaFailure', violations: [{ quotaId: 'GenerateRequestsPerDayPerProject' }] },
    ];
    const later = [{ '@type': 'x/google.rpc.RetryInfo', retryDelay: '34.4s' }];
    const rows: readonly [ScriptedAnswer, string][] = [
      [ended('STOP'), 'complete'],
      [ended('CONTINUATION'), 'truncated_output'],
      [ended('MODEL_ARMOR'), 'content_filtered'],
      [ended('RECITATION'), 'content_filtered'],
      [ended('MALFORMED_RESPONSE'), 'provider_error'],
      [ended('TOO_MANY_TOOL_CALLS'), 'provider_error'],
      [failed(429, 'RESOURCE_EXHAUSTED', 'no', later), 'rate_limit RATE_LIMITED 34400'],
      [failed(429, 'RESOURCE_EXHAUSTED', 'no', daily), 'policy LLM_QUOTA_EXHAUSTED'],
      [
        failed(
          400,
          'INVALID_ARGUMENT',
          'The specified schema produces a constraint that has too many states for serving',
        ),
        'validation LLM_SCHEMA_REFUSED',
      ],
      [failed(404, 'NOT_FOUND'), 'not_found LLM_MODEL_NOT_FOUND'],
      [failed(400, 'FAILED_PRECONDITION'), 'validation HTTP_REJECTED'],
      [failed(500, 'INTERNAL'), 'upstream UPSTREAM_ERROR'],
    ];
    for (const [answer, meaning] of rows)
      expect(await sendSample(make({ http: scriptHttp(answer).http })), meaning).toBe(meaning);
  });
});
