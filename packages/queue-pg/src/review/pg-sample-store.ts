import { checkMs, checkNewSample, type SampleRow, toSampleWindows, wholeMs } from '@criticizer/core/internal';
import type { SampleStore } from '@criticizer/core/ports';
import { epochMs, span } from '../shared/instants.js';
import type { PgFacet } from '../shared/pg-facet.js';
import { addSamples } from './add-samples.js';

const find = `SELECT ${epochMs('bucket')} AS bucket, variant, counted, total::numeric AS total FROM {schema}.sample_counts
  WHERE name = $1 AND bucket >= {now} - ${span('$2::float8')} ORDER BY sample_counts.bucket, variant, counted`;

/** Bucketed counters on PostgreSQL (PR-5). */
export function createPgSampleStore({ storeId, gate }: PgFacet): SampleStore {
  return {
    storeId,
    async add(samples, { bucketMs }) {
      checkMs('options.bucketMs', bucketMs, 1);
      for (const [n, sample] of samples.entries()) checkNewSample(sample, `samples[${n}]`);
      if (samples.every(({ counts }) => Object.keys(counts).length === 0)) return;
      await gate.single(undefined, (session) => addSamples(session, [{ bucketMs, add: samples }]));
    },
    async read(name, { sinceMs }) {
      checkMs('options.sinceMs', sinceMs);
      const rows = await gate.single(undefined, (session) => session.all<SampleRow>(find, name, wholeMs(sinceMs)));
      return toSampleWindows(rows);
    },
  };
}
