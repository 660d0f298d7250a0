import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../src/foundation/json.js';
import type { HttpClient } from '../src/http/http-client.js';
import { createAnthropicProvider } from '../src/llm/anthropic/anthropic-provider.js';
import { createAzureOpenAiProvider } from '../src/llm/azure/azure-openai-provider.js';
import { createBedrockProvider } from '../src/llm/bedrock/bedrock-provider.js';
import { createGeminiProvider } from '../src/llm/gemini/gemini-provider.js';
import type { LlmProvider } from '../src/llm/llm-provider.js';
import { createOllamaProvider } from '../src/llm/ollama/ollama-provider.js';
import { createOpenAiChatProvider } from '../src/llm/openai/openai-chat-provider.js';
import { createOpenAiResponsesProvider } from '../src/llm/openai/openai-responses-provider.js';
import { createEnvironmentSecrets } from '../src/secrets/environment-secrets.js';

const randomName = (): string => randomBytes(16).toString('hex');
const secrets = createEnvironmentSecrets({ env: { KEY: randomName() } });
const id = 'vendor';
const model = 'm-1';
const limits = { contextTokens: 8_000, maxOutputTokens: 1_000 };

/** One vendor: its provider at an origin, a whole reply, and its refusal of a response schema. */
export interface VendorWire {
  name: string;
  create(origin: string, http: HttpClient): LlmProvider;
  /** A 200 that ended well and says this. */
  reply(text: string): JsonObject;
  schemaRefusal: { status: number; body: JsonObject };
}

const chatReply = (content: string): JsonObject => ({
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});
const openAiRefusal = (param: string) => ({
  status: 400,
  body: {
    error: {
      message: "Invalid schema for response_format 'review': In context=(), 'required' is required to be supplied.",
      type: 'invalid_request_error',
      param,
      code: null,
    },
  },
});

/** Every protocol once. */
export const vendorWires: readonly VendorWire[] = [
  {
    name: 'openai-chat',
    create: (origin, http) => createOpenAiChatProvider({ id, model, limits, http, baseUrl: `${origin}/v1` }),
    reply: chatReply,
    schemaRefusal: openAiRefusal('response_format'),
  },
  {
    name: 'openai-responses',
    create: (origin, http) => createOpenAiResponsesProvider({ id, model, limits, http, baseUrl: `${origin}/v1` }),
    reply: (text) => ({
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
    }),
    schemaRefusal: openAiRefusal('text.format.schema'),
  },
  {
    name: 'azure-openai',
    create: (origin, http) =>
      createAzureOpenAiProvider({
        id,
        model,
        limits,
        http,
        endpoint: origin,
        apiKey: { name: 'KEY', source: secrets },
      }),
    reply: chatReply,
    schemaRefusal: openAiRefusal('response_format'),
  },
  {
    name: 'anthropic',
    create: (origin, http) => createAnthropicProvider({ id, model, limits, http, baseUrl: origin }),
    reply: (text) => ({ type: 'message', content: [{ type: 'text', text }], stop_reason: 'end_turn' }),
    schemaRefusal: {
      status: 400,
      body: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: "output_config.format.schema: For 'array' type, property 'maxItems' is not supported",
        },
      },
    },
  },
  {
    name: 'gemini',
    create: (origin, http) => createGeminiProvider({ id, model, limits, http, baseUrl: origin }),
    reply: (text) => ({ candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }] }),
    schemaRefusal: {
      status: 400,
      body: {
        error: {
          code: 400,
          status: 'INVALID_ARGUMENT',
          message: 'The specified schema produces a constraint that has too many states for serving.',
        },
      },
    },
  },
  {
    name: 'ollama',
    create: (origin, http) => createOllamaProvider({ id, model, limits, http, baseUrl: origin }),
    reply: (content) => ({ message: { role: 'assistant', content }, done: true, done_reason: 'stop' }),
    schemaRefusal: { status: 400, body: { error: 'invalid JSON schema in format' } },
  },
  {
    name: 'bedrock',
    create: (origin, http) =>
      createBedrockProvider({
        id,
        model,
        limits,
        http,
        region: 'eu-central-1',
        endpoint: origin,
        credentials: async () => ({ accessKeyId: randomName(), secretAccessKey: randomName() }),
      }),
    reply: (text) => ({ output: { message: { role: 'assistant', content: [{ text }] } }, stopReason: 'end_turn' }),
    schemaRefusal: {
      status: 400,
      body: {
        __type: 'ValidationException',
        message: "output_config.format.schema: For 'array' type, property 'maxItems' is not supported",
      },
    },
  },
];
