import { randomBytes } from 'node:crypto';
import { createHttpClient } from '@criticizer/core/http';
import type { StopState } from '@criticizer/core/llm';
import { contractReplyText } from '@criticizer/core/testing';
import { describe, expect, it } from 'vitest';
import { startScenePeer } from '../../../tools/testing/model-scenes/scene-peer.js';
import { setups } from './models.js';
import { createCollectingClient, inTime, makeModel, makeProvider, makeRequest, sendOnce } from './sample-calls.js';

/** What the model of this name makes of this answer of its server. */
async function readEnding(name: string, body: object, mode: 'prompt' | 'json_schema' = 'prompt') {
  const setup = setups.find((one) => one.name === name);
  if (setup === undefined) throw new Error(`no set-up ${name}`);
  const peer = await startScenePeer({ ...setup.scenes, complete: { body } });
  const { origin } = peer;
  const http = createHttpClient({ allowPrivateOrigins: [origin] });
  const credential = randomBytes(16).toString('hex');
  const provider = makeProvider({ origin, http }, (fetch) => setup.build({ origin, credential, fetch }));
  try {
    return await provider.send(await provider.prepare(makeRequest('+ a', mode), inTime()), inTime());
  } finally {
    await http.close();
    await peer.close();
  }
}

const chat = (finish_reason: string | null, message: object = {}) => ({
  id: 'c',
  choices: [{ index: 0, message: { role: 'assistant', content: contractReplyText, ...message }, finish_reason }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
});
const responses = (
  status: string,
  more: object = {},
  part: object = { type: 'output_text', text: contractReplyText },
) => ({
  ...{ id: 'r', object: 'response', created_at: 1, model: 'm-1', status, error: null, incomplete_details: null },
  output: [
    { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [{ annotations: [], ...part }] },
  ],
  usage: { input_tokens: 1, output_tokens: 1 },
  ...more,
});
const anthropic = (stop_reason: string) => ({
  ...{ type: 'message', id: 'm', role: 'assistant', model: 'c', stop_reason },
  content: [{ type: 'text', text: contractReplyText }],
  usage: { input_tokens: 1, output_tokens: 1 },
});
const gemini = (finishReason: string) => ({
  candidates: [{ content: { role: 'model', parts: [{ text: contractReplyText }] }, finishReason }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
});
const bedrock = (stopReason: string, content: object = { text: contractReplyText }) => ({
  output: { message: { role: 'assistant', content: [content] } },
  stopReason,
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
});
const refusal = { type: 'refusal', refusal: 'I cannot help with that.' };

// Every body holds a whole JSON object, or a refusal: only the ending says whether it may be read.
const endings: readonly (readonly [string, object, StopState])[] = [
  ['openai-compatible', chat('stop'), 'complete'],
  ['openai-compatible', chat('stop', { content: null, refusal: refusal.refusal }), 'refused'],
  ['openai-compatible', chat('stop', { refusal: refusal.refusal }), 'refused'],
  ['openai-compatible', chat('length'), 'truncated_output'],
  ['openai, chat', chat('content_filter'), 'content_filtered'],
  ['openai, Responses', responses('completed'), 'complete'],
  ['openai, Responses', responses('completed', {}, refusal), 'refused'],
  ['azure', responses('completed', {}, refusal), 'refused'],
  ['openai, Responses', responses('failed', { error: { code: 'bio_policy', message: 'no' } }), 'content_filtered'],
  ['openai, Responses', responses('queued'), 'provider_error'],
  ['openai, Responses', responses('cancelled'), 'provider_error'],
  [
    'openai, Responses',
    responses('incomplete', { incomplete_details: { reason: 'max_output_tokens' } }),
    'truncated_output',
  ],
  ['openai, Responses', responses('incomplete', { incomplete_details: { reason: 'max_messages' } }), 'provider_error'],
  ['anthropic', anthropic('end_turn'), 'complete'],
  ['anthropic', anthropic('stop_sequence'), 'complete'],
  ['anthropic', anthropic('pause_turn'), 'provider_error'],
  ['anthropic', anthropic('refusal'), 'refused'],
  ['anthropic', anthropic('model_context_window_exceeded'), 'context_overflow'],
  ['google', gemini('STOP'), 'complete'],
  ['google', gemini('CONTINUATION'), 'truncated_output'],
  ['google', gemini('MALFORMED_RESPONSE'), 'provider_error'],
  ['google', gemini('OTHER'), 'provider_error'],
  ['google', gemini('MODEL_ARMOR'), 'content_filtered'],
  ['amazon-bedrock, signed', bedrock('end_turn'), 'complete'],
  ['amazon-bedrock, signed', bedrock('malformed_model_output'), 'provider_error'],
  ['amazon-bedrock, signed', bedrock('model_context_window_exceeded'), 'context_overflow'],
  ['amazon-bedrock, signed', bedrock('guardrail_intervened'), 'content_filtered'],
];

describe('how a reply ended', () => {
  it.each(endings)('INV-4: %s: %j is %s', async (name, body, stop) => {
    const reply = await readEnding(name, body);
    expect(reply.stop).toBe(stop);
    expect(reply.notes ?? []).toEqual([]);
  });

  it('INV-4: an ending that nobody lists is a whole reply only with a note', async () => {
    for (const [name, body] of [
      ['openai-compatible', chat(null)],
      ['openai, chat', chat('tool_calls')],
      ['anthropic', anthropic('moon_phase')],
    ] as const)
      expect(await readEnding(name, body)).toMatchObject({ stop: 'complete', notes: ['unknown_stop'] });
  });

  it('ERR-1: a generation that failed is retryable', async () => {
    const failed = responses('failed', { error: { code: 'server_error', message: 'no' } });
    await expect(readEnding('openai, Responses', failed)).rejects.toMatchObject({ category: 'upstream' });
  });

  it('reads a schema that Bedrock enforces by a tool', async () => {
    const call = { toolUse: { toolUseId: 't', name: 'json', input: { findings: [] } } };
    const reply = await readEnding('amazon-bedrock, signed', bedrock('tool_use', call), 'json_schema');
    expect([reply.stop, reply.notes, JSON.parse(reply.text)]).toEqual(['complete', [], { findings: [] }]);
  });

  it('INV-4: a unified stop is a whole reply by a reason that is listed, else it has a note', async () => {
    const there = createCollectingClient();
    for (const [raw, notes] of [
      ['end_turn', []],
      ['moon_phase', ['unknown_stop']],
      [undefined, ['unknown_stop']],
    ] as const) {
      const model = makeModel(async (fetch) => {
        await fetch('https://models.example/v1', { method: 'POST', body: '{}' });
        return { content: [{ type: 'text', text: contractReplyText }], finishReason: { unified: 'stop', raw } };
      });
      expect(await sendOnce(makeProvider(there, model))).toMatchObject({ stop: 'complete', notes });
    }
  });

  it('logs the options that a model ignored, and none of its sentences', async () => {
    const logged: unknown[] = [];
    const keep = (...line: unknown[]) => void logged.push(line);
    const warnings = [{ type: 'unsupported', feature: 'responseFormat', details: 'not for this prompt: + a' }];
    const model = makeModel(async (fetch) => {
      await fetch('https://models.example/v1', { method: 'POST', body: '{}' });
      return { content: [], finishReason: { unified: 'stop', raw: 'stop' }, warnings };
    });
    const logger = { debug: keep, info: keep, warn: keep, error: keep };
    await sendOnce(makeProvider(createCollectingClient(), model, { logger }));
    expect(logged).toEqual([
      [
        { event: 'llm.option_ignored', provider: 'house', type: 'unsupported', feature: 'responseFormat' },
        'the model ignored an option',
      ],
    ]);
  });
});
