import type { SceneAnswer, Scenes, SceneTexts } from './scenes.js';

const usageMetadata = {
  promptTokenCount: 9,
  candidatesTokenCount: 1,
  thoughtsTokenCount: 3,
  cachedContentTokenCount: 6,
};
const thought = { thought: true, text: 'I think about it.' };
const call = (args: string) => ({ functionCall: { name: 'review_result', args: JSON.parse(args) as object } });
const ended = (parts: readonly object[], finishReason: string): SceneAnswer => ({
  body: {
    candidates: [{ content: { role: 'model', parts: [thought, ...parts] }, finishReason }],
    usageMetadata,
    responseId: 'r1',
  },
});
const failed = (status: number, word: string, message: string, details: readonly object[] = []): SceneAnswer => ({
  status,
  body: { error: { code: status, message, status: word, details } },
});
const detail = (type: string, more: object) => ({ '@type': `type.googleapis.com/google.rpc.${type}`, ...more });

/** How Gemini plays each scene; it knows filters only. */
export const makeGeminiScenes = ({ reply, second }: SceneTexts): Scenes => ({
  complete: ended([{ text: reply }], 'STOP'),
  truncated: ended([{ text: reply.slice(0, 8) }], 'MAX_TOKENS'),
  filtered: { body: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata } },
  refused: { body: '' },
  empty: ended([], 'STOP'),
  context_overflow: failed(
    400,
    'INVALID_ARGUMENT',
    'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
  ),
  unknown_stop: ended([{ text: reply }], 'MOON_PHASE'),
  unknown_stop_cut: ended([{ text: reply.slice(0, 8) }], 'MOON_PHASE'),
  text_beside_tool_call: ended([{ text: 'I have looked at all of it.' }, call(reply)], 'STOP'),
  two_tool_calls: ended([call(reply), call(second)], 'STOP'),
  rate_limited: failed(429, 'RESOURCE_EXHAUSTED', 'wait', [detail('RetryInfo', { retryDelay: '7s' })]),
  unavailable: failed(503, 'UNAVAILABLE', 'overloaded'),
  unauthorized: failed(400, 'INVALID_ARGUMENT', 'API key not valid', [
    detail('ErrorInfo', { reason: 'API_KEY_INVALID' }),
  ]),
  unreadable: { body: '<html>gateway</html>' },
});
