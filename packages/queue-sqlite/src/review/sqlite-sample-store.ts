import { checkMs, checkNewSample, type SampleRow, toSampleWindows, wholeMs } from '@criticizer/core/internal';
import type { SampleStore } from '@criticizer/core/ports';
import type { SqliteFacet } from '../shared/sqlite-facet.js';
import { addSamples } from './add-samples.js';

const find = `SELECT bucket, variant, counted, total FROM sample_counts WHERE name = ? AND bucket >= ?
  ORDER BY bucket, variant, counted`;

/** Bucketed counters on SQLite (PR-5). */
export function createSqliteSampleStore({ storeId, gate }: SqliteFacet): SampleStore {
  return {
    storeId,
    async add(samples, { bucketMs }) {
      checkMs('options.bucketMs', bucketMs, 1);
      for (const [n, sample] of samples.entries()) checkNewSample(sample, `samples[${n}]`);
      if (samples.length === 0) return;
      await gate.write(undefined, (session) => addSamples(session, { bucketMs, add: samples }));
    },
    async read(name, { sinceMs }) {
      checkMs('options.sinceMs', sinceMs);
      return gate.read(undefined, (session) =>
        toSampleWindows(session.all<SampleRow>(find, name, session.nowMs - wholeMs(sinceMs))),
      );
    },
  };
}
