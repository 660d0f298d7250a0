import { describe, expect, it } from 'vitest';
import { sampleRequest, scriptHttp } from '../../test/provider-samples.js';
import { createEnvironmentSecrets } from '../secrets/environment-secrets.js';
import { createLlmProvider, llmProtocols } from './named-protocol.js';

const make = (protocol: string, baseUrl = 'https://models.example') =>
  createLlmProvider({
    protocol,
    id: 'house',
    model: 'm-1',
    baseUrl,
    http: scriptHttp().http,
    apiKey: { source: createEnvironmentSecrets({ env: {} }), name: 'KEY' },
    limits: { contextTokens: 8_000, maxOutputTokens: 1_000 },
  });

describe('createLlmProvider', () => {
  it('EGR-3: makes a provider of each protocol, at the address of its vendor’s client', () => {
    const urls = llmProtocols.map((protocol) => [protocol, make(protocol).prepare(sampleRequest('prompt')).url]);
    expect(Object.fromEntries(urls)).toEqual({
      'openai-chat': 'https://models.example/chat/completions',
      'openai-responses': 'https://models.example/responses',
      'azure-openai': 'https://models.example/openai/v1/chat/completions',
      anthropic: 'https://models.example/v1/messages',
      gemini: 'https://models.example/v1/models/m-1:generateContent',
      ollama: 'https://models.example/api/chat',
      bedrock: 'https://models.example/model/m-1/converse',
    });
  });

  it('names the protocols where it does not know one', () => {
    expect(() => make('telepathy')).toThrow(/protocol expects one of openai-chat, .*bedrock/);
    expect(() => make('toString')).toThrow('protocol expects');
  });

  it('says what it expects, by its own name and options', () => {
    const call = createLlmProvider as (options?: unknown) => unknown;
    for (const options of [undefined, null, 3, []])
      expect(() => call(options)).toThrow(/^createLlmProvider: expected an object with id, model, .*protocol$/);
    const common = { id: 'house', model: 'm-1', baseUrl: 'https://models.example', http: scriptHttp().http };
    const options = { ...common, limits: { contextTokens: 8_000, maxOutputTokens: 1_000 } };
    for (const protocol of ['azure-openai', 'bedrock']) {
      expect(() => call({ ...options, protocol })).toThrow(/^createLlmProvider: apiKey: expected .* needs$/);
      expect(() => call({ ...options, protocol, baseUrl: 'models' })).toThrow(/^createLlmProvider: baseUrl expects/);
    }
    expect(() => call({ ...options, protocol: 'ollama', id: 3 })).toThrow(/^createLlmProvider: id expects/);
    expect(() => call({ ...options, protocol: 'ollama', bseUrl: '' })).toThrow(/^createLlmProvider: bseUrl: unknown/);
  });
});
