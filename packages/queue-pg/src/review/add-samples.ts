import type { SampledCounts } from '@criticizer/core/ports';
import type { PgSession } from '../shared/pg-session.js';

// One row a key, in one order: a statement cannot change a row twice, and two calls cannot deadlock.
const insert = `INSERT INTO {schema}.sample_counts AS s (name, bucket, variant, counted, total)
  SELECT x.name, to_timestamp(floor(extract(epoch FROM {now}) * 1000 / $2::float8) * $2::float8 / 1000), x.variant, x.counted, sum(x.total)
  FROM json_to_recordset($1::json) AS x(name text, variant text, counted text, total float8)
  GROUP BY x.name, x.variant, x.counted ORDER BY x.name, x.variant, x.counted
  ON CONFLICT (name, bucket, variant, counted) DO UPDATE SET total = s.total + excluded.total`;

/** Adds samples to their buckets (PR-5): one statement for each length of bucket, none without a count. */
export async function addSamples(session: PgSession, samples: readonly SampledCounts[]): Promise<void> {
  const byLength = new Map<number, { name: string; variant: string; counted: string; total: number }[]>();
  for (const { bucketMs, add } of samples) {
    const rows = byLength.get(bucketMs) ?? [];
    for (const { name, variant, counts } of add)
      for (const [counted, total] of Object.entries(counts)) rows.push({ name, variant, counted, total });
    byLength.set(bucketMs, rows);
  }
  for (const [bucketMs, rows] of [...byLength].sort(([a], [b]) => a - b))
    if (rows.length > 0) await session.run(insert, JSON.stringify(rows), bucketMs);
}
