import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Lease } from '../../stores/job.js';
import type { Settlement } from '../../stores/job-store.js';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';
import { claimed, leaseMs, one, rolledBack, running } from './sample-rows.js';
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

    it('PR-5: a settlement adds its samples once: none where its lease is lost, it is repeated or rolled back', async ({
      stores,
      clock,
    }) => {
      const sample = { name: 'prompt', variant: '1.1', counts: { responses: 2, response_rejected: 1 } };
      const effects = { samples: { bucketMs: 60 * minuteMs, add: [sample, { ...sample, name: 'other' }] } };
      const counted = async (): Promise<unknown> =>
        (await stores.samples.read('prompt', { sinceMs: 120 * minuteMs })).map(({ counts }) => counts);
      const first = await running(stores);
      const second = await running(stores);
      const sameId = randomUUID();
      const advance = (lease: Lease, id = sameId): Settlement => ({
        ...{ lease, kind: 'advance', stage: 'notify', leaseMs, id, effects },
      });
      await rolledBack(stores, async (tx) => {
        await stores.jobs.settle([advance(first.lease)], { tx });
      });
      assert.deepEqual(await counted(), []);
      const batch = [advance(first.lease), advance(second.lease, randomUUID())];
      assert.deepEqual(await stores.jobs.settle(batch), ['settled', 'settled']);
      assert.deepEqual(await counted(), [{ responses: 4, response_rejected: 2 }]);
      assert.deepEqual(await stores.jobs.settle([advance(first.lease)]), ['settled-before']);
      await clock.advance(leaseMs);
      await claimed(stores);
      assert.deepEqual(await stores.jobs.settle([advance(first.lease, randomUUID())]), ['lease-lost']);
      const sums = (await stores.samples.read('prompt', { sinceMs: 120 * minuteMs })).map(({ counts }) => counts);
      assert.equal(
        sums.reduce((sum, { responses = 0 }) => sum + responses, 0),
        4,
      );
    });

    it('PR-5: samples of a settlement that are none are a TypeError, and nothing is settled', async ({ stores }) => {
      const { lease } = await running(stores);
      const sample = { name: 'prompt', variant: '1.1', counts: { responses: 1 } };
      for (const samples of [
        { bucketMs: 0, add: [sample] },
        { bucketMs: 1, add: [{ ...sample, counts: { responses: -1 } }] },
        { bucketMs: 1, add: [{ ...sample, variant: '' }] },
        { add: [sample] },
      ]) {
        const settlement = { lease, kind: 'release', effects: { samples } } as Settlement;
        await assert.rejects(stores.jobs.settle([settlement]), TypeError);
      }
      assert.deepEqual(await stores.samples.read('prompt', { sinceMs: minuteMs }), []);
    });
  });
}
