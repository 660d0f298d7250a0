import { describe, expect, it } from 'vitest';
import { type LlmProvider, noUsage } from '../../../llm/llm-provider.js';
import { collectCases, failedCases } from '../../support/collecting-runner.js';
import { describeLlmProviderContract } from './llm-provider-contract.js';

const honest: LlmProvider = {
  contract: 1,
  id: 'house',
  model: 'm-1',
  host: 'models.example:8443',
  limits: { contextTokens: 8_000, maxOutputTokens: 1_000 },
  modes: ['json_object', 'prompt'],
  prepare: () => ({ method: 'POST', url: 'https://models.example:8443/v1', headers: {}, body: '{}', model: 'm-1' }),
  send: () => Promise.reject(new Error('nothing is sent here')),
};

/** The cases of the host that fail for a provider with this fault. */
async function convictions(fault: Partial<LlmProvider>): Promise<string[]> {
  const create = async () => ({
    provider: { ...honest, ...fault },
    credential: null,
    usage: noUsage,
    play: () => undefined,
    requests: () => [],
    dispose: async () => undefined,
  });
  const cases = collectCases(describeLlmProviderContract, { create }).filter(({ name }) => name.includes('EGR-2: '));
  expect(cases).toHaveLength(1);
  return (await failedCases(cases)).map(({ name }) => name);
}

describe('the LLM provider contract', () => {
  it('EGR-2: lets go a provider on its host, and one that declares none', async () => {
    expect(await convictions({})).toEqual([]);
    expect(await convictions({ host: undefined })).toEqual([]);
  });

  it.each<[string, Partial<LlmProvider>]>([
    ['another host', { host: 'models.internal:8443' }],
    ['a host without its port', { host: 'models.example' }],
    [
      'another host in one mode',
      {
        async prepare(request, options) {
          const prepared = await honest.prepare(request, options);
          return request.mode === 'prompt' ? { ...prepared, url: 'https://elsewhere.example/v1' } : prepared;
        },
      },
    ],
  ])('EGR-2: convicts one that declares a host and prepares for %s', async (_what, fault) => {
    expect(await convictions(fault)).toEqual([expect.stringContaining('EGR-2: a declared host')]);
  });
});
