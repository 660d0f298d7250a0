import { describe, it } from 'vitest';
import { createOnScenes, type SceneAnswer, type Scenes } from '../../../test/scene-server.js';
import { describeLlmProviderContract } from '../../testing/ports/llm-provider-contract.js';
import { contractReplyText, contractSecondText } from '../../testing/ports/llm-provider-peer.js';
import { createOpenAiResponsesProvider } from './openai-responses-provider.js';

const usage = {
  input_tokens: 9,
  output_tokens: 4,
  total_tokens: 13,
  input_tokens_details: { cached_tokens: 6 },
  output_tokens_details: { reasoning_tokens: 3 },
};
const message = (text: string) => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };
const call = (args: string) => ({ type: 'function_call', call_id: 'c', name: 'review_result', arguments: args });
const ended = (output: readonly object[], more: object = {}): SceneAnswer => ({
  headers: { 'x-request-id': 'req_1' },
  body: {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    error: null,
    incomplete_details: null,
    output: [reasoning, ...output],
    usage,
    ...more,
  },
});
const incomplete = (reason: string, text: string) =>
  ended([message(text)], { status: 'incomplete', incomplete_details: { reason } });

const scenes: Scenes = {
  complete: ended([message(contractReplyText)]),
  truncated: incomplete('max_output_tokens', contractReplyText.slice(0, 8)),
  filtered: incomplete('content_filter', ''),
  refused: ended([{ ...message(''), content: [{ type: 'refusal', refusal: 'I cannot help with that.' }] }]),
  empty: ended([]),
  context_overflow: {
    status: 400,
    body: { error: { code: 'context_length_exceeded', type: 'invalid_request_error', param: 'input' } },
  },
  unknown_stop: ended([message(contractReplyText)], { status: 'moon_phase' }),
  unknown_stop_cut: ended([message(contractReplyText.slice(0, 8))], { status: 'moon_phase' }),
  text_beside_tool_call: ended([message('I have looked at all of it.'), call(contractReplyText)]),
  two_tool_calls: ended([call(contractReplyText), call(contractSecondText)]),
  rate_limited: { status: 429, headers: { 'retry-after': '7' }, body: { error: { code: 'rate_limit_exceeded' } } },
  unavailable: { status: 503, body: { error: { type: 'server_error' } } },
  unauthorized: { status: 401, body: { error: { code: 'invalid_api_key' } } },
  unreadable: { body: '<html>gateway</html>' },
};

const createUnderTest = () =>
  createOnScenes(scenes, {
    create: (options) => createOpenAiResponsesProvider({ ...options, baseUrl: `${options.baseUrl}/v1` }),
    usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 6, reasoningTokens: 3 },
  });

describeLlmProviderContract({ describe, it }, { create: createUnderTest });
