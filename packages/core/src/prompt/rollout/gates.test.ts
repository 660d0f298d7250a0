import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultGates } from '../../../test/rollout/default-gates.js';
import { measureFalse, measureFound, type Side } from '../../../test/rollout/simulate-rollout.js';
import { createSeededRandom } from '../../testing/support/seeded-random.js';
import { findFailure, judgePromotion, looks, type ReadSums } from './gates.js';
import { addSums, type CountSums, measureClustering, type ReviewCounts, squareCounts } from './review-counts.js';

const minutes = (count: number): number => count * 60_000;

/** So many reviews that all count the same. */
function repeat(times: number, review: Partial<ReviewCounts> = {}): CountSums {
  const sums = squareCounts({ jobs: 1, responses: 1, rejected: 0, valid: 3, dropped: 0, ...review });
  for (const key of Object.keys(sums) as (keyof CountSums)[]) sums[key] *= times;
  return sums;
}

const addAll = (...parts: CountSums[]): CountSums => parts.reduce(addSums);

/** Reviews of which some have their one reply rejected, and so no finding. */
const mix = (good: number, rejected: number): CountSums =>
  addAll(repeat(good), repeat(rejected, { jobs: 0, rejected: 1, valid: 0 }));

/** The same sums whatever the window. */
const always =
  (candidate: CountSums, baseline: CountSums): ReadSums =>
  () => ({ candidate, baseline });

const anySums = fc
  .array(
    fc.record({ responses: fc.integer({ min: 1, max: 8 }), bad: fc.nat(8), valid: fc.nat(9), dropped: fc.nat(9) }),
    { minLength: 0, maxLength: 60 },
  )
  .map((runs) =>
    addAll(
      repeat(0),
      ...runs.map(({ responses, bad, valid, dropped }) =>
        squareCounts({ jobs: 1, responses, rejected: Math.min(bad, responses), valid, dropped }),
      ),
    ),
  );

describe('gates of a rollout', () => {
  it('PR-5: a candidate whose replies are rejected three times as often fails', () => {
    const failed = findFailure(always(mix(70, 30), mix(810, 90)), minutes(60), defaultGates);
    expect(failed).toMatchObject({ gate: 'rejected', verdict: 'fails', candidate: 0.3, baseline: 0.1, limit: 0.2 });
  });

  it('PR-5: what is over twice the baseline by chance alone does not fail', () => {
    expect(findFailure(always(mix(15, 5), mix(810, 90)), minutes(30), defaultGates)).toBeNull();
  });

  it('PR-5: a baseline that rejects next to nothing counts as the floor', () => {
    const few = always(mix(1_985, 15), mix(18_000, 9));
    expect(findFailure(few, minutes(600), defaultGates)).toBeNull();
    expect(findFailure(few, minutes(600), { ...defaultGates, rejectedFloor: 0.0005 })).not.toBeNull();
  });

  it('PR-5: fewer replies than the minimum say nothing, however bad', () => {
    const read = always(repeat(defaultGates.minResponses - 1, { rejected: 1, valid: 0 }), mix(810, 90));
    expect(findFailure(read, minutes(30), defaultGates)).toBeNull();
    expect(judgePromotion(read, minutes(30), defaultGates).outcome).toBe('held');
  });

  it('PR-5: a burst that a long window hides fails in the shortest one', () => {
    const calm = { candidate: mix(2_000, 0), baseline: mix(18_000, 400) };
    const burst = { candidate: mix(10, 40), baseline: mix(441, 9) };
    const read: ReadSums = (ms) => (ms <= defaultGates.windowMs ? burst : calm);
    expect(findFailure(read, minutes(1_440), defaultGates)?.windowMs).toBe(defaultGates.windowMs);
  });

  it('PR-5: replies that fail together prove less than as many alone', () => {
    const together = addAll(repeat(40, { responses: 8 }), repeat(10, { responses: 8, rejected: 8 }));
    expect(measureClustering(together).rejected).toBeGreaterThan(4);
    expect(measureClustering(mix(40, 10)).rejected).toBeCloseTo(1, 6);
  });

  it('PR-6: a candidate that finds a third of what the baseline finds fails', () => {
    const read = always(repeat(100, { valid: 1 }), repeat(900));
    expect(findFailure(read, minutes(60), defaultGates)).toMatchObject({ gate: 'findings', candidate: 1, limit: 1.5 });
  });

  it('PR-6: valid findings under the floor fail, unless the baseline misses the floor too', () => {
    const gates = { ...defaultGates, findingsFloor: 2.5 };
    const fewer = repeat(300, { valid: 2 });
    expect(findFailure(always(fewer, repeat(900)), minutes(60), defaultGates)).toBeNull();
    expect(findFailure(always(fewer, repeat(900)), minutes(60), gates)).toMatchObject({ gate: 'findings' });
    expect(findFailure(always(fewer, repeat(900, { valid: 2 })), minutes(60), gates)).toBeNull();
  });

  it('PR-4: as good as the baseline in enough reviews is ready; with too few it is held', () => {
    expect(judgePromotion(always(mix(570, 30), mix(5_130, 270)), minutes(360), defaultGates).outcome).toBe('ready');
    expect(judgePromotion(always(mix(95, 5), mix(855, 45)), minutes(60), defaultGates).outcome).toBe('held');
  });

  it('PR-4: a drop rate over its SLO is failing, and one that may be over it holds', () => {
    const baseline = repeat(5_000);
    const judge = (dropped: number) =>
      judgePromotion(always(addAll(repeat(500), repeat(dropped, { jobs: 0, valid: 0, dropped: 1 })), baseline), 1, {
        ...defaultGates,
        droppedShare: 0.1,
      }).outcome;
    expect([judge(30), judge(165), judge(400)]).toEqual(['ready', 'held', 'failing']);
  });

  it('PR-4: whatever was counted, nothing that fails is ready, and less than the least reviews never is', () => {
    fc.assert(
      fc.property(anySums, anySums, (candidate, baseline) => {
        const read = always(candidate, baseline);
        const { outcome, reports } = judgePromotion(read, minutes(30), defaultGates);
        if (outcome === 'ready') {
          expect(findFailure(read, minutes(30), defaultGates)).toBeNull();
          expect(candidate.jobs).toBeGreaterThanOrEqual(defaultGates.promoteJobs);
          expect(reports.every(({ verdict }) => verdict === 'passes')).toBe(true);
        }
        // A side is never surely worse than itself.
        expect(findFailure(always(candidate, candidate), minutes(30), defaultGates)).toBeNull();
      }),
      { numRuns: 100 },
    );
  });

  it('PR-5: simulated candidates as good as the baseline stay, and a threefold rise is found within an hour', () => {
    const side: Side = { reviewsAnHour: 100, rejected: 0.1, findings: 3 };
    const dice = createSeededRandom(7).next;
    expect(looks.map(({ times }) => times)).toEqual([1, 2, 4, 8, 48]);
    expect(measureFalse(side, defaultGates, 12, dice)).toBeLessThan(0.1);
    const turn = { good: side, bad: { ...side, rejected: 0.3 }, within: [60, 120] };
    const [hour = 0, two = 0] = measureFound(turn, defaultGates, 30, dice);
    expect(hour).toBeGreaterThan(0.75);
    expect(two).toBeGreaterThan(0.97);
  });
});
