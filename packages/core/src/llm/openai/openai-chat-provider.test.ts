import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { scriptHttp } from '../../../test/provider-samples.js';
import { redactForLlm } from '../../egress/redact-for-llm.js';
import type { JsonValue } from '../../foundation/json.js';
import type { HttpClient, HttpRequest } from '../../http/http-client.js';
import { createEnvironmentSecrets } from '../../secrets/environment-secrets.js';
import { Secret } from '../../secrets/secret.js';
import type { SecretSource } from '../../secrets/secret-source.js';
import { createMarkerRedactor } from '../../testing/support/marker-redactor.js';
import type { LlmRequest, LlmTurn, StructuredMode } from '../llm-provider.js';
import { createOpenAiChatProvider, type OpenAiChatProviderOptions } from './openai-chat-provider.js';

const nowMs = Date.UTC(2026, 0, 1);
const clock = { nowMs: () => nowMs, monotonicMs: () => 0 };
const baseUrl = 'https://models.example/v1/';

function provider(http: HttpClient, more: Partial<OpenAiChatProviderOptions> = {}) {
  return createOpenAiChatProvider({
    id: 'house',
    model: 'm-1',
    baseUrl,
    http,
    limits: { contextTokens: 8_000, maxOutputTokens: 1_000 },
    clock,
    ...more,
  });
}

function request(mode: StructuredMode = 'json_schema'): LlmRequest {
  const [piece] = redactForLlm({
    redactor: createMarkerRedactor(),
    texts: [{ name: 'diff', text: '+ a "b"\n' }],
  }).pieces;
  if (piece === undefined) throw new Error('expected a piece');
  const schema = {
    type: 'object',
    properties: { findings: { type: 'array', items: { type: 'string' } }, note: { type: 'string' } },
    required: ['findings'],
  };
  return {
    system: 'Review.',
    turns: [{ role: 'user', text: piece.text }],
    schema,
    schemaName: 'review',
    mode,
    maxOutputTokens: 500,
  };
}

async function sendWith(http: HttpClient, more: Partial<OpenAiChatProviderOptions> = {}) {
  const made = provider(http, more);
  return made.send(made.prepare(request()), { signal: new AbortController().signal, timeoutMs: 1_000 });
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    (value) => ({ code: 'none', value }),
    (error: unknown) =>
      error as { code: string; category: string; parks: boolean; retryAfterMs?: number; details: object },
  );

const reply = (choice: JsonValue, more: Record<string, JsonValue> = {}): { body: JsonValue } => ({
  body: { choices: [choice], ...more },
});

describe('prepare', () => {
  const bodyOf = (mode: StructuredMode, more: Partial<OpenAiChatProviderOptions> = {}) =>
    JSON.parse(provider(scriptHttp().http, more).prepare(request(mode)).body) as Record<string, unknown>;

  it('PR-3: json_schema sends the strict schema, in wire order, and no sampling parameter', () => {
    const prepared = provider(scriptHttp().http).prepare(request());
    expect(prepared.url).toBe('https://models.example/v1/chat/completions');
    expect(prepared.headers).toEqual({ 'content-type': 'application/json', accept: 'application/json' });
    const body = JSON.parse(prepared.body) as Record<string, unknown>;
    expect(Object.keys(body)).toEqual(['model', 'messages', 'response_format', 'max_completion_tokens']);
    expect(body['messages']).toEqual([
      { role: 'system', content: 'Review.' },
      { role: 'user', content: '+ a "b"\n' },
    ]);
    expect(body['response_format']).toEqual({
      type: 'json_schema',
      json_schema: {
        name: 'review',
        strict: true,
        schema: {
          type: 'object',
          properties: { findings: { type: 'array', items: { type: 'string' } }, note: { type: ['string', 'null'] } },
          required: ['findings', 'note'],
          additionalProperties: false,
        },
      },
    });
  });

  it('tool forces one call of one strict function', () => {
    const body = bodyOf('tool');
    expect(body).toMatchObject({
      tools: [{ type: 'function', function: { name: 'review', strict: true } }],
      tool_choice: { type: 'function', function: { name: 'review' } },
      parallel_tool_calls: false,
    });
    expect(body).not.toHaveProperty('response_format');
  });

  it('PR-3: the modes without a schema state it in the trusted half', () => {
    for (const mode of ['json_object', 'prompt'] as const) {
      const messages = bodyOf(mode)['messages'] as { content: string }[];
      expect(messages[0]?.content).toContain(JSON.stringify(request().schema));
    }
    expect(bodyOf('json_object')['response_format']).toEqual({ type: 'json_object' });
    expect(bodyOf('prompt')).not.toHaveProperty('response_format');
  });

  it('speaks to older servers where told', () => {
    const body = bodyOf('prompt', { systemRole: 'developer', outputLimitField: 'max_tokens' });
    expect(body['max_tokens']).toBe(500);
    expect(body).not.toHaveProperty('max_completion_tokens');
    expect((body['messages'] as { role: string }[])[0]?.role).toBe('developer');
  });

  it('refuses what the caller got wrong', () => {
    const made = provider(scriptHttp().http, { modes: ['prompt'] });
    expect(() => made.prepare(request('json_schema'))).toThrow(TypeError);
    for (const maxOutputTokens of [0, 1.5, 1_001])
      expect(() => made.prepare({ ...request('prompt'), maxOutputTokens })).toThrow(TypeError);
    expect(() => provider(scriptHttp().http).prepare({ ...request(), schemaName: 'a b' })).toThrow(TypeError);
    const [first] = request().turns;
    const unminted: LlmTurn = { role: 'user', text: { kind: 'criticizer.redacted-text' } };
    expect(() => made.prepare({ ...request('prompt'), turns: [unminted] })).toThrow(
      expect.objectContaining({ code: 'EGRESS_BLOCKED' }),
    );
    for (const turns of [[], [{ ...unminted, role: 'assistant' as const }], [first ?? unminted, unminted]])
      expect(() => made.prepare({ ...request('prompt'), turns })).toThrow(TypeError);
  });

  it('sends nothing that another provider prepared', async () => {
    const { http, requests } = scriptHttp(reply({}));
    const other = provider(http, { baseUrl: 'https://elsewhere.example/v1' });
    const sent = provider(http).send(other.prepare(request()), {
      signal: new AbortController().signal,
      timeoutMs: 1_000,
    });
    await expect(sent).rejects.toThrow(TypeError);
    expect(requests).toEqual([]);
  });

  it('refuses options out of range', () => {
    const { http } = scriptHttp();
    for (const more of [
      { id: 'Not Good' },
      { model: ' ' },
      { baseUrl: 'models.example' },
      { baseUrl: 'https://user:word@models.example' },
      { baseUrl: 'https://models.example/v1?key=x' },
      { modes: [] },
      { limits: { contextTokens: 0, maxOutputTokens: 1 } },
    ])
      expect(() => provider(http, more), JSON.stringify(more)).toThrow(TypeError);
  });

  it('wants an id that is text, and a reply that leaves room for the prompt', () => {
    const { http } = scriptHttp();
    for (const id of [undefined, 3, ['abc'], null]) {
      const wrong: object = { id };
      expect(() => provider(http, wrong), JSON.stringify(wrong)).toThrow(/: id expects/);
    }
    for (const maxOutputTokens of [8_000, 8_001])
      expect(() => provider(http, { limits: { contextTokens: 8_000, maxOutputTokens } })).toThrow(
        /limits\.maxOutputTokens expects less than limits\.contextTokens/,
      );
  });
});

describe('credentials', () => {
  const value = (): string => randomBytes(12).toString('hex');
  const authorization = (requests: HttpRequest[]) => requests.map((one) => one.headers?.['authorization']);
  const done = reply({ message: { content: '{}' }, finish_reason: 'stop' });
  const denied = { status: 401, body: {} };

  it('SEC-5: tries the version before when the current one is denied', async () => {
    const [current, previous] = [value(), value()];
    const source = createEnvironmentSecrets({ env: { KEY: current, KEY_PREVIOUS: previous } });
    const { http, requests } = scriptHttp(denied, done);
    expect(await sendWith(http, { apiKey: { source, name: 'KEY' } })).toMatchObject({ stop: 'complete' });
    expect(authorization(requests)).toEqual([`Bearer ${current}`, `Bearer ${previous}`]);
  });

  it('SEC-5: tries a version that came while the old one was being denied', async () => {
    const [old, fresh] = [value(), value()];
    const env: NodeJS.ProcessEnv = { KEY: old };
    const source = createEnvironmentSecrets({ env });
    const { http, requests } = scriptHttp(denied, done);
    const rotating: SecretSource = {
      contract: 1,
      async read(name) {
        const versions = await source.read(name);
        env['KEY'] = fresh;
        return versions;
      },
    };
    expect(await sendWith(http, { apiKey: { source: rotating, name: 'KEY' } })).toMatchObject({ stop: 'complete' });
    expect(authorization(requests)).toEqual([`Bearer ${old}`, `Bearer ${fresh}`]);
  });

  it('INT-4: denied with nothing newer is AUTH_DENIED and parks, each version tried once', async () => {
    const source = createEnvironmentSecrets({ env: { KEY: value(), KEY_PREVIOUS: value() } });
    const { http, requests } = scriptHttp(denied);
    expect(await failureOf(sendWith(http, { apiKey: { source, name: 'KEY' } }))).toMatchObject({
      code: 'AUTH_DENIED',
      category: 'auth',
      parks: true,
    });
    expect(requests).toHaveLength(2);
  });

  it('INT-4: without a source to refresh from, a denial does not park', async () => {
    expect(await failureOf(sendWith(scriptHttp(denied).http))).toMatchObject({ code: 'AUTH_DENIED', parks: false });
  });

  it('INT-4: a credential that is not there sends nothing and parks', async () => {
    const { http, requests } = scriptHttp(done);
    const apiKey = { source: createEnvironmentSecrets({ env: {} }), name: 'KEY' };
    expect(await failureOf(sendWith(http, { apiKey }))).toMatchObject({ code: 'SECRET_MISSING', parks: true });
    expect(requests).toHaveLength(0);
  });

  it('SEC-3: a key that would break a header is refused, unprinted and unsent', async () => {
    const bad = `${value()}\r\nx-more: 1`;
    const { http, requests } = scriptHttp(done);
    const source: SecretSource = {
      contract: 1,
      read: async () => ({ current: { secret: new Secret(bad), version: '1' } }),
    };
    const failure = await failureOf(sendWith(http, { apiKey: { source, name: 'KEY' } }));
    expect(failure).toMatchObject({ code: 'SECRET_REJECTED', parks: true });
    expect(String(failure)).not.toContain(bad.slice(0, 8));
    expect(requests).toHaveLength(0);
  });

  it('sends the key as Azure wants it', async () => {
    const current = value();
    const { http, requests } = scriptHttp(done);
    await sendWith(http, {
      apiKey: { source: createEnvironmentSecrets({ env: { KEY: current } }), name: 'KEY' },
      apiKeyHeader: 'api-key',
    });
    expect(requests[0]?.headers).toMatchObject({ 'api-key': current });
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });
});
