import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInVariant } from '../src/prompt/built-in-variant.js';
import { nameVariant } from '../src/prompt/prompt-variant.js';
import { type ReviewCounts, sumSampleCounts, toSampleCounts } from '../src/prompt/rollout/review-counts.js';
import { finding, harness, reply } from './criticizer-harness.js';

type Harness = ReturnType<typeof harness>;

/** The sums of all buckets, of the variant that jobs are frozen on. */
async function readCounts({ stores }: Harness): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { variant, counts } of await stores.samples.read('prompt.review', { sinceMs: 3_600_000 })) {
    expect(variant).toBe(nameVariant(builtInVariant));
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

describe('samples of reviews', () => {
  it('PR-5: a review counts its replies, and the findings that were kept and dropped, with its settlement', async () => {
    const t = harness({ script: [reply([finding(), finding({ id: 'f2', line: 0 })])] });
    await t.run();
    await t.criticizer.stop();
    expect(await readCounts(t)).toMatchObject({
      ...{ jobs: 1, responses: 1, response_rejected: 0 },
      ...{ findings_valid: 1, findings_dropped: 1 },
    });
  });

  it('PR-5: each run leaves its squares too, by which gates know replies that fail together', () => {
    const counts = fc.record({
      ...{ jobs: fc.nat(1), responses: fc.nat(50), rejected: fc.nat(50), valid: fc.nat(50), dropped: fc.nat(50) },
    });
    fc.assert(
      fc.property(fc.array(counts, { maxLength: 8 }), (runs) => {
        const sums = sumSampleCounts(runs.map(toSampleCounts));
        const sum = (read: (run: ReviewCounts) => number) => runs.reduce((total, run) => total + read(run), 0);
        expect(sums.rejected).toBe(sum(({ rejected }) => rejected));
        expect(sums.rejectedSquared).toBe(sum(({ rejected }) => rejected ** 2));
        expect(sums.responsesByRejected).toBe(sum(({ responses, rejected }) => responses * rejected));
        expect(sums.validByDropped).toBe(sum(({ valid, dropped }) => valid * dropped));
      }),
      { numRuns: 50 },
    );
  });

  it('PR-5: a run whose settlement loses its lease counts nothing; the one that ends the stage does, once', async () => {
    const t = harness({ script: [reply([finding()])] });
    const { jobs } = t.stores;
    const { settle } = jobs;
    let lost = 0;
    jobs.settle = async (settlements, options) => {
      const isReview = settlements.some(({ kind, effects }) => kind === 'advance' && effects?.samples !== undefined);
      if (!isReview || lost > 0) return settle(settlements, options);
      lost++;
      // The store has given the job to nobody else: the worker only hears so, and the job comes back.
      await settle(
        settlements.map(({ lease }) => ({ lease, kind: 'release' })),
        options,
      );
      return settle(settlements, options);
    };
    await t.run();
    await t.criticizer.stop();
    expect(lost).toBe(1);
    expect(await readCounts(t)).toMatchObject({ jobs: 1, responses: 1, findings_valid: 1 });
  });

  it('PR-5: rejected replies of runs that end in a dead letter are counted, and no review with them', async () => {
    const broken = reply([], { text: 'I would rather talk about the weather.' });
    const t = harness({ script: Array.from({ length: 12 }, () => broken) });
    await t.run();
    await t.criticizer.stop();
    const { jobs, responses, response_rejected, findings_valid } = await readCounts(t);
    expect([jobs, findings_valid]).toEqual([0, 0]);
    expect(responses).toBe(t.sent.length);
    expect(response_rejected).toBe(responses);
  });
});
