import { checkMs } from '../../foundation/store-input.js';
import { checkNewSample, type SampledCounts, type SampleStore } from '../../stores/sample-store.js';
import type { MemoryDatabase, MemorySession } from '../shared/memory-database.js';

function sum(counts: Readonly<Record<string, number>>, stored: Readonly<Record<string, number>> = {}) {
  const total: Record<string, number> = { ...stored };
  for (const [counter, count] of Object.entries(counts)) total[counter] = (total[counter] ?? 0) + count;
  return total;
}

/** Adds each sample to its bucket. */
export function addSamples({ tables, now }: MemorySession, { bucketMs, add }: SampledCounts): void {
  const bucket = new Date(Math.floor(now.getTime() / bucketMs) * bucketMs);
  for (const { name, variant, counts } of add) {
    const key = JSON.stringify([name, variant, bucket.getTime()]);
    const stored = tables.samples.get(key)?.window.counts;
    tables.samples.put(key, { name, window: { variant, bucket, counts: sum(counts, stored) } });
  }
}

/** The bucketed counters of `createMemoryStores`. Values given out are copies. */
export function createMemorySampleStore(database: MemoryDatabase): SampleStore {
  return {
    storeId: database.storeId,
    add: (samples, options) =>
      database.write(undefined, (session) => {
        checkMs('options.bucketMs', options.bucketMs, 1);
        for (const [n, sample] of samples.entries()) checkNewSample(sample, `samples[${n}]`);
        addSamples(session, { bucketMs: options.bucketMs, add: samples });
      }),
    read: (name, options) =>
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
