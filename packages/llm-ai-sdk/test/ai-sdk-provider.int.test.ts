import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createHttpClient } from '@criticizer/core/http';
import { type LlmRequest, noUsage, redactForLlm } from '@criticizer/core/llm';
import type { Redactor } from '@criticizer/core/ports';
import {
  contractReplyText,
  describeLlmProviderContract,
  type LlmPeerScene,
  type LlmProviderUnderTest,
} from '@criticizer/core/testing';
import { describe, expect, it } from 'vitest';
import { type AiSdkModel, createAiSdkProvider, createModelFetch } from '../src/index.js';

const said = (content: string | null, finish_reason: string, more: object = {}) => ({
  status: 200,
  body: {
    id: 'c',
    choices: [{ index: 0, message: { role: 'assistant', content, ...more }, finish_reason }],
    usage: {
      prompt_tokens: 9,
      completion_tokens: 4,
      prompt_tokens_details: { cached_tokens: 6 },
      completion_tokens_details: { reasoning_tokens: 3 },
    },
  },
});
const failed = (status: number, error: object) => ({ status, body: { error: { message: 'no', ...error } } });

const scenes: Readonly<Partial<Record<LlmPeerScene, { status: number; body: object | string }>>> = {
  complete: said(contractReplyText, 'stop'),
  truncated: said(contractReplyText.slice(0, 8), 'length'),
  filtered: said('', 'content_filter'),
  refused: said(null, 'stop', { refusal: 'I cannot help with that.' }),
  empty: said('', 'stop'),
  context_overflow: failed(400, { code: 'context_length_exceeded' }),
  unknown_stop: said(contractReplyText, 'moon_phase'),
  unknown_stop_cut: said(contractReplyText.slice(0, 8), 'moon_phase'),
  rate_limited: failed(429, { code: 'rate_limit_exceeded' }),
  unavailable: failed(503, { type: 'server_error' }),
  unauthorized: failed(401, { code: 'invalid_api_key' }),
  unreadable: { status: 200, body: '<html>gateway</html>' },
};

async function createUnderTest(): Promise<LlmProviderUnderTest> {
  const seen: { url: string; headers: IncomingHttpHeaders; body: string }[] = [];
  let scene: LlmPeerScene = 'complete';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
      const answer = scenes[scene];
      if (answer === undefined) return;
      response.writeHead(answer.status, { 'content-type': 'application/json', 'retry-after': '7' });
      response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = createHttpClient({ allowPrivateOrigins: [origin] });
  const credential = randomBytes(16).toString('hex');
  const fetch = createModelFetch();
  const vendor = createOpenAICompatible({
    name: 'house',
    baseURL: `${origin}/v1`,
    apiKey: credential,
    supportsStructuredOutputs: true,
    fetch,
  });
  return {
    provider: createAiSdkProvider({
      id: 'house',
      model: vendor('m-1'),
      fetch,
      http,
      limits: { contextTokens: 8_000, maxOutputTokens: 1_000 },
    }),
    credential,
    usage: { ...noUsage, inputTokens: 9, outputTokens: 4, cachedInputTokens: 6, reasoningTokens: 3 },
    play: (next) => {
      scene = next;
    },
    requests: () => seen,
    async dispose() {
      server.closeAllConnections();
      await http.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describeLlmProviderContract({ describe, it }, { create: createUnderTest });

/** Finds nothing: for texts without anything to find. */
const redactor: Redactor = {
  contract: 1,
  rules: { version: '1', policyHash: '0'.repeat(64) },
  session: () => ({ redact: (text) => ({ text, findings: [], counts: {} }) }),
  scan: () => [],
};

function sampleRequest(): LlmRequest {
  const [piece] = redactForLlm({ redactor, texts: [{ name: 'diff', text: '+ a' }] }).pieces;
  if (piece === undefined) throw new Error('one text was given');
  const schema = { type: 'object', properties: {}, required: [] };
  const turns = [{ role: 'user', text: piece.text }] as const;
  return { system: 's', turns, schema, schemaName: 'n', mode: 'prompt', maxOutputTokens: 10 };
}

describe('createAiSdkProvider', () => {
  it('refuses the name of a model, and one of V2', () => {
    const model: AiSdkModel = {
      specificationVersion: 'v2',
      provider: 'p',
      modelId: 'm',
      doGenerate: async () => undefined,
    };
    for (const wrong of ['openai/m', model])
      expect(() =>
        createAiSdkProvider({
          id: 'x',
          model: wrong as AiSdkModel,
          fetch: createModelFetch(),
          http: createHttpClient({}),
          limits: { contextTokens: 8_000, maxOutputTokens: 1_000 },
        }),
      ).toThrow(/model: expected a model of the AI SDK/);
  });

  it('EGR-2: its fetch sends nothing outside a call of the provider', async () => {
    await expect(createModelFetch()('http://127.0.0.1:1/', { method: 'POST', body: '{}' })).rejects.toMatchObject({
      code: 'HTTP_BLOCKED',
      details: { reason: 'outside_provider' },
    });
  });

  it('EGR-3: a model whose time is over sends nothing afterwards', async () => {
    const sent: string[] = [];
    const http = {
      exchange: async ({ body }: { body?: string | Uint8Array | undefined }) => {
        sent.push(String(body));
        return { status: 200, headers: {}, body: Buffer.from('{}') };
      },
      close: async () => undefined,
    };
    const modelFetch = createModelFetch();
    let isSlow = false;
    let goOn: () => void = () => undefined;
    let ended: Promise<unknown> = Promise.resolve();
    const model: AiSdkModel = {
      specificationVersion: 'v3',
      provider: 'slow',
      modelId: 'm',
      doGenerate: () => {
        const work = (async () => {
          // A credential that comes late.
          if (isSlow) await new Promise<void>((resolve) => (goOn = resolve));
          await modelFetch('https://models.example/v1', { method: 'POST', body: '{}' });
        })();
        ended = work.catch(() => undefined);
        return work;
      },
    };
    const limits = { contextTokens: 8_000, maxOutputTokens: 1_000 };
    const provider = createAiSdkProvider({ id: 'slow', model, fetch: modelFetch, http, limits });
    const { signal } = new AbortController();
    const prepared = await provider.prepare(sampleRequest(), { signal, timeoutMs: 1_000 });
    isSlow = true;
    await expect(provider.send(prepared, { signal, timeoutMs: 20 })).rejects.toMatchObject({ code: 'NETWORK_TIMEOUT' });
    goOn();
    await ended;
    expect(sent).toEqual([]);
  });
});
