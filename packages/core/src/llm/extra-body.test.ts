import { describe, expect, it } from 'vitest';
import { planEgress } from '../egress/guarded-exchange.js';
import { createProviderPolicy } from '../egress/provider-policy.js';
import { redactForLlm } from '../egress/redact-for-llm.js';
import type { JsonObject } from '../foundation/json.js';
import { createMarkerRedactor } from '../testing/support/marker-redactor.js';
import { createOpenAiChatProvider } from './openai/openai-chat-provider.js';

const make = (extraBody: JsonObject) =>
  createOpenAiChatProvider({
    id: 'house',
    model: 'm-1',
    baseUrl: 'https://models.example/v1',
    http: { exchange: () => Promise.reject(new Error('no connection here')), close: async () => {} },
    limits: { contextTokens: 8_000, maxOutputTokens: 100 },
    extraBody,
  });

/** The dry run of one request to a provider with these switches. */
function plan(extraBody: JsonObject) {
  const redactor = createMarkerRedactor();
  const [piece] = redactForLlm({ redactor, texts: [{ name: 'p', text: '+ a' }] }).pieces;
  if (piece === undefined) throw new Error('one text was given');
  return planEgress({
    provider: make(extraBody),
    request: {
      system: 's',
      turns: [{ role: 'user', text: piece.text }],
      schema: { type: 'object' },
      schemaName: 'n',
      mode: 'prompt',
      maxOutputTokens: 10,
    },
    redactor,
    policy: createProviderPolicy({ otherwise: ['house'] }),
    isInternal: () => true,
    namesProviders: false,
    depotPaths: [],
    redactedPaths: [],
    redactions: {},
    versions: { promptVersion: '1.1', schemaVersion: '1.0' },
    signal: new AbortController().signal,
  });
}

describe('extraBody', () => {
  it('EGR-3: the dry run shows it, after what the protocol sets', async () => {
    const { body } = await plan({ store: false, reasoning_effort: 'low', provider: { zdr: true } });
    expect(Object.keys(JSON.parse(body) as object).slice(-3)).toEqual(['store', 'reasoning_effort', 'provider']);
    expect(JSON.parse(body)).toMatchObject({ store: false, provider: { zdr: true } });
  });

  it('RED-10: the guard stops a secret in a value or in a key, however deep', async () => {
    for (const extraBody of [{ user: 'secret-aaaa' }, { metadata: [{ team: 'secret-aaaa' }] }, { 'secret-aaaa': 1 }])
      await expect(plan(extraBody)).rejects.toThrow(
        expect.objectContaining({
          code: 'EGRESS_BLOCKED',
          details: expect.objectContaining({ reason: 'secret_found' }),
        }),
      );
  });

  it('SEC-4: a key that names a credential is refused where it is given, however deep', () => {
    for (const [key, extraBody] of [
      ['api_key', { api_key: 'x' }],
      ['Authorization', { headers: { Authorization: 'x' } }],
      ['client_secret', { options: [{ client_secret: 'x' }] }],
      ['accessToken', { accessToken: 'x' }],
      ['password', { password: 'x' }],
    ] as const)
      expect(() => make(extraBody as JsonObject), key).toThrow(new RegExp(`extraBody.*${key}.*no credential`));
    for (const extraBody of [{ max_thinking_tokens: 5 }, { return_token_ids: false }, { prompt_cache_key: 'k' }])
      expect(() => make(extraBody), JSON.stringify(extraBody)).not.toThrow();
  });

  it('refuses streams, and what JSON cannot carry', () => {
    for (const extraBody of [{ stream: true }, { stream_options: {} }, { max_tokens: 5 }, { messages: [] }])
      expect(() => make(extraBody), JSON.stringify(extraBody)).toThrow(/extraBody\.\w+: expected a field/);
    const unfit: unknown[] = [[], 'text', { when: new Date(0) }, { n: Number.NaN }, { f: () => 1 }];
    for (const extraBody of unfit) expect(() => make(extraBody as JsonObject)).toThrow(TypeError);
  });

  it('is a copy: what the host changes later changes no request', async () => {
    const given = { nested: { on: true } };
    const made = make(given);
    given.nested.on = false;
    expect(made.extraBody).toEqual({ nested: { on: true } });
  });
});
