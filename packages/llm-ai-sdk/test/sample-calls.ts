import type { HttpClient } from '@criticizer/core/http';
import {
  type LlmCallOptions,
  type LlmProvider,
  type LlmRequest,
  redactForLlm,
  type StructuredMode,
} from '@criticizer/core/llm';
import type { Redactor } from '@criticizer/core/ports';
import { type AiSdkModel, type AiSdkProviderOptions, createAiSdkProvider, type ModelFetch } from '../src/index.js';

/** Finds nothing: for texts without anything to find. */
const redactor: Redactor = {
  contract: 1,
  rules: { version: '1', policyHash: '0'.repeat(64) },
  session: () => ({ redact: (text) => ({ text, findings: [], counts: {} }) }),
  scan: () => [],
};

export const limits = { contextTokens: 8_000, maxOutputTokens: 1_000 };

/** A request with this text. */
export function makeRequest(text = '+ a', mode: StructuredMode = 'prompt'): LlmRequest {
  const { pieces } = redactForLlm({ redactor, texts: [{ name: 'diff', text }] });
  const turns = pieces.map((piece) => ({ role: 'user' as const, text: piece.text }));
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  return { system: 'Review.', turns, schema, schemaName: 'review', mode, maxOutputTokens: 10 };
}

/** Options of a call that nobody ends. */
export const inTime = (timeoutMs = 30_000): LlmCallOptions => ({ signal: new AbortController().signal, timeoutMs });

/** A provider of this model at this origin. */
export function makeProvider(
  { origin, http }: { origin: string; http: HttpClient },
  model: AiSdkProviderOptions['model'],
  more: Partial<AiSdkProviderOptions> = {},
): LlmProvider {
  return createAiSdkProvider({ id: 'house', model, host: new URL(origin).host, http, limits, ...more });
}

/** Prepares a request and sends it. */
export async function sendOnce(provider: LlmProvider, text?: string) {
  return provider.send(await provider.prepare(makeRequest(text), inTime()), inTime());
}

type GenerateOptions = Parameters<AiSdkModel['doGenerate']>[0];

/** A hand-made model; `work` is its call, with the `fetch` that it is built with. */
export const makeModel =
  (work: (fetch: ModelFetch, options: GenerateOptions) => Promise<unknown>) =>
  (fetch: ModelFetch): AiSdkModel => ({
    specificationVersion: 'v3',
    provider: 'hand-made',
    modelId: 'm-1',
    doGenerate: (options) => work(fetch, options),
  });

/** A client that keeps what it is given to send, and answers with an empty object. */
export function createCollectingClient(): HttpClient & { sent: string[]; origin: string; http: HttpClient } {
  const sent: string[] = [];
  const http: HttpClient = {
    exchange: async ({ url, body }) => {
      sent.push(`${url} ${String(body)}`);
      return { status: 200, headers: {}, body: Buffer.from('{}') };
    },
    close: async () => undefined,
  };
  return { ...http, http, sent, origin: 'https://models.example' };
}
