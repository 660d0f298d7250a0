import type { Scenes, SceneTexts } from './scenes.js';

const said = (content: string | null, finish_reason: string, more: object = {}) => ({
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

const calls = (...texts: string[]) => ({
  tool_calls: texts.map((text, n) => ({
    id: `call_${n}`,
    type: 'function',
    function: { name: 'review_result', arguments: text },
  })),
});

/** How a Chat Completions server plays each scene. */
export const makeOpenAiChatScenes = ({ reply, second }: SceneTexts): Scenes => ({
  complete: said(reply, 'stop'),
  truncated: said(reply.slice(0, 8), 'length'),
  filtered: said('', 'content_filter'),
  refused: said(null, 'stop', { refusal: 'I cannot help with that.' }),
  empty: said('', 'stop'),
  context_overflow: {
    status: 400,
    body: { error: { code: 'context_length_exceeded', type: 'invalid_request_error', param: 'messages' } },
  },
  unknown_stop: said(reply, 'moon_phase'),
  unknown_stop_cut: said(reply.slice(0, 8), 'moon_phase'),
  text_beside_tool_call: said('I have looked at all of it.', 'tool_calls', calls(reply)),
  two_tool_calls: said(null, 'tool_calls', calls(reply, second)),
  rate_limited: { status: 429, headers: { 'retry-after': '7' }, body: { error: { code: 'rate_limit_exceeded' } } },
  unavailable: { status: 503, body: { error: { type: 'server_error' } } },
  unauthorized: { status: 401, body: { error: { code: 'invalid_api_key' } } },
  unreadable: { body: '<html>gateway</html>' },
});
