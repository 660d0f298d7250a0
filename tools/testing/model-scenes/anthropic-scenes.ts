import type { SceneAnswer, Scenes, SceneTexts } from './scenes.js';

const usage = {
  input_tokens: 2,
  cache_creation_input_tokens: 1,
  cache_read_input_tokens: 6,
  output_tokens: 4,
  output_tokens_details: { thinking_tokens: 3 },
};
const text = (written: string) => ({ type: 'text', text: written });
const call = (args: string) => ({
  type: 'tool_use',
  id: 't',
  name: 'review_result',
  input: JSON.parse(args) as object,
});
const ended = (content: readonly object[], stop_reason: string): SceneAnswer => ({
  headers: { 'request-id': 'req_1' },
  body: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'thinking', thinking: 'hm', signature: 's' }, ...content],
    stop_reason,
    usage,
  },
});
const failed = (type: string, message = 'no', more: object = {}) => ({
  body: { type: 'error', error: { type, message, ...more }, request_id: 'req_2' },
});

/** How Anthropic plays each scene; it has one word for a filter and a refusal. */
export const makeAnthropicScenes = ({ reply, second }: SceneTexts): Scenes => ({
  complete: ended([text(reply)], 'end_turn'),
  truncated: ended([text(reply.slice(0, 8))], 'max_tokens'),
  filtered: { body: '' },
  refused: ended([], 'refusal'),
  empty: ended([], 'end_turn'),
  context_overflow: {
    status: 400,
    ...failed('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
  },
  unknown_stop: ended([text(reply)], 'moon_phase'),
  unknown_stop_cut: ended([text(reply.slice(0, 8))], 'moon_phase'),
  text_beside_tool_call: ended([text('I have looked at all of it.'), call(reply)], 'tool_use'),
  two_tool_calls: ended([call(reply), call(second)], 'tool_use'),
  rate_limited: { status: 429, headers: { 'retry-after': '7' }, ...failed('rate_limit_error') },
  unavailable: { status: 529, ...failed('overloaded_error') },
  unauthorized: { status: 401, ...failed('authentication_error') },
  unreadable: { body: '<html>gateway</html>' },
});
