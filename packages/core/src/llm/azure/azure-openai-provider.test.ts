import { describe, expect, it } from 'vitest';
import { preparedBody, sampleRequest, scriptHttp, sendSample } from '../../../test/provider-samples.js';
import { createEnvironmentSecrets } from '../../secrets/environment-secrets.js';
import { type AzureOpenAiProviderOptions, createAzureOpenAiProvider } from './azure-openai-provider.js';

const key = `k${Date.now()}`;
const credential = { source: createEnvironmentSecrets({ env: { KEY: key } }), name: 'KEY' };
const make = (more: Partial<AzureOpenAiProviderOptions> = {}) =>
  createAzureOpenAiProvider({
    id: 'azure',
    model: 'gpt team',
    endpoint: 'https://house.openai.azure.com/',
    apiKey: credential,
    http: scriptHttp().http,
    limits: { contextTokens: 8_000, maxOutputTokens: 1_000 },
    ...more,
  });

describe('createAzureOpenAiProvider', () => {
  it('EGR-3: goes to the path of its API and version', () => {
    const url = (more: Partial<AzureOpenAiProviderOptions>) => make(more).prepare(sampleRequest('prompt')).url;
    const base = 'https://house.openai.azure.com/openai';
    expect(url({})).toBe(`${base}/v1/chat/completions`);
    expect(url({ api: 'responses' })).toBe(`${base}/v1/responses`);
    expect(url({ apiVersion: '2024-10-21' })).toBe(
      `${base}/deployments/gpt%20team/chat/completions?api-version=2024-10-21`,
    );
    expect(url({ api: 'responses', apiVersion: '2025-04-01-preview' })).toBe(
      `${base}/responses?api-version=2025-04-01-preview`,
    );
  });

  it('EGR-3: the body names the deployment, and Responses keep nothing', async () => {
    expect(await preparedBody(make(), 'json_object')).toMatchObject({ model: 'gpt team', max_completion_tokens: 500 });
    expect(await preparedBody(make({ api: 'responses' }), 'prompt')).toMatchObject({ model: 'gpt team', store: false });
  });

  it('INT-4: sends a key as api-key, a token of Entra ID as Bearer, and wants exactly one', async () => {
    const { http, requests } = scriptHttp({ body: { choices: [] } });
    await sendSample(make({ http }));
    await sendSample(make({ http, apiKey: undefined, entraToken: credential }));
    expect(requests.map(({ headers }) => [headers?.['api-key'], headers?.['authorization']])).toEqual([
      [key, undefined],
      [undefined, `Bearer ${key}`],
    ]);
    expect(() => make({ apiKey: undefined })).toThrow('exactly one');
    expect(() => make({ entraToken: credential })).toThrow('exactly one');
  });

  it('INV-4: a prompt that the resource filters is filtered, not clean', async () => {
    const error = { code: 'content_filter', innererror: { code: 'ResponsibleAIPolicyViolation' } };
    expect(await sendSample(make({ http: scriptHttp({ status: 400, body: { error } }).http }))).toBe(
      'content_filtered',
    );
  });
});
