import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json.js';
import { readOpenAiReply } from './openai-reply.js';

interface Answer {
  body: JsonValue;
  headers?: Record<string, string>;
}

const read = ({ body, headers = {} }: Answer) =>
  readOpenAiReply(
    { status: 200, headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) },
    { host: 'models.example' },
  );

const reply = (choice: JsonValue, more: Record<string, JsonValue> = {}): Answer => ({ body: { choices: [choice], ...more } });

describe('readOpenAiReply', () => {
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
    ['a forced tool', message(null, 'stop', { tool_calls: [{ function: { arguments: '{"a":1}' } }] }), 'complete', '{"a":1}'],
    [
      'a tool that was decoded',
      message(null, 'tool_calls', { tool_calls: [{ function: { arguments: { a: 1 } } }] }),
      'complete',
      '{"a":1}',
    ],
    ['null tool calls and thoughts', message('{}', 'stop', { tool_calls: null, reasoning_content: 'hm' }), 'complete', '{}'],
    ['the limit', message('{"a', 'length'), 'truncated_output', '{"a'],
    ['the limit within thought', message('', 'length'), 'truncated_output', ''],
    ['a filter', message('', 'content_filter'), 'content_filtered', ''],
    ['a refusal', message(null, 'stop', { refusal: 'no' }), 'refused', 'no'],
    ['a refusal among parts', message([{ type: 'refusal', refusal: 'no' }]), 'refused', 'no'],
    ['nothing', message(''), 'empty', ''],
    ['white space', message(' \n'), 'empty', ''],
    ['no choice', { body: { choices: [] } }, 'empty', ''],
    ['no choices', { body: {} }, 'provider_error', ''],
    ['an unknown reason', message('{}', 'insufficient_system_resource'), 'provider_error', '{}'],
    ['a reason of the prototype', message('{}', 'constructor'), 'provider_error', '{}'],
    ['no reason', message('{}', null), 'provider_error', '{}'],
    ['a choice that is none', reply('x'), 'provider_error', ''],
  ])('%s', (_name, answer, stop, text) => {
    expect(read(answer)).toMatchObject({ stop, text });
  });

  it('reads usage and the request id where they are, and nulls where they are odd', () => {
    const whole = {
      ...reply({ message: { content: '{}' }, finish_reason: 'stop' }, { usage: { prompt_tokens: 7, completion_tokens: 3 } }),
    };
    expect(read({ ...whole, headers: { 'x-request-id': 'req_1' } })).toMatchObject({
      usage: { inputTokens: 7, outputTokens: 3 },
      requestId: 'req_1',
      providerStop: 'stop',
    });
    const odd = reply({ message: { content: '{}' } }, { usage: { prompt_tokens: -1, completion_tokens: 'many' } });
    expect(read({ ...odd, headers: { 'x-request-id': 'two\nlines' } })).toMatchObject({
      usage: { inputTokens: null, outputTokens: null },
      requestId: null,
      providerStop: null,
    });
  });

  it.each(['', 'not json', '[]', '"text"', '<html>'])('ERR-1: %j in a 200 is LLM_REPLY_UNREADABLE, upstream', (body) => {
    expect(() => read({ body })).toThrow(expect.objectContaining({ code: 'LLM_REPLY_UNREADABLE', category: 'upstream' }));
  });
});
