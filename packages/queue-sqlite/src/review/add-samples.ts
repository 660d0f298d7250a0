import type { SampledCounts } from '@criticizer/core/ports';
import type { SqliteSession } from '../shared/sqlite-session.js';

const insert = `INSERT INTO sample_counts (name, bucket, variant, counted, total) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (name, bucket, variant, counted) DO UPDATE SET total = total + excluded.total`;

/** Adds each sample to its bucket (PR-5). Needs a transaction. */
export function addSamples(session: SqliteSession, { bucketMs, add }: SampledCounts): void {
  const bucket = Math.floor(session.nowMs / bucketMs) * bucketMs;
  for (const { name, variant, counts } of add)
    for (const [counted, count] of Object.entries(counts)) session.run(insert, name, bucket, variant, counted, count);
}
