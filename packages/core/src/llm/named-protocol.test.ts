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
});
