import { describe, expect, it } from 'vitest';
import {
  preparedBody,
  type ScriptedAnswer,
  sampleOptionalSchema,
  sampleRequest,
  sampleSchema,
  scriptHttp,
  sendSample,
} from '../../../test/provider-samples.js';
import { createOllamaProvider, type OllamaProviderOptions } from './ollama-provider.js';

const make = (more: Partial<OllamaProviderOptions> = {}) =>
  createOllamaProvider({
    id: 'ollama',
    model: 'm-1',
    baseUrl: 'http://127.0.0.1:11434',
    http: scriptHttp().http,
    limits: { contextTokens: 8_000, maxOutputTokens: 1_000 },
    ...more,
  });

describe('createOllamaProvider', () => {
  it('EGR-3: writes the whole body of each mode, with the window and without cutting', async () => {
    expect(make().prepare(sampleRequest('prompt')).url).toBe('http://127.0.0.1:11434/api/chat');
    expect(await preparedBody(make(), 'json_schema')).toEqual({
      model: 'm-1',
      messages: [
        { role: 'system', content: 'Review.' },
        { role: 'user', content: '+ a "b"\n' },
        { role: 'assistant', content: '{}' },
        { role: 'user', content: 'Again.' },
      ],
      format: sampleOptionalSchema,
      options: { num_ctx: 8_000, num_predict: 500 },
      stream: false,
      truncate: false,
      shift: false,
    });
    const body = await preparedBody(make(), 'json_object');
    expect(body['format']).toBe('json');
    expect(JSON.stringify(body)).toContain(JSON.stringify(JSON.stringify(sampleSchema)).slice(1, -1));
    expect(await preparedBody(make(), 'prompt')).not.toHaveProperty('format');
    expect(() => make({ modes: ['tool'] })).toThrow(TypeError);
  });

  it('SEC-4: merges options, and lets nobody make the window smaller or cut', async () => {
    const body = await preparedBody(make({ extraBody: { think: false, options: { temperature: 0 } } }), 'prompt');
    expect(body).toMatchObject({ think: false, options: { num_ctx: 8_000, temperature: 0 } });
    for (const extraBody of [{ options: { num_ctx: 1 } }, { truncate: true }, { stream: true }])
      expect(() => make({ extraBody })).toThrow(TypeError);
  });

  it('INV-4: a prompt that fills the window was cut by a server that does not know truncate', async () => {
    const reply = (prompt_eval_count: number): ScriptedAnswer => ({
      body: { message: { content: '{}' }, done: true, done_reason: 'stop', prompt_eval_count },
    });
    expect(await sendSample(make({ http: scriptHttp(reply(7_999)).http }))).toBe('complete');
    expect(await sendSample(make({ http: scriptHttp(reply(8_000)).http }))).toBe('context_overflow');
  });

  it('ERR-1: reads what ended a reply, and what a failure means', async () => {
    const said = (more: object): ScriptedAnswer => ({
      body: JSON.stringify({ message: { content: '{"a": [' }, ...more }),
    });
    const rows: readonly [ScriptedAnswer, string][] = [
      [said({ done: true, done_reason: 'load' }), 'empty'],
      [said({ done: false }), 'provider_error'],
      [
        { status: 404, body: { error: 'model "m-1" not found, try pulling it first' } },
        'not_found LLM_MODEL_NOT_FOUND',
      ],
      [{ status: 500, body: { error: 'llama runner process has terminated' } }, 'upstream UPSTREAM_ERROR'],
      [{ status: 400, body: { error: 'failed to parse grammar' } }, 'validation LLM_SCHEMA_REFUSED'],
    ];
    for (const [answer, meaning] of rows)
      expect(await sendSample(make({ http: scriptHttp(answer).http })), meaning).toBe(meaning);
  });
});
