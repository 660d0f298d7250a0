import { describe, it } from 'vitest';
import { createOnScenes, type SceneAnswer, type Scenes } from '../../../test/scene-server.js';
import { describeLlmProviderContract } from '../../testing/ports/llm-provider-contract.js';
import { contractReplyText, contractSecondText } from '../../testing/ports/llm-provider-peer.js';
import { createGeminiProvider } from './gemini-provider.js';

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

const scenes: Scenes = {
  complete: ended([{ text: contractReplyText }], 'STOP'),
  truncated: ended([{ text: contractReplyText.slice(0, 8) }], 'MAX_TOKENS'),
  filtered: { body: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata } },
  refused: { body: '' },
  empty: ended([], 'STOP'),
  context_overflow: failed(
    400,
    'INVALID_ARGUMENT',
    'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
  ),
  unknown_stop: ended([{ text: contractReplyText }], 'MOON_PHASE'),
  unknown_stop_cut: ended([{ text: contractReplyText.slice(0, 8) }], 'MOON_PHASE'),
  text_beside_tool_call: ended([{ text: 'I have looked at all of it.' }, call(contractReplyText)], 'STOP'),
  two_tool_calls: ended([call(contractReplyText), call(contractSecondText)], 'STOP'),
  rate_limited: failed(429, 'RESOURCE_EXHAUSTED', 'wait', [detail('RetryInfo', { retryDelay: '7s' })]),
  unavailable: failed(503, 'UNAVAILABLE', 'overloaded'),
  unauthorized: failed(400, 'INVALID_ARGUMENT', 'API key not valid', [
    detail('ErrorInfo', { reason: 'API_KEY_INVALID' }),
  ]),
  unreadable: { body: '<html>gateway</html>' },
};

const createUnderTest = () =>
  createOnScenes(scenes, {
    create: createGeminiProvider,
    usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 6, reasoningTokens: 3 },
    // The vendor knows filters only.
    unplayable: ['refused'],
  });

describeLlmProviderContract({ describe, it }, { create: createUnderTest });
