import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import type { SettingsInput } from '../src/settings/settings.js';
import { change, file, harness, sharedArtifacts } from './criticizer-harness.js';
import { type ModelAnswerBody, type ModelRequestBody, openAiModel, reviewText, says } from './openai-model.js';

const files = change({
  files: ['a', 'b'].map((name) => file(`//depot/${name}.ts`, [`const ${name} = 1;`, `use(${name});`])),
});
const overflow: ModelAnswerBody = { status: 400, body: { error: { code: 'context_length_exceeded' } } };
const spent = says('', 'length');
const clean = says(reviewText([]));

const shows = ({ messages }: ModelRequestBody, name: string): boolean =>
  messages.at(-1)?.content.includes(`const ${name} = 1;`) ?? false;
const filesIn = (request: ModelRequestBody): string => ['a', 'b'].filter((name) => shows(request, name)).join();

interface Given {
  answer: (request: ModelRequestBody, n: number) => ModelAnswerBody;
  maxOutputTokens?: number;
  given?: typeof files;
  settings?: SettingsInput;
}

async function reviewWith({ answer, maxOutputTokens = 16_000, given = files, settings }: Given) {
  const { llm, requests } = openAiModel(answer, {
    modes: ['json_object'],
    limits: { contextTokens: 64_000, maxOutputTokens },
  });
  const t = harness({ change: given, more: { llm, settings } });
  const id = await t.run();
  await t.criticizer.stop();
  return {
    asked: requests.map((request) => [filesIn(request), request.max_completion_tokens]),
    review: await t.criticizer.review(id),
    letters: await t.stores.deadLetters.list({}),
    job: (await t.criticizer.status(id))?.job,
    egress: await t.stores.egress.list({ destination: 'llm' }),
  };
}

describe('requests in another size', () => {
  it('output spent on reasoning is asked for once more with four times the room', async () => {
    const { asked, review, letters, egress } = await reviewWith({ answer: (_request, n) => (n === 1 ? spent : clean) });
    expect(letters).toEqual([]);
    expect(asked).toEqual([
      ['a,b', 4_096],
      ['a,b', 16_000],
    ]);
    expect(egress).toHaveLength(2);
    expect(review).toMatchObject({ state: { verdict: 'no_findings' }, coverage: { complete: true } });
    expect(review?.diagnostics).toContainEqual({ code: 'asked_again', reason: 'output_exhausted' });
  });

  it('without more room the chunk is asked in halves', async () => {
    const { asked, review } = await reviewWith({
      answer: (_request, n) => (n === 1 ? spent : clean),
      maxOutputTokens: 4_096,
    });
    expect(asked).toEqual([
      ['a,b', 4_096],
      ['a', 4_096],
      ['b', 4_096],
    ]);
    expect(review).toMatchObject({ state: { verdict: 'no_findings' }, coverage: { complete: true } });
  });

  it('a request longer than the context is asked in halves', async () => {
    const { asked, review, letters } = await reviewWith({
      answer: (request) => (filesIn(request) === 'a,b' ? overflow : clean),
    });
    expect(letters).toEqual([]);
    expect(asked.map(([shown]) => shown)).toEqual(['a,b', 'a', 'b']);
    expect(review).toMatchObject({ state: { verdict: 'no_findings' }, coverage: { complete: true } });
    expect(review?.diagnostics).toContainEqual({ code: 'asked_again', reason: 'context_overflow' });
  });

  it('GRD-1: where one half stays unanswered, its file alone is not counted as read', async () => {
    const { review } = await reviewWith({ answer: (request) => (shows(request, 'b') ? overflow : clean) });
    expect(review).toMatchObject({
      state: { verdict: 'inconclusive' },
      coverage: {
        complete: false,
        files: [
          { path: '//depot/a.ts', state: 'reviewed_full' },
          { path: '//depot/b.ts', state: 'skipped', reason: 'error' },
        ],
      },
    });
  });

  it.each([
    ['LLM_CONTEXT_OVERFLOW', overflow, 3],
    ['LLM_OUTPUT_EXHAUSTED', spent, 2],
  ])('ERR-1 ERR-4: what fails in the other size too is named %s and not retried', async (code, answer, requests) => {
    const { asked, letters, job } = await reviewWith({ answer: () => answer });
    expect(asked).toHaveLength(requests);
    expect(letters).toMatchObject([{ errorClass: code, category: 'validation' }]);
    expect(job?.attempts['llm']).toBe(1);
  });

  it('GRD-1: a worker that takes over goes on with the other half, and asks nothing twice', async () => {
    const shared = {
      stores: createMemoryStores(),
      artifacts: sharedArtifacts(),
      settings: { retry: { maxAttemptsPerStage: 3 } },
    };
    let isDown = true;
    const { llm, requests } = openAiModel(
      (request) => {
        if (filesIn(request) === 'a,b') return overflow;
        if (filesIn(request) === 'a' || !isDown) return clean;
        isDown = false;
        return { status: 503, body: {} };
      },
      { modes: ['json_object'] },
    );
    const t = harness({ change: files, more: { ...shared, llm } });
    const id = await t.run();
    await t.criticizer.stop();
    expect(requests.map(filesIn)).toEqual(['a,b', 'a', 'b', 'b']);
    expect(await t.criticizer.review(id)).toMatchObject({ state: { verdict: 'no_findings' } });
  });

  it('GRD-1: a chunk whose other size is out of reach under new limits is asked whole, not left out', async () => {
    const shared = { stores: createMemoryStores(), artifacts: sharedArtifacts() };
    const one = change();
    const wide = { contextTokens: 64_000, maxOutputTokens: 16_000 };
    const before = openAiModel((_request, n) => (n === 1 ? spent : { status: 400, body: {} }), {
      modes: ['json_object'],
      limits: wide,
    });
    const first = harness({ change: one, more: { ...shared, llm: before.llm } });
    const id = await first.run();
    await first.criticizer.stop();
    expect(before.requests.map((request) => request.max_completion_tokens)).toEqual([4_096, 16_000]);
    const [letter] = await shared.stores.deadLetters.list({});
    const replay = {
      deadLetterId: letter?.id ?? '',
      stage: 'llm',
      fromStart: false,
      actor: { type: 'admin_user' as const, id: 'op' },
      evidence: 'limits were corrected',
    };
    expect(await shared.stores.deadLetters.replay(replay)).toBe('replayed');

    const after = openAiModel(() => clean, { modes: ['json_object'], limits: { ...wide, maxOutputTokens: 4_096 } });
    const second = harness({ change: one, more: { ...shared, llm: after.llm } });
    await second.criticizer.start();
    await second.seen((e) => e.jobId === id && e.type === 'stage.ended' && e.outcome === 'done');
    await second.criticizer.stop();
    expect(after.requests.map((request) => request.max_completion_tokens)).toEqual([4_096]);
    expect(await second.criticizer.review(id)).toMatchObject({
      state: { verdict: 'no_findings' },
      coverage: { complete: true },
    });
  });
});
