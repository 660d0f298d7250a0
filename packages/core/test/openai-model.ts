import type { JsonValue } from '../src/foundation/json.js';
import type { HttpClient } from '../src/http/http-client.js';
import { createOpenAiChatProvider, type OpenAiChatProviderOptions } from '../src/llm/openai/openai-chat-provider.js';
import { builtInVariant } from '../src/prompt/built-in-variant.js';

/** What a request to Chat Completions says. */
export interface ModelRequestBody {
  messages: readonly { role: string; content: string }[];
  response_format?: { type: string; json_schema?: { schema: JsonValue } };
  tools?: readonly object[];
  max_completion_tokens: number;
}

export interface ModelAnswerBody {
  status?: number;
  body: JsonValue;
}

/** A review as a model writes it. */
export const reviewText = (findings: readonly object[], more: object = {}): string =>
  JSON.stringify({
    schema_version: builtInVariant.schemaVersion,
    prompt_version: builtInVariant.promptVersion,
    findings,
    ...more,
  });

/** A Chat Completions reply with this message. */
export const chat = (message: JsonValue, finish_reason = 'stop'): ModelAnswerBody => ({
  body: { choices: [{ index: 0, message, finish_reason }] },
});

/** A reply with this text. */
export const says = (content: string, finish_reason = 'stop'): ModelAnswerBody =>
  chat({ role: 'assistant', content }, finish_reason);

/**
 * The real OpenAI provider over a transport in this process that answers with a function of the
 * request and its number, from 1.
 */
export function openAiModel(
  answer: (request: ModelRequestBody, n: number) => ModelAnswerBody,
  more: Partial<Pick<OpenAiChatProviderOptions, 'limits' | 'modes'>> = {},
) {
  const requests: ModelRequestBody[] = [];
  const http: HttpClient = {
    async exchange({ body }) {
      const request = JSON.parse(String(body)) as ModelRequestBody;
      requests.push(request);
      const { status = 200, body: answered } = answer(request, requests.length);
      return { status, headers: {}, body: Buffer.from(JSON.stringify(answered)) };
    },
    async close() {},
  };
  const limits = { contextTokens: 32_000, maxOutputTokens: 4_096 };
  const llm = createOpenAiChatProvider({
    id: 'house',
    model: 'm-1',
    baseUrl: 'https://models/v1',
    http,
    limits,
    ...more,
  });
  return { llm, requests, users: () => requests.map(({ messages }) => messages.at(-1)?.content ?? '') };
}
