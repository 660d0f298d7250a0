import { redactForLlm } from '../src/egress/redact-for-llm.js';
import type { JsonObject, JsonValue } from '../src/foundation/json.js';
import type { HttpClient, HttpRequest, HttpResponse } from '../src/http/http-client.js';
import type { LlmCallOptions, LlmProvider, LlmReply, LlmRequest, StructuredMode } from '../src/llm/llm-provider.js';
import { createMarkerRedactor } from '../src/testing/support/marker-redactor.js';

/** One answer of a scripted transport. */
export interface ScriptedAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: JsonValue | string;
}

/** A transport in this process that answers in order, the last answer for ever, and keeps the requests. */
export function scriptHttp(...answers: readonly ScriptedAnswer[]): { http: HttpClient; requests: HttpRequest[] } {
  const requests: HttpRequest[] = [];
  const http: HttpClient = {
    async exchange(request): Promise<HttpResponse> {
      const { status = 200, headers = {}, body = {} } = answers[Math.min(requests.length, answers.length - 1)] ?? {};
      requests.push(request);
      return { status, headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) };
    },
    async close() {},
  };
  return { http, requests };
}

/** A small schema with an optional property and keywords that vendors do not know. */
export const sampleSchema: JsonObject = {
  type: 'object',
  properties: {
    findings: { type: 'array', maxItems: 9, items: { type: 'string', minLength: 1 } },
    note: { type: 'string' },
  },
  required: ['findings'],
};

/** The same schema as vendors take it that let a property be left out. */
export const sampleOptionalSchema: JsonObject = {
  type: 'object',
  properties: { findings: { type: 'array', items: { type: 'string' } }, note: { type: 'string' } },
  required: ['findings'],
  additionalProperties: false,
};

/** Two turns of the user round one of the model, in this mode. */
export function sampleRequest(mode: StructuredMode): LlmRequest {
  const { pieces } = redactForLlm({
    redactor: createMarkerRedactor(),
    texts: ['+ a "b"\n', '{}', 'Again.'].map((text) => ({ name: 'turn', text })),
  });
  return {
    system: 'Review.',
    turns: pieces.map(({ text }, n) => ({ role: n % 2 === 0 ? 'user' : 'assistant', text })),
    schema: sampleSchema,
    schemaName: 'review',
    mode,
    maxOutputTokens: 500,
  };
}

/** The body that a provider prepares in this mode. */
export async function preparedBody(provider: LlmProvider, mode: StructuredMode): Promise<JsonObject> {
  const { body } = await provider.prepare(sampleRequest(mode), callOptions());
  return JSON.parse(body) as JsonObject;
}

/** Options of a call that nobody ends. */
export const callOptions = (): LlmCallOptions => ({ signal: new AbortController().signal, timeoutMs: 1_000 });

/** A reply's stop state, or the category and code of the failure. */
export async function sendSample(provider: LlmProvider): Promise<string> {
  const [mode = 'prompt'] = provider.modes;
  const prepared = await provider.prepare(sampleRequest(mode), callOptions());
  return provider.send(prepared, callOptions()).then(
    (reply: LlmReply) => reply.stop,
    (error: { category: string; code: string; parks: boolean; retryAfterMs?: number }) =>
      [error.category, error.code, error.parks ? 'parks' : '', error.retryAfterMs ?? '']
        .filter((one) => one !== '')
        .join(' '),
  );
}
