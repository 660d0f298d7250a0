import assert from 'node:assert/strict';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';
import { one, rolledBack } from './sample-rows.js';
import type { StoresHarness } from './stores-harness.js';

const minuteMs = 60_000;

/** What every `RolloutStore` must do (PR-4, PR-5, PR-6, EGR-4). */
export function describeRolloutStoreContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('RolloutStore contract', () => {
    const it = contractCases(runner, harness);

    it('PR-4: an entry never written has revision 0 and value null', async ({ stores }) => {
      assert.deepEqual(await stores.rollout.read('prompt'), {
        name: 'prompt',
        revision: 0,
        value: null,
        updatedAt: null,
      });
    });

    it('PR-4: a write takes where the revision is as expected, and is one higher', async ({ stores }) => {
      const slices = { candidate: '1.2', percent: 5, list: [1, null, 'ü'] };
      assert.deepEqual(await stores.rollout.write('prompt', 1, {}), { outcome: 'conflict', revision: 0 });
      assert.deepEqual(await stores.rollout.write('prompt', 0, slices), { outcome: 'written', revision: 1 });
      assert.deepEqual(await stores.rollout.read('prompt'), {
        name: 'prompt',
        revision: 1,
        value: slices,
        updatedAt: await stores.now(),
      });
      assert.deepEqual(await stores.rollout.write('prompt', 0, {}), { outcome: 'conflict', revision: 1 });
      assert.deepEqual(await stores.rollout.write('prompt', 1, null), { outcome: 'written', revision: 2 });
      const { revision, value } = await stores.rollout.read('prompt');
      assert.deepEqual([revision, value], [2, null]);
      assert.equal((await stores.rollout.read('other')).revision, 0);
    });

    it('EGR-4: of twenty concurrent writes on one revision one wins', async ({ stores }) => {
      for (const revision of [0, 1]) {
        const writes = Array.from({ length: 20 }, (_, n) => stores.rollout.write('kill-switch', revision, n));
        const outcomes = (await Promise.all(writes)).map(({ outcome }) => outcome);
        assert.equal(outcomes.filter((outcome) => outcome === 'written').length, 1);
        const entry = await stores.rollout.read('kill-switch');
        assert.deepEqual([entry.revision, entry.value], [revision + 1, outcomes.indexOf('written')]);
      }
    });

    it('PR-4: a write commits and rolls back with the caller’s transaction', async ({ stores }) => {
      await rolledBack(stores, async (tx) => {
        assert.deepEqual(await stores.rollout.write('prompt', 0, 'x', { tx }), { outcome: 'written', revision: 1 });
      });
      assert.equal((await stores.rollout.read('prompt')).revision, 0);
      await stores.transaction((tx) => stores.rollout.write('prompt', 0, 'y', { tx }));
      assert.equal((await stores.rollout.read('prompt')).value, 'y');
    });

    it('PR-5: samples of one bucket, name and variant add up, also concurrently', async ({ stores }) => {
      const bucketMs = minuteMs;
      const sample = { name: 'prompt', variant: '1.1', counts: { responses: 1, response_rejected: 2 } };
      await Promise.all(Array.from({ length: 10 }, () => stores.rollout.addSamples([sample], { bucketMs })));
      await stores.rollout.addSamples(
        [
          { ...sample, counts: { responses: 5, findings_valid: 7 } },
          { ...sample, variant: '1.2' },
          { ...sample, name: 'other' },
        ],
        { bucketMs },
      );
      const windows = await stores.rollout.readSamples('prompt', { sinceMs: 10 * minuteMs });
      const counts = new Map(windows.map((window) => [window.variant, window.counts]));
      assert.equal(windows.length, 2);
      assert.deepEqual(counts.get('1.1'), { responses: 15, response_rejected: 20, findings_valid: 7 });
      assert.deepEqual(counts.get('1.2'), { responses: 1, response_rejected: 2 });
    });

    it('PR-5: buckets start on multiples of their length and are read for the time asked', async ({
      stores,
      clock,
    }) => {
      const add = (responses: number): Promise<void> =>
        stores.rollout.addSamples([{ name: 'prompt', variant: '1.1', counts: { responses } }], { bucketMs: minuteMs });
      await add(1);
      const first = new Date(Math.floor((await stores.now()).getTime() / minuteMs) * minuteMs);
      await clock.advance(60 * minuteMs);
      await add(2);
      assert.deepEqual(one(await stores.rollout.readSamples('prompt', { sinceMs: 30 * minuteMs })).counts, {
        responses: 2,
      });
      const all = await stores.rollout.readSamples('prompt', { sinceMs: 90 * minuteMs });
      const sorted = [...all].sort((a, b) => a.bucket.getTime() - b.bucket.getTime());
      assert.deepEqual(
        sorted.map(({ bucket, counts }) => [bucket, counts]),
        [
          [first, { responses: 1 }],
          [new Date(first.getTime() + 60 * minuteMs), { responses: 2 }],
        ],
      );
    });
  });
}
