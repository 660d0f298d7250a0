import { describe, expect, it } from 'vitest';
import {
  preparedBody,
  type ScriptedAnswer,
  sampleRequest,
  scriptHttp,
  sendSample,
} from '../../../test/provider-samples.js';
import { createOpenAiResponsesProvider, type OpenAiResponsesProviderOptions } from './openai-responses-provider.js';

const make = (more: Partial<OpenAiResponsesProviderOptions> = {}) =>
  createOpenAiResponsesProvider({
    id: 'responses',
    model: 'm-1',
    baseUrl: 'https://models.example/v1/',
    http: scriptHttp().http,
    limits: { contextTokens: 8_000, maxOutputTokens: 1_000 },
    ...more,
  });
const strict = {
  type: 'object',
  properties: { findings: { type: 'array', items: { type: 'string' } }, note: { type: ['string', 'null'] } },
  required: ['findings', 'note'],
  additionalProperties: false,
};

describe('createOpenAiResponsesProvider', () => {
  it('EGR-3: writes the whole body of each mode, which keeps nothing and drops nothing', async () => {
    const common = {
      model: 'm-1',
      input: [
        { role: 'user', content: '+ a "b"\n' },
        { role: 'assistant', content: '{}' },
        { role: 'user', content: 'Again.' },
      ],
      max_output_tokens: 500,
      store: false,
      truncation: 'disabled',
    };
    const provider = make();
    expect(provider.prepare(sampleRequest('prompt')).url).toBe('https://models.example/v1/responses');
    expect(await preparedBody(provider, 'json_schema')).toEqual({
      ...common,
      instructions: 'Review.',
      text: { format: { type: 'json_schema', name: 'review', strict: true, schema: strict } },
    });
    expect(await preparedBody(provider, 'tool')).toEqual({
      ...common,
      instructions: 'Review.',
      tools: [{ type: 'function', name: 'review', strict: true, parameters: strict }],
      tool_choice: { type: 'function', name: 'review' },
      parallel_tool_calls: false,
    });
    expect(await preparedBody(provider, 'json_object')).toMatchObject({ text: { format: { type: 'json_object' } } });
    const { instructions, ...rest } = await preparedBody(provider, 'prompt');
    expect(instructions).toMatch(/^Review\.\n\nReply with one JSON object.*"maxItems":9/s);
    expect(rest).toEqual(common);
  });

  it('asks for the 16 tokens that the vendor wants at least', async () => {
    const { body } = make().prepare({ ...sampleRequest('prompt'), maxOutputTokens: 1 });
    expect(JSON.parse(body)).toMatchObject({ max_output_tokens: 16 });
  });

  it('SEC-4: takes switches beside what it sets, and none of what it sets', async () => {
    const extraBody = { reasoning: { effort: 'low' }, text: { verbosity: 'low' } };
    const body = await preparedBody(make({ extraBody }), 'json_schema');
    expect(body).toMatchObject({
      reasoning: { effort: 'low' },
      text: { verbosity: 'low', format: { name: 'review' } },
    });
    for (const taken of [
      { store: true },
      { truncation: 'auto' },
      { background: true },
      { text: { format: null } },
      { text: 1 },
    ])
      expect(() => make({ extraBody: taken })).toThrow(TypeError);
  });

  it('ERR-1: reads a failure inside a 200, and what ended a reply', async () => {
    const failed = (code: string): ScriptedAnswer => ({
      body: { status: 'failed', error: { code, message: 'x' }, output: [] },
    });
    const ended = (status: string, reason?: string): ScriptedAnswer => ({
      body: { status, ...(reason === undefined ? {} : { incomplete_details: { reason } }), output: [] },
    });
    const rows: readonly [ScriptedAnswer, string][] = [
      [failed('server_error'), 'upstream UPSTREAM_ERROR'],
      [failed('rate_limit_exceeded'), 'rate_limit RATE_LIMITED'],
      [failed('invalid_prompt'), 'validation HTTP_REJECTED'],
      [failed('data_residency_mismatch'), 'validation HTTP_REJECTED'],
      [failed('bio_policy'), 'content_filtered'],
      [failed('misalignment_policy_violation'), 'content_filtered'],
      [ended('incomplete', 'max_messages'), 'provider_error'],
      [ended('incomplete', 'steered'), 'provider_error'],
      [ended('cancelled'), 'provider_error'],
      [ended('queued'), 'provider_error'],
      [{ status: 429, body: { error: { code: 'insufficient_quota' } } }, 'policy LLM_QUOTA_EXHAUSTED'],
      [{ status: 400, body: { error: { param: 'text.format.schema' } } }, 'validation LLM_SCHEMA_REFUSED'],
      [{ status: 404, body: { error: { code: 'model_not_found' } } }, 'not_found LLM_MODEL_NOT_FOUND'],
    ];
    for (const [answer, meaning] of rows)
      expect(await sendSample(make({ http: scriptHttp(answer).http })), meaning).toBe(meaning);
  });
});
