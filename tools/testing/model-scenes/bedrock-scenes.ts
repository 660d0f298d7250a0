import type { SceneAnswer, Scenes, SceneTexts } from './scenes.js';

const usage = { inputTokens: 2, outputTokens: 4, totalTokens: 13, cacheReadInputTokens: 6, cacheWriteInputTokens: 1 };
const call = (args: string) => ({
  toolUse: { toolUseId: 't', name: 'review_result', input: JSON.parse(args) as object },
});
const thinking = { reasoningContent: { reasoningText: { text: 'hm' } } };
const ended = (content: readonly object[], stopReason: string): SceneAnswer => ({
  headers: { 'x-amzn-requestid': 'req-1' },
  body: {
    output: { message: { role: 'assistant', content: [thinking, ...content] } },
    stopReason,
    usage,
    metrics: { latencyMs: 1 },
  },
});
const failed = (status: number, name: string, message = 'no'): SceneAnswer => ({
  status,
  headers: { 'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/` },
  body: { message },
});

/** How Bedrock Converse plays each scene. */
export const makeBedrockScenes = ({ reply, second }: SceneTexts): Scenes => ({
  complete: ended([{ text: reply }], 'end_turn'),
  truncated: ended([{ text: reply.slice(0, 8) }], 'max_tokens'),
  filtered: ended([], 'guardrail_intervened'),
  refused: ended([], 'refusal'),
  empty: ended([], 'end_turn'),
  context_overflow: failed(400, 'ValidationException', 'Input is too long for requested model.'),
  unknown_stop: ended([{ text: reply }], 'moon_phase'),
  unknown_stop_cut: ended([{ text: reply.slice(0, 8) }], 'moon_phase'),
  text_beside_tool_call: ended([{ text: 'I have looked at all of it.' }, call(reply)], 'tool_use'),
  two_tool_calls: ended([call(reply), call(second)], 'tool_use'),
  rate_limited: {
    ...failed(429, 'ThrottlingException'),
    headers: { 'x-amzn-errortype': 'ThrottlingException', 'retry-after': '7' },
  },
  unavailable: failed(503, 'ServiceUnavailableException'),
  unauthorized: failed(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.'),
  unreadable: { body: '<html>gateway</html>' },
});
