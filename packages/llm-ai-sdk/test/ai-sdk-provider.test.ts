import { randomUUID } from 'node:crypto';
import { createAnthropic } from '@ai-sdk/anthropic';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ModelFetch } from '../src/index.js';
import { createModelFetch } from '../src/model-fetch.js';
import { createCollectingClient, inTime, makeModel, makeProvider, makeRequest, sendOnce } from './sample-calls.js';

const url = 'https://models.example/v1';
const post = (body = '{}') => ({ method: 'POST', body });

describe('createAiSdkProvider', () => {
  it('refuses what is no function of a fetch, and what builds no model of V3 or V4', () => {
    const there = createCollectingClient();
    const valid = makeModel(async () => undefined)(fetch);
    for (const wrong of ['openai/m', valid, () => valid])
      expect(() => makeProvider(there, wrong as never)).toThrow(/model: expected a function that builds the model/);
    for (const wrong of ['openai/m', { ...valid, specificationVersion: 'v2' }])
      expect(() => makeProvider(there, (_fetch) => wrong as never)).toThrow(/expected to build a model of the AI SDK/);
  });

  it('EGR-2: names the host of its requests, and refuses a model that sends elsewhere', async () => {
    const there = createCollectingClient();
    const model = makeModel((fetch) => fetch(url, post()));
    expect(makeProvider(there, model).host).toBe('models.example');
    for (const host of ['https://models.example', 'models.example/v1', 'MODELS.example', '', 'u@models.example'])
      expect(() => makeProvider(there, model, { host })).toThrow(/host: expected a host like/);
    await expect(
      makeProvider(there, model, { host: 'other.example' }).prepare(makeRequest(), inTime()),
    ).rejects.toThrow("host: expected 'models.example', to which the model sends; got 'other.example'");
    expect(there.sent).toEqual([]);
  });

  it('EGR-2: the fetch of a model sends nothing outside a call of the provider', async () => {
    await expect(createModelFetch().fetch(url, post())).rejects.toMatchObject({
      code: 'HTTP_BLOCKED',
      details: { reason: 'outside_provider' },
    });
  });

  it('EGR-3: a model whose time is over sends nothing afterwards', async () => {
    const there = createCollectingClient();
    let isSlow = false;
    let goOn: () => void = () => undefined;
    let ended: Promise<unknown> = Promise.resolve();
    const model = makeModel((fetch) => {
      const work = (async () => {
        // A credential that comes late.
        if (isSlow) await new Promise<void>((resolve) => (goOn = resolve));
        await fetch(url, post());
      })();
      ended = work.catch(() => undefined);
      return work;
    });
    const provider = makeProvider(there, model);
    const prepared = await provider.prepare(makeRequest(), inTime());
    isSlow = true;
    await expect(provider.send(prepared, inTime(20))).rejects.toMatchObject({ code: 'NETWORK_TIMEOUT' });
    goOn();
    await ended;
    expect(there.sent).toEqual([]);
  });

  it('ERR-1: a model that fails before its request parks the stage, and its words are dropped', async () => {
    const there = createCollectingClient();
    const words = 'no credential for canary-5d1f';
    const failing = makeModel(async () => {
      throw new RangeError(words);
    });
    const failure = makeProvider(there, failing).prepare(makeRequest(), inTime());
    await expect(failure).rejects.toMatchObject({
      code: 'LLM_MODEL_FAILED',
      category: 'network',
      parks: true,
      details: { name: 'RangeError' },
    });
    await expect(failure).rejects.not.toThrow(/canary/);
  });
});

describe('a model that the environment redirects', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  it('EGR-2: is refused before it sends', async () => {
    vi.stubEnv('ANTHROPIC_BASE_URL', 'https://elsewhere.example/v1');
    const there = createCollectingClient();
    const build = (fetch: ModelFetch) => createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-5');
    await expect(sendOnce(makeProvider(there, build, { host: 'api.anthropic.com' }))).rejects.toThrow(
      "host: expected 'elsewhere.example', to which the model sends; got 'api.anthropic.com'",
    );
    expect(there.sent).toEqual([]);
  });
});

describe('a model whose request changes between prepare and send', () => {
  const changes = {
    'another body': (nth: number) => [[url, post(`{"n":${nth}}`)]],
    'another path': (nth: number) => [[`${url}/${nth}`, post()]],
    'another host': (nth: number) => [[nth < 3 ? url : 'https://elsewhere.example/v1', post()]],
    'another method': (nth: number) => [[url, { ...post(), method: nth < 3 ? 'POST' : 'PUT' }]],
  } as const;
  for (const [name, read] of Object.entries(changes))
    it(`EGR-1: ${name}: nothing is sent`, async () => {
      const there = createCollectingClient();
      let nth = 0;
      const model = makeModel(async (fetch) => {
        nth += 1;
        for (const [to, init] of read(nth)) await fetch(to as string, init as RequestInit);
      });
      const provider = makeProvider(there, model);
      await expect(sendOnce(provider)).rejects.toMatchObject({
        code: 'LLM_REQUEST_CHANGED',
        category: 'policy',
        details: { host: 'models.example' },
      });
      expect(there.sent).toEqual([]);
    });

  it('EGR-1: a model of the AI SDK behind a fetch that adds an id: nothing is sent', async () => {
    const there = createCollectingClient();
    const build = (fetch: ModelFetch) =>
      createAnthropic({
        apiKey: 'k',
        baseURL: url,
        fetch: (input, init) => fetch(input, { ...init, body: JSON.stringify({ id: randomUUID(), of: init?.body }) }),
      })('claude-sonnet-4-5');
    await expect(sendOnce(makeProvider(there, build))).rejects.toMatchObject({ code: 'LLM_REQUEST_CHANGED' });
    expect(there.sent).toEqual([]);
  });

  it('EGR-1: a second request of one send is not sent', async () => {
    const there = createCollectingClient();
    let calls = 0;
    const model = makeModel(async (fetch, { abortSignal }) => {
      await fetch(url, post());
      if (abortSignal?.aborted === false) calls += 1;
      await fetch(url, post());
    });
    await expect(sendOnce(makeProvider(there, model))).rejects.toMatchObject({ code: 'LLM_REQUEST_CHANGED' });
    expect(calls).toBe(1);
    expect(there.sent).toEqual([`${url} {}`]);
  });

  it('EGR-1: two requests while one is prepared are refused', async () => {
    const there = createCollectingClient();
    const model = makeModel(async (fetch) => {
      for (const _ of [1, 2]) await fetch(url, post()).catch(() => undefined);
    });
    await expect(sendOnce(makeProvider(there, model))).rejects.toThrow(/expected one that makes one POST/);
    expect(there.sent).toEqual([]);
  });

  it('SEC-4: a request with a credential in its URL is refused', async () => {
    const there = createCollectingClient();
    const model = makeModel((fetch) => fetch(`${url}?api_key=abc`, post()));
    await expect(sendOnce(makeProvider(there, model))).rejects.toThrow(/credential in a header, not in the URL/);
    expect(there.sent).toEqual([]);
  });
});
