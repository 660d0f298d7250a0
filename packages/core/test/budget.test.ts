import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../src/foundation/errors.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import type { SettingsInput } from '../src/settings/settings.js';
import { createManualClock } from '../src/testing/support/manual-clock.js';
import { change, file, finding, harness, reply, scriptedProvider } from './criticizer-harness.js';

const files = ['a', 'b', 'c', 'd'].map((name) =>
  file(`//depot/${name}.ts`, Array(400).fill(`const ${name} = 1; // ${'x'.repeat(60)}`)),
);
const usage = { inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 0, reasoningTokens: null };

const answer = reply([finding()], { usage });
type Script = Parameters<typeof scriptedProvider>[0];

/** A change of several chunks under this budget. */
function setUp(budget: NonNullable<NonNullable<SettingsInput['llm']>['budget']>, script: Script = [answer]) {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const { provider, sent } = scriptedProvider(script, 'one');
  const llm = { ...provider, limits: { contextTokens: 30_000, maxOutputTokens: 2_000 } };
  const settings = { llm: { concurrency: 1, budget } };
  const t = harness({ change: change({ files }), more: { llm, stores, clock, settings } });
  const review = async (reviewVersion = 1) => {
    const { job } = await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion });
    await t.criticizer.runDue({ until: 'idle' });
    const row = (await stores.jobs.get([job.id]))[0];
    return { status: row?.status, review: await t.criticizer.review(job.id) };
  };
  const reports = () => t.securityEvents.events.map(({ type, details }) => [type, details['budget']]);
  return { sent, review, clock, stores, reports };
}

const reasonsOf = (review: Awaited<ReturnType<ReturnType<typeof setUp>['review']>>['review']) =>
  review?.coverage.files.map((one) => ('reason' in one ? one.reason : one.state));

describe('llm.budget', () => {
  it('OUT-9: what a spent budget leaves is not reviewed, the review is incomplete, and nothing becomes a dead letter', async () => {
    const { sent, review, stores } = setUp({ perReview: { requests: 1 } });
    const done = await review();
    expect([done.status, sent.length]).toEqual(['completed', 1]);
    expect(done.review?.coverage.complete).toBe(false);
    expect(new Set(reasonsOf(done.review))).toEqual(new Set(['reviewed_full', 'budget']));
    expect(done.review?.diagnostics[0]).toEqual({ code: 'budget_spent', budget: 'review.requests' });
    expect(await stores.deadLetters.list({})).toEqual([]);
  });

  it.each([
    ['input tokens', { inputTokens: 2_000 }, 'review.inputTokens'],
    ['output tokens', { outputTokens: 200 }, 'review.outputTokens'],
    ['cost', { cost: 0.02 }, 'review.cost'],
  ])('is checked before each request: %s', async (_what, perReview, budget) => {
    const prices = [{ provider: 'one', inputPerMillion: 8, outputPerMillion: 20 }];
    const { sent, review } = setUp({ perReview, prices });
    expect((await review()).review?.diagnostics[0]).toEqual({ code: 'budget_spent', budget });
    expect(sent).toHaveLength(2);
  });

  it('the day’s budget counts all reviews, in the store, and is free again a day later', async () => {
    const { sent, review, clock } = setUp({ perDay: { requests: 2 } });
    await review(1);
    expect(sent).toHaveLength(2);
    const second = await review(2);
    expect([second.status, sent.length]).toEqual(['completed', 2]);
    expect(new Set(reasonsOf(second.review))).toEqual(new Set(['budget']));
    await clock.advance(25 * 3_600_000);
    await review(3);
    expect(sent).toHaveLength(4);
  });

  it('OUT-9: where the budget of a path is spent its hunks are not reviewed, the others are, and it is reported once', async () => {
    const perPath = [{ name: 'first', paths: ['//depot/a.ts', '//depot/b.ts'], requests: 1 }];
    const { sent, review, stores, reports } = setUp({ perPath });
    const done = await review(1);
    expect([done.status, reasonsOf(done.review)?.filter((reason) => reason === 'budget')]).toEqual([
      'completed',
      ['budget'],
    ]);
    expect(done.review?.diagnostics[0]).toEqual({ code: 'budget_spent', budget: 'path.first.requests' });
    expect(sent.join('')).toContain('const d = 1');
    const second = await review(2);
    expect(reasonsOf(second.review)).toEqual(['budget', 'budget', 'reviewed_full', 'reviewed_full']);
    expect(reports()).toEqual([['llm.budget_spent', 'path.first.requests']]);
    expect(await stores.deadLetters.list({})).toEqual([]);
    const rows = await stores.jobs.list({});
    expect(rows.map(({ attempts }) => attempts['llm'])).toEqual([1, 1]);
  });

  it('counts a request that failed, and none that was never sent', async () => {
    const down = new CriticizerError('NETWORK_REFUSED', 'no answer', { category: 'network' });
    const { sent, review, stores } = setUp({ perDay: { requests: 100 } }, [down]);
    // The first opens the breaker, which keeps back those of the next reviews.
    for (const version of [1, 2, 3]) await review(version);
    expect(sent).toHaveLength(1);
    const [window] = await stores.samples.read('llm.spent.day', { sinceMs: 3_600_000 });
    expect(window?.counts).toMatchObject({ requests: 1 });
  });

  it.each([
    [
      'a name twice',
      [
        { name: 'a', paths: ['//a/...'] },
        { name: 'a', paths: ['//b/...'] },
      ],
      '"a" names two budgets',
    ],
    ['a pattern that could match nothing', [{ name: 'a', paths: ['//a//b'] }], 'llm.budget.perPath: a: '],
    ['a name that is none', [{ name: 'A path', paths: ['//a/...'] }], 'settings.llm.budget.perPath.0.name'],
  ])('is a TypeError for %s', (_what, perPath, message) => {
    expect(() => setUp({ perPath })).toThrow(TypeError);
    expect(() => setUp({ perPath })).toThrow(message);
  });
});

describe("llm: 'none'", () => {
  it('EGR-1: sends nothing, counts files and withheld secrets, and says that no model reviews', async () => {
    const t = harness({
      change: change({ files: [file('//depot/a.ts', ['const k = "secret-aaaa";'])] }),
      more: { llm: 'none' },
    });
    const id = await t.run();
    await t.criticizer.stop();
    const review = await t.criticizer.review(id);
    expect(reasonsOf(review)).toEqual(['no_model']);
    expect(review).toMatchObject({ secretsWithheld: 1, coverage: { complete: false }, reviewers: [] });
    const left = await t.stores.egress.list({ jobId: id });
    expect(left.map(({ destination }) => destination)).toEqual(['mail']);
    expect(await t.criticizer.dryRun({ serverId: 'main', number: 7 })).toMatchObject({ kind: 'planned', requests: [] });
  });
});
