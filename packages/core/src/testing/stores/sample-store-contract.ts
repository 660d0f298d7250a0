import assert from 'node:assert/strict';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';
import { one } from './sample-rows.js';
import type { StoresHarness } from './stores-harness.js';

const minuteMs = 60_000;

/** What every `SampleStore` must do (PR-5, PR-6). */
export function describeSampleStoreContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('SampleStore contract', () => {
    const it = contractCases(runner, harness);

    it('PR-5: samples of one bucket, name and variant add up, also concurrently', async ({ stores }) => {
      const bucketMs = minuteMs;
      const sample = { name: 'prompt', variant: '1.1', counts: { responses: 1, response_rejected: 2 } };
      await Promise.all(Array.from({ length: 10 }, () => stores.samples.add([sample], { bucketMs })));
      const more = { ...sample, counts: { responses: 5, findings_valid: 7 } };
      await stores.samples.add([more, { ...sample, variant: '1.2' }, { ...sample, name: 'other' }], { bucketMs });
      const windows = await stores.samples.read('prompt', { sinceMs: 10 * minuteMs });
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
        stores.samples.add([{ name: 'prompt', variant: '1.1', counts: { responses } }], { bucketMs: minuteMs });
      await add(1);
      const first = new Date(Math.floor((await stores.now()).getTime() / minuteMs) * minuteMs);
      await clock.advance(60 * minuteMs);
      await add(2);
      const recent = await stores.samples.read('prompt', { sinceMs: 30 * minuteMs });
      assert.deepEqual(one(recent).counts, { responses: 2 });
      const all = await stores.samples.read('prompt', { sinceMs: 90 * minuteMs });
      assert.deepEqual(
        all.map(({ bucket, counts }) => [bucket, counts]),
        [
          [first, { responses: 1 }],
          [new Date(first.getTime() + 60 * minuteMs), { responses: 2 }],
        ],
      );
    });
  });
}
