import { describe, expect, it } from 'vitest';
import { finding, harness } from './criticizer-harness.js';
import { chat, type ModelAnswerBody, openAiModel, reviewText } from './openai-model.js';

const call = (text: string) => ({ type: 'function', function: { name: 'review_result', arguments: text } });
const second = finding({ id: 'f2', line: 2, title: 'Another title', message: 'Another message' });

async function reviewWith(answer: ModelAnswerBody) {
  const { llm, requests } = openAiModel(() => answer, { modes: ['tool'] });
  const t = harness({ more: { llm } });
  const id = await t.run();
  await t.criticizer.stop();
  return { review: await t.criticizer.review(id), requests, letters: await t.stores.deadLetters.list({}) };
}

describe('unusual replies', () => {
  it('INV-4: findings in a tool call beside prose are kept, with a diagnostic', async () => {
    const { review, requests } = await reviewWith(
      chat(
        { content: 'I looked at all of it and see nothing wrong.', tool_calls: [call(reviewText([finding()]))] },
        'tool_calls',
      ),
    );
    expect(review?.result.findings).toHaveLength(1);
    expect(review?.diagnostics).toContainEqual({ code: 'reply_noted', note: 'text_beside_tool_call' });
    expect(requests).toHaveLength(1);
  });

  it('INV-4: findings of two tool calls are merged, with a diagnostic', async () => {
    const calls = [call(reviewText([finding()])), call(reviewText([second]))];
    const { review } = await reviewWith(chat({ content: null, tool_calls: calls }, 'tool_calls'));
    expect(review?.result.findings.map(({ title }) => title).sort()).toEqual(['A title', 'Another title']);
    expect(review?.diagnostics).toContainEqual({ code: 'reply_noted', note: 'several_tool_calls' });
    expect(review?.coverage.complete).toBe(true);
  });

  it('GRD-1: a reply of two tool calls, one of them unusable, does not count as read', async () => {
    const calls = [call(reviewText([])), call('{"path":"//depot/b.ts"}')];
    const { review } = await reviewWith(chat({ content: null, tool_calls: calls }, 'tool_calls'));
    expect(review).toMatchObject({ state: { verdict: 'inconclusive' }, coverage: { complete: false } });
  });

  it.each([
    [
      'function_call',
      { content: null, function_call: { name: 'review_result', arguments: reviewText([finding()]) } },
      'legacy_function_call',
    ],
    ['end_turn', { content: reviewText([finding()]) }, 'unknown_stop'],
  ])('INV-4: a whole reply that ends with %s is read, with a diagnostic', async (reason, message, note) => {
    const { review, letters } = await reviewWith(chat(message, reason));
    expect(letters).toEqual([]);
    expect(review?.result.findings).toHaveLength(1);
    expect(review?.diagnostics).toContainEqual({ code: 'reply_noted', note });
  });
});
