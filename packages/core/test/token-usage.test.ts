import { describe, expect, it } from 'vitest';
import { createMemoryTelemetry } from '../src/telemetry/memory-telemetry.js';
import { metric } from '../src/telemetry/names.js';
import { change, file, harness } from './criticizer-harness.js';
import { type ModelAnswerBody, openAiModel, reviewText, says } from './openai-model.js';

/** The answer with a usage of these numbers. */
function counted(answer: ModelAnswerBody, [input, output, cached, reasoning]: readonly number[]): ModelAnswerBody {
  const usage = {
    prompt_tokens: input ?? 0,
    completion_tokens: output ?? 0,
    prompt_tokens_details: { cached_tokens: cached ?? 0 },
    completion_tokens_details: { reasoning_tokens: reasoning ?? 0 },
  };
  return { ...answer, body: { ...(answer.body as object), usage } };
}

const totals = { inputTokens: 110, outputTokens: 22, cachedInputTokens: 33, reasoningTokens: 4 };
const counts = [
  [10, 2, 3, 1],
  [100, 20, 30, 3],
] as const;

async function review(answer: (n: number) => ModelAnswerBody, given = change()) {
  const { llm, requests } = openAiModel((_request, n) => answer(n), {
    modes: ['prompt'],
    limits: { contextTokens: 32_000, maxOutputTokens: 1_024 },
  });
  const telemetry = createMemoryTelemetry();
  const t = harness({
    change: given,
    more: { llm, telemetry, settings: { llm: { maxOutputTokens: 1_024 } } },
  });
  const id = await t.run();
  await t.criticizer.stop();
  const sum = (name: string): number =>
    telemetry.measurements
      .filter((one) => one.kind === 'count' && one.name === name)
      .reduce((total, { value }) => total + value, 0);
  return { review: await t.criticizer.review(id), requests, sum };
}

describe('token usage of a review', () => {
  it('sums the first reply and its repair by model, and counts both in telemetry', async () => {
    const run = await review((n) => counted(says(n === 1 ? 'Looks fine.' : reviewText([])), counts[n - 1] ?? []));
    expect(run.requests).toHaveLength(2);
    expect(run.review?.usage).toEqual([{ provider: 'house', model: 'm-1', replies: 2, ...totals }]);
    expect([
      run.sum(metric.llmInputTokens),
      run.sum(metric.llmOutputTokens),
      run.sum(metric.llmCachedInputTokens),
      run.sum(metric.llmReasoningTokens),
    ]).toEqual([110, 22, 33, 4]);
  });

  it('counts a reply that ran out of room, and was asked for again in halves', async () => {
    const halves = change({ files: [file('//depot/a.ts', ['a()']), file('//depot/b.ts', ['b()'])] });
    const run = await review(
      (n) => counted(n === 1 ? says('', 'length') : says(reviewText([])), counts[Math.min(n, 2) - 1] ?? []),
      halves,
    );
    expect(run.review?.usage).toMatchObject([{ replies: 3, inputTokens: 210, reasoningTokens: 7 }]);
  });

  it('is null in what the vendor does not count', async () => {
    const run = await review(() => says(reviewText([])));
    const nothing = { inputTokens: null, outputTokens: null, cachedInputTokens: null, reasoningTokens: null };
    expect(run.review?.usage).toEqual([{ provider: 'house', model: 'm-1', replies: 1, ...nothing }]);
    expect(run.sum(metric.llmInputTokens)).toBe(0);
  });
});
