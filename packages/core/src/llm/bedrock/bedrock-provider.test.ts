import { randomBytes } from 'node:crypto';
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
import { type BedrockProviderOptions, createBedrockProvider } from './bedrock-provider.js';
import type { AwsCredentials } from './sign-aws.js';

const word = () => randomBytes(12).toString('hex');
const apiKey = { source: createEnvironmentSecrets({ env: { KEY: word() } }), name: 'KEY' };
const nowMs = Date.UTC(2026, 10, 1);
const make = (more: Partial<BedrockProviderOptions> = {}) =>
  createBedrockProvider({
    id: 'bedrock',
    model: 'eu.vendor.model-1:0',
    region: 'eu-central-1',
    http: scriptHttp().http,
    limits: { contextTokens: 8_000, maxOutputTokens: 1_000 },
    clock: { nowMs: () => nowMs, monotonicMs: () => 0 },
    ...(more.credentials === undefined ? { apiKey } : {}),
    ...more,
  });
const failed = (
  status: number,
  name: string,
  message = 'no',
  headers: Record<string, string> = {},
): ScriptedAnswer => ({
  status,
  headers: { 'x-amzn-errortype': name, ...headers },
  body: { message },
});

describe('createBedrockProvider', () => {
  it('EGR-3: goes to the endpoint of its region, the model one segment of the path', () => {
    const url = (more: Partial<BedrockProviderOptions>) => make(more).prepare(sampleRequest('prompt')).url;
    expect(url({})).toBe('https://bedrock-runtime.eu-central-1.amazonaws.com/model/eu.vendor.model-1%3A0/converse');
    expect(url({ fips: true })).toContain('https://bedrock-runtime-fips.eu-central-1.');
    expect(url({ model: 'arn:aws:bedrock:eu-central-1:1:inference-profile/us.m' })).toContain(
      '/model/arn%3Aaws%3Abedrock%3Aeu-central-1%3A1%3Ainference-profile%2Fus.m/',
    );
    expect(url({ endpoint: 'https://vpce.example' })).toBe('https://vpce.example/model/eu.vendor.model-1%3A0/converse');
    expect(() => make({ region: 'Frankfurt' })).toThrow('region');
  });

  it('EGR-3: writes the whole body of each mode', async () => {
    const common = {
      messages: [
        { role: 'user', content: [{ text: '+ a "b"\n' }] },
        { role: 'assistant', content: [{ text: '{}' }] },
        { role: 'user', content: [{ text: 'Again.' }] },
      ],
      system: [{ text: 'Review.' }],
      inferenceConfig: { maxTokens: 500 },
    };
    expect(await preparedBody(make(), 'json_schema')).toEqual({
      ...common,
      outputConfig: {
        textFormat: {
          type: 'json_schema',
          structure: { jsonSchema: { name: 'review', schema: JSON.stringify(schema) } },
        },
      },
    });
    expect(await preparedBody(make(), 'tool')).toEqual({
      ...common,
      toolConfig: {
        tools: [{ toolSpec: { name: 'review', inputSchema: { json: schema } } }],
        toolChoice: { tool: { name: 'review' } },
      },
    });
  });

  it('ERR-1: reads what ended a reply, and what a failure means', async () => {
    const ended = (stopReason: string): ScriptedAnswer => ({
      body: { output: { message: { content: [{ text: '{}' }] } }, stopReason },
    });
    const rows: readonly [ScriptedAnswer, string][] = [
      [ended('malformed_tool_use'), 'provider_error'],
      [ended('model_context_window_exceeded'), 'context_overflow'],
      [failed(429, 'ThrottlingException'), 'rate_limit RATE_LIMITED'],
      [failed(429, 'ModelNotReadyException'), 'upstream UPSTREAM_OVERLOADED'],
      [failed(408, 'ModelTimeoutException'), 'network NETWORK_TIMEOUT'],
      [failed(424, 'ModelErrorException'), 'upstream UPSTREAM_ERROR'],
      [failed(500, 'InternalServerException'), 'upstream UPSTREAM_ERROR'],
      [failed(400, 'ServiceQuotaExceededException'), 'policy LLM_QUOTA_EXHAUSTED'],
      [failed(400, 'ValidationException', 'too many total text bytes'), 'context_overflow'],
      [failed(400, 'ValidationException', 'input length and `max_tokens` exceed context limit'), 'context_overflow'],
      [
        failed(400, 'ValidationException', 'Invocation with on-demand throughput isn’t supported'),
        'not_found LLM_MODEL_NOT_FOUND',
      ],
      [
        failed(400, 'ValidationException', 'outputConfig.textFormat: the JSON schema is invalid'),
        'validation LLM_SCHEMA_REFUSED',
      ],
      [failed(404, 'ResourceNotFoundException'), 'not_found LLM_MODEL_NOT_FOUND'],
      [failed(403, 'AccessDeniedException'), 'auth AUTH_DENIED parks'],
      [{ status: 400, body: { __type: 'com.amazon#ServiceQuotaExceededException' } }, 'policy LLM_QUOTA_EXHAUSTED'],
    ];
    for (const [answer, meaning] of rows)
      expect(await sendSample(make({ http: scriptHttp(answer).http })), meaning).toBe(meaning);
  });

  it('SEC-5: reads denied credentials once more, and tries them only if they changed', async () => {
    const read = (...all: readonly string[]) => {
      const left = [...all];
      return async (): Promise<AwsCredentials> => ({ accessKeyId: left.shift() ?? 'none', secretAccessKey: word() });
    };
    const ok: ScriptedAnswer = { body: { stopReason: 'end_turn' } };
    const renewed = scriptHttp(failed(403, 'ExpiredTokenException'), ok);
    expect(await sendSample(make({ http: renewed.http, credentials: read('one', 'two') }))).toBe('empty');
    expect(
      renewed.requests.map(({ headers }) => /Credential=(\w+)\//.exec(headers?.['authorization'] ?? '')?.[1]),
    ).toEqual(['one', 'two']);
    const same = scriptHttp(failed(403, 'ExpiredTokenException'), ok);
    expect(await sendSample(make({ http: same.http, credentials: read('one', 'one') }))).toBe('auth AUTH_DENIED parks');
    expect(same.requests).toHaveLength(1);
  });

  it('signs once more at the server time where ours is off', async () => {
    const date = new Date(nowMs + 3_600_000);
    const { http, requests } = scriptHttp(failed(403, 'RequestTimeTooSkewed', 'no', { date: date.toUTCString() }), {
      body: { stopReason: 'end_turn' },
    });
    const credentials = async () => ({ accessKeyId: 'one', secretAccessKey: word() });
    expect(await sendSample(make({ http, credentials }))).toBe('empty');
    expect(requests.map(({ headers }) => headers?.['x-amz-date'])).toEqual(['20261101T000000Z', '20261101T010000Z']);
  });

  it('SEC-4: credentials that no header can carry are refused, and one way to prove oneself is wanted', async () => {
    const credentials = async () => ({ accessKeyId: 'a b', secretAccessKey: word() });
    expect(await sendSample(make({ credentials }))).toBe('auth SECRET_REJECTED parks');
    expect(() => make({ apiKey, credentials })).toThrow('exactly one');
  });
});
