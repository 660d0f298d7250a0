import { checkFields } from '../foundation/check-options.js';
import { checkedElsewhere, checkObject } from '../foundation/option-checks.js';
import { checkJson, checkMs, checkText, checkWhole } from '../foundation/store-input.js';
import type { RolloutStore } from '../stores/rollout-store.js';
import type { MemoryDatabase, MemoryTx } from './memory-database.js';

/** Bad input to `RolloutStore.addSamples`, for every store. Throws `TypeError` naming the option. */
export function checkRolloutSample(
  sample: { name: string; variant: string; counts: Readonly<Record<string, number>> },
  at: string,
): void {
  checkFields<typeof sample>(at, sample, { name: checkedElsewhere, variant: checkedElsewhere, counts: checkObject });
  checkText(`${at}.name`, sample.name, 128);
  checkText(`${at}.variant`, sample.variant, 128);
  for (const [counter, count] of Object.entries(sample.counts))
    checkWhole(`${at}.counts.${counter}`, count, 0, Number.MAX_SAFE_INTEGER);
}

function sum(counts: Readonly<Record<string, number>>, stored: unknown): Record<string, number> {
  const total: Record<string, number> = { ...(stored as Record<string, number> | undefined) };
  for (const [counter, count] of Object.entries(counts)) total[counter] = (total[counter] ?? 0) + count;
  return total;
}

/** The shared documents and counters of `createMemoryStores`. */
export function createMemoryRolloutStore(database: MemoryDatabase): RolloutStore<MemoryTx> {
  return {
    storeId: database.storeId,
    read: (name) =>
      database.read(undefined, ({ tables }) =>
        structuredClone(tables.rollouts.get(name) ?? { name, revision: 0, value: null, updatedAt: null }),
      ),
    write: (name, expectedRevision, value, options) =>
      database.write(options?.tx, ({ tables, now }) => {
        checkText('name', name, 128);
        checkWhole('expectedRevision', expectedRevision, 0);
        checkJson('value', value);
        const stored = tables.rollouts.get(name)?.revision ?? 0;
        if (stored !== expectedRevision) return { outcome: 'conflict', revision: stored };
        tables.rollouts.put(name, { name, revision: stored + 1, value: structuredClone(value), updatedAt: now });
        return { outcome: 'written', revision: stored + 1 };
      }),
    addSamples: (samples, options) =>
      database.write(undefined, ({ tables, now }) => {
        checkMs('options.bucketMs', options.bucketMs, 1);
        for (const [n, sample] of samples.entries()) checkRolloutSample(sample, `samples[${n}]`);
        const bucket = new Date(Math.floor(now.getTime() / options.bucketMs) * options.bucketMs);
        for (const { name, variant, counts } of samples) {
          const key = JSON.stringify([name, variant, bucket.getTime()]);
          const stored = tables.samples.get(key)?.window.counts;
          tables.samples.put(key, { name, window: { variant, bucket, counts: sum(counts, stored) } });
        }
      }),
    readSamples: (name, options) =>
      database.read(undefined, ({ tables, now }) => {
        checkMs('options.sinceMs', options.sinceMs);
        const since = now.getTime() - options.sinceMs;
        const found = tables.samples
          .rows()
          .filter((sample) => sample.name === name && sample.window.bucket.getTime() >= since);
        return structuredClone(found.map(({ window }) => window)).sort(
          (a, b) => a.bucket.getTime() - b.bucket.getTime(),
        );
      }),
  };
}
