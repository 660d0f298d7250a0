import { describe, it } from 'vitest';
import { createOnScenes, type SceneAnswer, type Scenes } from '../../../test/scene-server.js';
import { describeLlmProviderContract } from '../../testing/ports/llm-provider-contract.js';
import { contractReplyText, contractSecondText } from '../../testing/ports/llm-provider-peer.js';
import { createBedrockProvider } from './bedrock-provider.js';

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

const scenes: Scenes = {
  complete: ended([{ text: contractReplyText }], 'end_turn'),
  truncated: ended([{ text: contractReplyText.slice(0, 8) }], 'max_tokens'),
  filtered: ended([], 'guardrail_intervened'),
  refused: ended([], 'refusal'),
  empty: ended([], 'end_turn'),
  context_overflow: failed(400, 'ValidationException', 'Input is too long for requested model.'),
  unknown_stop: ended([{ text: contractReplyText }], 'moon_phase'),
  unknown_stop_cut: ended([{ text: contractReplyText.slice(0, 8) }], 'moon_phase'),
  text_beside_tool_call: ended([{ text: 'I have looked at all of it.' }, call(contractReplyText)], 'tool_use'),
  two_tool_calls: ended([call(contractReplyText), call(contractSecondText)], 'tool_use'),
  rate_limited: {
    ...failed(429, 'ThrottlingException'),
    headers: { 'x-amzn-errortype': 'ThrottlingException', 'retry-after': '7' },
  },
  unavailable: failed(503, 'ServiceUnavailableException'),
  unauthorized: failed(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.'),
  unreadable: { body: '<html>gateway</html>' },
};

/** Signed, or by API key. */
const create = (isSigned: boolean) => () =>
  createOnScenes(scenes, {
    create: ({ baseUrl: endpoint, apiKey, ...options }, { credential }) => {
      const credentials = async () => ({ accessKeyId: credential, secretAccessKey: credential.repeat(2) });
      return createBedrockProvider({
        ...options,
        model: 'eu.vendor.model-1:0',
        region: 'eu-central-1',
        endpoint,
        ...(isSigned ? { credentials } : { apiKey }),
      });
    },
    usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 6, reasoningTokens: null },
  });

describe('by API key', () => describeLlmProviderContract({ describe, it }, { create: create(false) }));
describe('signed', () => describeLlmProviderContract({ describe, it }, { create: create(true) }));
