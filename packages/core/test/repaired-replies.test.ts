import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../src/foundation/errors.js';
import type { LlmProvider } from '../src/llm/llm-provider.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import type { Job } from '../src/stores/job.js';
import { createManualClock } from '../src/testing/support/manual-clock.js';
import { finding, harness } from './criticizer-harness.js';
import { flipKillSwitch } from './flip-kill-switch.js';
import { chat, type ModelAnswerBody, type ModelRequestBody, openAiModel, reviewText, says } from './openai-model.js';

/** Stands where a model could repeat a secret, or make one up. */
const canary = ['secret', 'canaryvalue'].join('-');
const lost = says(
  reviewText([
    finding({ file: `//depot/${canary}.ts`, message: canary }),
    finding({ id: 'f2', severity: canary, [canary]: canary }),
    finding({ id: 'f3', line: 0 }),
  ]),
);
const good = says(reviewText([finding()]));
const prose = says(`I would rather talk about the weather and ${canary}.`);

async function reviewWith(
  answer: (request: ModelRequestBody, n: number) => ModelAnswerBody,
  modes = ['tool', 'json_object'] as const,
) {
  const { llm, requests, users } = openAiModel(answer, { modes });
  const t = harness({ more: { llm } });
  const id = await t.run();
  await t.criticizer.stop();
  const review = await t.criticizer.review(id);
  return { t, id, requests, users: users(), review, letters: await t.stores.deadLetters.list({}) };
}

const codesOf = (review: { diagnostics: readonly { code: string }[] } | null): string[] =>
  review?.diagnostics.map(({ code }) => code) ?? [];

describe('repair requests', () => {
  it('OUT-9: findings that were all dropped are asked for once more, with fields, reasons, indexes and allowed values', async () => {
    const { users, review, requests } = await reviewWith((_request, n) => (n === 1 ? lost : good));
    expect(requests).toHaveLength(2);
    const note = users[1]?.slice(users[1].indexOf('# Your last answer')) ?? '';
    expect(note).toContain('- file: file_not_in_changed_files, in findings 0');
    expect(note).toContain(
      '- severity: invalid_enum_value, in findings 1 (counted from 0). Allowed values: "critical", "high"',
    );
    expect(note).toContain('- line: invalid_line_range, in findings 2');
    // The request itself is repeated, in the same mode.
    expect(users[1]).toContain('const a = 1;');
    expect(requests[1]?.tools).toHaveLength(1);
    expect(review?.result.findings).toHaveLength(1);
    expect(review?.state).toMatchObject({ verdict: 'findings', doubts: [] });
  });

  it('INV-4: the diagnostics of both replies are kept, with what stands between them', async () => {
    const { review } = await reviewWith((_request, n) => (n === 1 ? lost : good));
    expect(codesOf(review).filter((code) => code === 'finding_dropped')).toHaveLength(3);
    expect(review?.diagnostics).toContainEqual({ code: 'asked_again', reason: 'all_findings_dropped' });
  });

  it('RED-1 R15: no word of a reply goes back to the model', async () => {
    for (const first of [lost, prose]) {
      const { users, requests } = await reviewWith((_request, n) => (n === 1 ? first : good));
      expect(requests).toHaveLength(2);
      expect(JSON.stringify(requests)).not.toContain('canary');
      expect(users[1]).toMatch(/# Your last answer/);
    }
  });

  it('R8: a rejected reply is asked for in the next weaker mode, with the reason', async () => {
    const { users, requests, review } = await reviewWith((_request, n) => (n === 1 ? prose : good));
    expect(users[1]).toContain('- the whole: invalid_json. Answer with exactly one JSON object');
    expect(requests.map(({ response_format: format }) => format?.type ?? 'tool')).toEqual(['tool', 'json_object']);
    expect(review?.reviewers).toMatchObject([{ mode: 'json_object' }]);
    expect(codesOf(review)).toEqual(['response_rejected', 'asked_again']);
  });

  it('OUT-9: an empty second reply does not turn dropped findings into a clean review', async () => {
    const { review } = await reviewWith((_request, n) => (n === 1 ? lost : says(reviewText([]))));
    expect(review).toMatchObject({ state: { verdict: 'inconclusive', doubts: ['all_findings_dropped'] } });
  });

  it('OUT-9: an empty second reply does not hide findings outside the list of the first', async () => {
    const beside = { ...JSON.parse(reviewText([])), bugCount: 2 };
    const call = (text: string) => ({ type: 'function', function: { name: 'review_result', arguments: text } });
    const first = chat({ content: null, tool_calls: [call(JSON.stringify(beside)), call('{"note":1}')] }, 'tool_calls');
    const { review, requests } = await reviewWith((_request, n) => (n === 1 ? first : says(reviewText([]))));
    expect(requests).toHaveLength(2);
    expect(review?.state).toMatchObject({
      verdict: 'inconclusive',
      doubts: expect.arrayContaining(['findings_unread']),
    });
  });

  it.each([
    ['prose', says('1. //depot/a.ts line 1: the value is never freed, a memory leak.')],
    [
      'findings of another schema',
      says(JSON.stringify({ ...JSON.parse(reviewText([finding()])), schema_version: '9.0' })),
    ],
    ['findings without versions', says(JSON.stringify({ findings: [finding()] }))],
    ['a list under another name', says(JSON.stringify({ issues: [finding()] }))],
    ['broken JSON', says('{"severity":"high" "file" "a.ts", "message": "it leaks"')],
    ['a summary of a defect', says(reviewText([], { findings: null, summary: 'It leaks memory.' }))],
  ])('OUT-9: an empty second reply does not turn a rejected reply of %s into a clean review', async (_what, first) => {
    const { review, requests } = await reviewWith((_request, n) => (n === 1 ? first : says(reviewText([]))));
    expect(requests).toHaveLength(2);
    expect(review?.state).toMatchObject({ verdict: 'inconclusive', doubts: ['findings_unread'] });
  });

  it.each([
    ['that holds no finding', prose],
    [
      'of an empty review of another schema',
      says(JSON.stringify({ ...JSON.parse(reviewText([])), schema_version: '9.0' })),
    ],
    ['that is cut off an empty review', says('{"schema_version": , "prompt_version": "1.0", "findings": [')],
  ])('OUT-9: an empty second reply after a rejected one %s is a clean review', async (_what, first) => {
    const { review, requests } = await reviewWith((_request, n) => (n === 1 ? first : says(reviewText([]))));
    expect(requests).toHaveLength(2);
    expect(review?.state).toEqual({ verdict: 'no_findings', doubts: [] });
  });

  it.each([
    ['rejected', prose],
    ['empty', says('')],
    ['cut', says('{"schema', 'length')],
  ])(
    'OUT-9: a second reply that is %s leaves the first as it is, and nothing is asked a third time',
    async (_what, second) => {
      const { review, requests, letters } = await reviewWith((_request, n) => (n === 1 ? lost : second));
      expect(letters).toEqual([]);
      expect(requests).toHaveLength(2);
      expect(review?.state.doubts).toContain('all_findings_dropped');
    },
  );

  it('R8: two rejected replies are SCHEMA_INVALID after two requests', async () => {
    const { letters, requests } = await reviewWith(() => prose);
    expect(requests).toHaveLength(2);
    expect(letters).toMatchObject([{ errorClass: 'SCHEMA_INVALID' }]);
  });

  it('EGR-1: a repair has an egress record of its own, without which it is not sent; the first reply is not paid for twice', async () => {
    const { llm, requests } = openAiModel((_request, n) => (n === 1 ? lost : good), { modes: ['tool'] });
    const t = harness({ more: { llm } });
    const { append } = t.stores.egress;
    let calls = 0;
    t.stores.egress.append = async (...given) => {
      calls += 1;
      if (calls === 2) throw new CriticizerError('STORE_DOWN', 'x', { category: 'network' });
      return append(...given);
    };
    const { job } = await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await t.criticizer.start();
    const end = await t.seen((e) => e.type === 'stage.ended' && e.stage === 'llm');
    expect([end, requests.length]).toMatchObject([{ outcome: 'wait', code: 'EGRESS_UNRECORDED' }, 1]);
    await t.seen((e) => e.type === 'stage.ended' && e.outcome === 'done');
    await t.criticizer.stop();
    expect(requests).toHaveLength(2);
    expect(requests[1]?.messages.at(-1)?.content).toContain('# Your last answer');
    const records = await t.stores.egress.list({ jobId: job.id, destination: 'llm' });
    expect(new Set(records.map((record) => record.bodySha256)).size).toBe(2);
    expect((await t.criticizer.review(job.id))?.result.findings).toHaveLength(1);
  });

  it('EGR-4: the kill switch stops a repair too', async () => {
    const clock = createManualClock(0);
    const stores = createMemoryStores({ clock });
    const flip = (stopped: boolean) => flipKillSwitch(stores, stopped);
    const { llm, requests } = openAiModel((_request, n) => (n === 1 ? lost : good), { modes: ['tool'] });
    const send = llm.send.bind(llm);
    const stopping: LlmProvider = {
      ...llm,
      async send(...given) {
        const answered = await send(...given);
        if (requests.length === 1) {
          await flip(true);
          await clock.advance(5_000); // longer than a process may go by what it read before
        }
        return answered;
      },
    };
    const t = harness({ more: { llm: stopping, clock, stores } });
    const { job } = await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await t.criticizer.start();
    const advance = async (fits: (status: Job) => boolean): Promise<void> => {
      for (let second = 0; second < 600; second++) {
        await clock.advance(1_000);
        const now = (await t.criticizer.status(job.id))?.job;
        if (now !== undefined && fits(now)) return;
      }
      throw new Error('the job never got there');
    };
    await advance(({ waitingFor }) => waitingFor === 'EGRESS_KILLED');
    expect(requests).toHaveLength(1);
    await flip(false);
    await advance(({ status }) => status === 'completed');
    expect(requests).toHaveLength(2);
    const stopped = t.criticizer.stop();
    await clock.advance(60_000);
    await stopped;
  });
});
