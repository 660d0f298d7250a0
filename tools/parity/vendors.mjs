// One row a vendor: our provider, and the same review asked for through the vendor's own client.
import Anthropic from '@anthropic-ai/sdk';
import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import {
  createAnthropicProvider,
  createAzureOpenAiProvider,
  createBedrockProvider,
  createGeminiProvider,
  createOllamaProvider,
  createOpenAiChatProvider,
  createOpenAiResponsesProvider,
} from '@criticizer/core/llm';
import { GoogleGenAI } from '@google/genai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { Ollama } from 'ollama';
import OpenAI, { AzureOpenAI } from 'openai';

const model = 'm-1';
const region = 'eu-central-1';
const noRetry = { maxRetries: 0 };
export const limits = { contextTokens: 8_000, maxOutputTokens: 1_000 };
const base = (http) => ({ id: 'parity', model, http, limits });
const chatReply = {
  choices: [{ index: 0, message: { role: 'assistant', content: '{}' }, finish_reason: 'stop' }],
};

const chatParams = (systemRole) => (ask) => ({
  model,
  max_completion_tokens: ask.maxOutputTokens,
  messages: [{ role: systemRole, content: ask.system }, ...ask.turns],
  ...{
    json_schema: {
      response_format: { type: 'json_schema', json_schema: { name: ask.name, strict: true, schema: ask.strictSchema } },
    },
    tool: {
      tools: [{ type: 'function', function: { name: ask.name, strict: true, parameters: ask.strictSchema } }],
      tool_choice: { type: 'function', function: { name: ask.name } },
      parallel_tool_calls: false,
    },
    json_object: { response_format: { type: 'json_object' } },
  }[ask.mode],
});
const responsesParams = (ask) => ({
  model,
  instructions: ask.system,
  input: ask.turns,
  max_output_tokens: ask.maxOutputTokens,
  ...{
    json_schema: { text: { format: { type: 'json_schema', name: ask.name, strict: true, schema: ask.strictSchema } } },
    tool: {
      tools: [{ type: 'function', name: ask.name, strict: true, parameters: ask.strictSchema }],
      tool_choice: { type: 'function', name: ask.name },
      parallel_tool_calls: false,
    },
    json_object: { text: { format: { type: 'json_object' } } },
  }[ask.mode],
});
const anthropicParams = (ask) => ({
  model,
  max_tokens: ask.maxOutputTokens,
  system: ask.system,
  messages: ask.turns,
  ...{
    json_schema: { output_config: { format: { type: 'json_schema', schema: ask.schema } } },
    tool: {
      tools: [{ name: ask.name, strict: true, input_schema: ask.schema }],
      tool_choice: { type: 'tool', name: ask.name, disable_parallel_tool_use: true },
    },
  }[ask.mode],
});
const geminiParams = (ask) => ({
  model,
  contents: ask.turns.map(({ role, content }) => ({
    role: role === 'assistant' ? 'model' : 'user',
    parts: [{ text: content }],
  })),
  config: {
    systemInstruction: { parts: [{ text: ask.system }] },
    maxOutputTokens: ask.maxOutputTokens,
    ...{
      json_schema: { responseMimeType: 'application/json', responseJsonSchema: ask.schema },
      tool: {
        tools: [{ functionDeclarations: [{ name: ask.name, parametersJsonSchema: ask.schema }] }],
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [ask.name] } },
      },
      json_object: { responseMimeType: 'application/json' },
    }[ask.mode],
  },
});
const ollamaParams = (ask) => ({
  model,
  stream: false,
  messages: [{ role: 'system', content: ask.system }, ...ask.turns],
  options: { num_predict: ask.maxOutputTokens },
  ...{ json_schema: { format: ask.schema }, json_object: { format: 'json' } }[ask.mode],
});
const bedrockParams = (ask) => ({
  modelId: model,
  messages: ask.turns.map(({ role, content }) => ({ role, content: [{ text: content }] })),
  system: [{ text: ask.system }],
  inferenceConfig: { maxTokens: ask.maxOutputTokens },
  ...{
    json_schema: {
      outputConfig: {
        textFormat: {
          type: 'json_schema',
          structure: { jsonSchema: { name: ask.name, schema: JSON.stringify(ask.schema) } },
        },
      },
    },
    tool: {
      toolConfig: {
        tools: [{ toolSpec: { name: ask.name, inputSchema: { json: ask.schema } } }],
        toolChoice: { tool: { name: ask.name } },
      },
    },
  }[ask.mode],
});

const azure =
  (options) =>
  (origin, http, { apiKey }) =>
    createAzureOpenAiProvider({ ...base(http), endpoint: origin, ...options(apiKey) });
const chatVersion = '2024-10-21';
const responsesVersion = '2025-04-01-preview';

/**
 * `send` asks through the vendor's client. `byDesign`: fields that we set and the client leaves to
 * its caller. `aimock`: how aimock's cut reply is read; left out where aimock has no such path.
 */
export const vendors = [
  {
    name: 'openai-chat',
    reply: chatReply,
    ours: (origin, http, { apiKey }) => createOpenAiChatProvider({ ...base(http), baseUrl: `${origin}/v1`, apiKey }),
    send: (origin, { key }, ask, systemRole) =>
      new OpenAI({ baseURL: `${origin}/v1`, apiKey: key, ...noRetry }).chat.completions.create(
        chatParams(systemRole)(ask),
      ),
    byDesign: [],
    aimock: { cut: 'truncated_output' },
  },
  {
    name: 'openai-responses',
    reply: { status: 'completed', output: [] },
    ours: (origin, http, { apiKey }) =>
      createOpenAiResponsesProvider({ ...base(http), baseUrl: `${origin}/v1`, apiKey }),
    send: (origin, { key }, ask) =>
      new OpenAI({ baseURL: `${origin}/v1`, apiKey: key, ...noRetry }).responses.create(responsesParams(ask)),
    byDesign: ['store', 'truncation'],
    // aimock leaves out `incomplete_details`: a reply that is incomplete for no known reason.
    aimock: { cut: 'provider_error' },
  },
  {
    name: 'azure-openai, v1 by Entra ID',
    reply: chatReply,
    ours: azure((entraToken) => ({ entraToken })),
    send: (origin, { key }, ask) =>
      new OpenAI({ baseURL: `${origin}/openai/v1`, apiKey: key, ...noRetry }).chat.completions.create(
        chatParams('system')(ask),
      ),
    byDesign: [],
  },
  {
    name: 'azure-openai, dated chat',
    reply: chatReply,
    ours: azure((apiKey) => ({ apiKey, apiVersion: chatVersion })),
    send: (origin, { key }, ask) =>
      new AzureOpenAI({ endpoint: origin, apiKey: key, apiVersion: chatVersion, ...noRetry }).chat.completions.create(
        chatParams('system')(ask),
      ),
    byDesign: [],
    aimock: { cut: 'truncated_output' },
  },
  {
    name: 'azure-openai, dated responses',
    reply: { status: 'completed', output: [] },
    ours: azure((apiKey) => ({ apiKey, apiVersion: responsesVersion, api: 'responses' })),
    send: (origin, { key }, ask) =>
      new AzureOpenAI({ endpoint: origin, apiKey: key, apiVersion: responsesVersion, ...noRetry }).responses.create(
        responsesParams(ask),
      ),
    byDesign: ['store', 'truncation'],
  },
  {
    name: 'anthropic',
    reply: { type: 'message', content: [{ type: 'text', text: '{}' }], stop_reason: 'end_turn' },
    ours: (origin, http, { apiKey }) => createAnthropicProvider({ ...base(http), baseUrl: origin, apiKey }),
    send: (origin, { key }, ask) =>
      new Anthropic({ baseURL: origin, apiKey: key, ...noRetry }).messages.create(anthropicParams(ask)),
    byDesign: [],
    aimock: { cut: 'truncated_output' },
  },
  {
    name: 'gemini',
    reply: { candidates: [{ content: { parts: [{ text: '{}' }] }, finishReason: 'STOP' }] },
    ours: (origin, http, { apiKey }, options) =>
      createGeminiProvider({ ...base(http), baseUrl: origin, apiKey, ...options }),
    send: (origin, { key }, ask) =>
      new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: origin, apiVersion: 'v1' } }).models.generateContent(
        geminiParams(ask),
      ),
    byDesign: ['store'],
    // aimock knows the older version's path alone.
    aimock: { cut: 'truncated_output', options: { apiVersion: 'v1beta' } },
  },
  {
    name: 'ollama',
    reply: { message: { role: 'assistant', content: '{}' }, done: true, done_reason: 'stop' },
    ours: (origin, http) => createOllamaProvider({ ...base(http), baseUrl: origin }),
    send: (origin, _credential, ask) => new Ollama({ host: origin }).chat(ollamaParams(ask)),
    byDesign: ['options.num_ctx', 'truncate', 'shift'],
    // aimock's Ollama ends every reply with `stop`: on the wire nothing says that it was cut.
    aimock: { cut: 'complete' },
  },
  {
    name: 'bedrock',
    reply: { output: { message: { role: 'assistant', content: [{ text: '{}' }] } }, stopReason: 'end_turn' },
    ours: (origin, http, { aws }, options) =>
      createBedrockProvider({ ...base(http), region, endpoint: origin, credentials: async () => aws, ...options }),
    send: (origin, { aws }, ask) =>
      new BedrockRuntimeClient({
        region,
        endpoint: origin,
        credentials: aws,
        authSchemePreference: ['sigv4'],
        requestHandler: new NodeHttpHandler(),
        maxAttempts: 1,
      }).send(new ConverseCommand(bedrockParams(ask))),
    byDesign: [],
  },
];
