import { checkMs, checkNewSample, type SampleRow, toSampleWindows, wholeMs } from '@criticizer/core/internal';
import type { SampleStore } from '@criticizer/core/ports';
import { epochMs, span } from '../shared/instants.js';
import type { PgFacet } from '../shared/pg-facet.js';

// One row a key, in one order: a statement cannot change a row twice, and two calls cannot deadlock.
const add = `INSERT INTO {schema}.sample_counts AS s (name, bucket, variant, counted, total)
  SELECT x.name, to_timestamp(floor(extract(epoch FROM {now}) * 1000 / $2::float8) * $2::float8 / 1000), x.variant, x.counted, sum(x.total)
  FROM json_to_recordset($1::json) AS x(name text, variant text, counted text, total float8)
  GROUP BY x.name, x.variant, x.counted ORDER BY x.name, x.variant, x.counted
  ON CONFLICT (name, bucket, variant, counted) DO UPDATE SET total = s.total + excluded.total`;

const find = `SELECT ${epochMs('bucket')} AS bucket, variant, counted, total::numeric AS total FROM {schema}.sample_counts
  WHERE name = $1 AND bucket >= {now} - ${span('$2::float8')} ORDER BY sample_counts.bucket, variant, counted`;

/** Bucketed counters on PostgreSQL (PR-5). */
export function createPgSampleStore({ storeId, gate }: PgFacet): SampleStore {
  return {
    storeId,
    async add(samples, { bucketMs }) {
      checkMs('options.bucketMs', bucketMs, 1);
      for (const [n, sample] of samples.entries()) checkNewSample(sample, `samples[${n}]`);
      const input = samples.flatMap(({ name, variant, counts }) =>
        Object.entries(counts).map(([counted, total]) => ({ name, variant, counted, total })),
      );
      if (input.length === 0) return;
      await gate.single(undefined, (session) => session.run(add, JSON.stringify(input), bucketMs));
    },
    async read(name, { sinceMs }) {
      checkMs('options.sinceMs', sinceMs);
      const rows = await gate.single(undefined, (session) => session.all<SampleRow>(find, name, wholeMs(sinceMs)));
      return toSampleWindows(rows);
    },
  };
}
