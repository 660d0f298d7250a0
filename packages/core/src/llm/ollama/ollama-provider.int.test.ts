import { describe, it } from 'vitest';
import type { SceneAnswer, Scenes } from '../../../../../tools/testing/model-scenes/scenes.js';
import { createOnScenes } from '../../../test/scene-server.js';
import { describeLlmProviderContract } from '../../testing/ports/llm/llm-provider-contract.js';
import { contractReplyText } from '../../testing/ports/llm/llm-provider-peer.js';
import { createOllamaProvider } from './ollama-provider.js';

const ended = (content: string, done_reason: string): SceneAnswer => ({
  body: {
    model: 'm-1',
    message: { role: 'assistant', content, thinking: 'hm' },
    done: true,
    done_reason,
    prompt_eval_count: 9,
    eval_count: 4,
  },
});
const none: SceneAnswer = { body: '' };
const overflow = JSON.stringify({
  error: { code: 400, type: 'exceed_context_size_error', message: 'too long', n_prompt_tokens: 9_000, n_ctx: 8_000 },
});

const scenes: Scenes = {
  complete: ended(contractReplyText, 'stop'),
  truncated: ended(contractReplyText.slice(0, 8), 'length'),
  filtered: none,
  refused: none,
  empty: ended('', 'stop'),
  context_overflow: { status: 400, body: { error: overflow } },
  unknown_stop: ended(contractReplyText, 'moon_phase'),
  unknown_stop_cut: ended(contractReplyText.slice(0, 8), 'moon_phase'),
  text_beside_tool_call: none,
  two_tool_calls: none,
  rate_limited: { status: 429, headers: { 'retry-after': '7' }, body: { error: 'too many requests' } },
  unavailable: { status: 503, body: { error: 'server busy, please try again. maximum pending requests exceeded' } },
  unauthorized: { status: 401, body: { error: 'unauthorized' } },
  unreadable: { body: '<html>gateway</html>' },
};

const createUnderTest = () =>
  createOnScenes(scenes, {
    create: createOllamaProvider,
    usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: null, reasoningTokens: null },
    unplayable: ['filtered', 'refused'],
  });

describeLlmProviderContract({ describe, it }, { create: createUnderTest });
