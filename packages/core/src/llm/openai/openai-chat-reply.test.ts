import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../foundation/json.js';
import { noUsage } from '../llm-provider.js';
import { readOpenAiChatReply } from './openai-chat-reply.js';

interface Answer {
  body: JsonValue;
  headers?: Record<string, string>;
}

const read = ({ body, headers = {} }: Answer) =>
  readOpenAiChatReply(
    { status: 200, headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) },
    { host: 'models.example' },
  );

const reply = (choice: JsonValue, more: Record<string, JsonValue> = {}): Answer => ({
  body: { choices: [choice], ...more },
});

describe('readOpenAiChatReply', () => {
  const message = (content: JsonValue, finish: string | null = 'stop', more: Record<string, JsonValue> = {}) =>
    reply({ message: { role: 'assistant', content, ...more }, finish_reason: finish });
  it.each<[string, Answer, string, string]>([
    ['a whole reply', message('{}'), 'complete', '{}'],
    [
      'content in parts',
      message([
        { type: 'text', text: '{' },
        { type: 'text', text: '}' },
      ]),
      'complete',
      '{}',
    ],
    [
      'a forced tool',
      message(null, 'stop', { tool_calls: [{ function: { arguments: '{"a":1}' } }] }),
      'complete',
      '{"a":1}',
    ],
    [
      'a tool that was decoded',
      message(null, 'tool_calls', { tool_calls: [{ function: { arguments: { a: 1 } } }] }),
      'complete',
      '{"a":1}',
    ],
    [
      'null tool calls and thoughts',
      message('{}', 'stop', { tool_calls: null, reasoning_content: 'hm' }),
      'complete',
      '{}',
    ],
    ['the limit', message('{"a', 'length'), 'truncated_output', '{"a'],
    ['the limit within thought', message('', 'length'), 'truncated_output', ''],
    ['a filter', message('', 'content_filter'), 'content_filtered', ''],
    ['a refusal', message(null, 'stop', { refusal: 'no' }), 'refused', 'no'],
    ['a refusal among parts', message([{ type: 'refusal', refusal: 'no' }]), 'refused', 'no'],
    ['nothing', message(''), 'empty', ''],
    ['white space', message(' \n'), 'empty', ''],
    ['no choice', { body: { choices: [] } }, 'empty', ''],
    ['no choices', { body: {} }, 'provider_error', ''],
    ['a reason that means a failure', message('{}', 'insufficient_system_resource'), 'provider_error', '{}'],
    ['an unknown reason over a whole object', message('{}', 'moon_phase'), 'complete', '{}'],
    [
      'an unknown reason over a fenced object',
      message('```json\n{}\n```', 'moon_phase'),
      'complete',
      '```json\n{}\n```',
    ],
    ['an unknown reason over a cut object', message('{"a', 'moon_phase'), 'provider_error', '{"a'],
    ['an unknown reason over prose', message('Fine.', 'moon_phase'), 'provider_error', 'Fine.'],
    ['a reason of the prototype', message('{"a', 'constructor'), 'provider_error', '{"a'],
    ['no reason over a whole object', message('{}', null), 'complete', '{}'],
    ['no reason over a cut one', message('{"a', null), 'provider_error', '{"a'],
    ["the limit in another vendor's word", message('{"a', 'MAX_TOKENS'), 'truncated_output', '{"a'],
    ["the window in another vendor's word", message('{"a', 'model_context_window_exceeded'), 'context_overflow', '{"a'],
    ["a filter in another vendor's word", message('{}', 'SAFETY'), 'content_filtered', '{}'],
    ["a refusal in another vendor's word", message('no', 'refusal'), 'refused', 'no'],
    ['a choice that is none', reply('x'), 'provider_error', ''],
  ])('%s', (_name, answer, stop, text) => {
    expect(read(answer)).toMatchObject({ stop, text });
  });

  const call = (args: JsonValue): JsonValue => ({ function: { name: 'review_result', arguments: args } });
  it.each<[string, Answer, readonly string[], readonly string[]]>([
    [
      'prose beside a call',
      message('Two defects.', 'tool_calls', { tool_calls: [call('{"a":1}')] }),
      ['{"a":1}'],
      ['text_beside_tool_call'],
    ],
    [
      'two calls',
      message(null, 'tool_calls', { tool_calls: [call('{"a":1}'), call({ b: 2 })] }),
      ['{"a":1}', '{"b":2}'],
      ['several_tool_calls'],
    ],
    [
      'one call twice',
      message(null, 'tool_calls', { tool_calls: [call('{"a":1}'), call('{"a":1}')] }),
      ['{"a":1}'],
      [],
    ],
    ['a call without arguments', message('{}', 'stop', { tool_calls: [call(' ')] }), ['{}'], []],
    [
      'a legacy call',
      message(null, 'function_call', { function_call: { arguments: '{"a":1}' } }),
      ['{"a":1}'],
      ['legacy_function_call'],
    ],
    [
      'a call that stands in both fields',
      message(null, 'tool_calls', { tool_calls: [call('{"a":1}')], function_call: { arguments: '{"a":1}' } }),
      ['{"a":1}'],
      [],
    ],
    ['an end in the word of another vendor', message('{}', 'end_turn'), ['{}'], ['unknown_stop']],
    ['another one', message('{}', 'end'), ['{}'], ['unknown_stop']],
    [
      'prose in one choice, the call in the next',
      {
        body: {
          choices: [
            { message: { content: 'Hm.' }, finish_reason: 'stop' },
            { message: { tool_calls: [call('{"a":1}')] }, finish_reason: 'tool_calls' },
          ],
        },
      },
      ['{"a":1}'],
      ['text_beside_tool_call'],
    ],
    [
      'two choices',
      { body: { choices: ['{"a":1}', '{"b":2}'].map((content) => ({ message: { content }, finish_reason: 'stop' })) } },
      ['{"a":1}', '{"b":2}'],
      ['several_choices'],
    ],
  ])('INV-4: %s is read, with a note where it is unusual', (_name, answer, texts, notes) => {
    const { stop, text, moreTexts = [], notes: noted } = read(answer);
    expect({ stop, texts: [text, ...moreTexts], notes: noted }).toEqual({ stop: 'complete', texts, notes });
  });

  it('one cut choice of two makes the reply cut', () => {
    const choices = [
      { message: { content: '{}' }, finish_reason: 'stop' },
      { message: { content: '{"a' }, finish_reason: 'length' },
    ];
    expect(read({ body: { choices } })).toMatchObject({ stop: 'truncated_output' });
  });

  it('reads usage and the request id where they are, and nulls where they are odd', () => {
    const whole = {
      ...reply(
        { message: { content: '{}' }, finish_reason: 'stop' },
        {
          usage: {
            prompt_tokens: 7,
            completion_tokens: 3,
            prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 1 },
            completion_tokens_details: { reasoning_tokens: 2 },
          },
        },
      ),
    };
    expect(read({ ...whole, headers: { 'x-request-id': 'req_1' } })).toMatchObject({
      usage: { inputTokens: 7, outputTokens: 3, cachedInputTokens: 5, reasoningTokens: 2 },
      requestId: 'req_1',
      providerStop: 'stop',
    });
    const odd = reply(
      { message: { content: '{}' } },
      { usage: { prompt_tokens: -1, completion_tokens: 'many', prompt_tokens_details: null } },
    );
    expect(read({ ...odd, headers: { 'x-request-id': 'two\nlines' } })).toMatchObject({
      usage: noUsage,
      requestId: null,
      providerStop: null,
    });
  });

  it.each(['', 'not json', '[]', '"text"', '<html>'])(
    'ERR-1: %j in a 200 is LLM_REPLY_UNREADABLE, upstream',
    (body) => {
      expect(() => read({ body })).toThrow(
        expect.objectContaining({ code: 'LLM_REPLY_UNREADABLE', category: 'upstream' }),
      );
    },
  );
});
