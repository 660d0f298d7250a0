import type { SceneAnswer, Scenes, SceneTexts } from './scenes.js';

const usage = {
  input_tokens: 9,
  output_tokens: 4,
  total_tokens: 13,
  input_tokens_details: { cached_tokens: 6 },
  output_tokens_details: { reasoning_tokens: 3 },
};
const message = (text: string) => ({
  type: 'message',
  id: 'msg_1',
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
    created_at: 1_760_000_000,
    model: 'm-1',
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

/** How the Responses API plays each scene. */
export const makeOpenAiResponsesScenes = ({ reply, second }: SceneTexts): Scenes => ({
  complete: ended([message(reply)]),
  truncated: incomplete('max_output_tokens', reply.slice(0, 8)),
  filtered: incomplete('content_filter', ''),
  refused: ended([{ ...message(''), content: [{ type: 'refusal', refusal: 'I cannot help with that.' }] }]),
  empty: ended([]),
  context_overflow: {
    status: 400,
    body: { error: { code: 'context_length_exceeded', type: 'invalid_request_error', param: 'input' } },
  },
  unknown_stop: ended([message(reply)], { status: 'moon_phase' }),
  unknown_stop_cut: ended([message(reply.slice(0, 8))], { status: 'moon_phase' }),
  text_beside_tool_call: ended([message('I have looked at all of it.'), call(reply)]),
  two_tool_calls: ended([call(reply), call(second)]),
  rate_limited: { status: 429, headers: { 'retry-after': '7' }, body: { error: { code: 'rate_limit_exceeded' } } },
  unavailable: { status: 503, body: { error: { type: 'server_error' } } },
  unauthorized: { status: 401, body: { error: { code: 'invalid_api_key' } } },
  unreadable: { body: '<html>gateway</html>' },
});
