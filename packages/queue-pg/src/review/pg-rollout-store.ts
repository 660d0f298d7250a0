import {
  checkJson,
  checkMs,
  checkRolloutSample,
  checkText,
  type Instant,
  toDate,
  toMs,
  wholeMs,
} from '@criticizer/core/internal';
import type { JsonValue, RolloutStore, RolloutWindow } from '@criticizer/core/ports';
import { epochMs, span } from '../shared/instants.js';
import type { PgTx } from '../shared/pg-database.js';
import type { PgFacet } from '../shared/pg-facet.js';

interface EntryRow {
  revision: number;
  value: string;
  updated_at: Instant;
}

interface SampleRow {
  bucket: Instant;
  variant: string;
  counted: string;
  total: string | number;
}

/** Rows of one bucket and variant, in order, as one window. */
function toWindows(rows: readonly SampleRow[]): RolloutWindow[] {
  const windows: { bucket: Date; variant: string; counts: Record<string, number> }[] = [];
  for (const { bucket, variant, counted, total } of rows) {
    let window = windows.at(-1);
    if (window === undefined || window.bucket.getTime() !== toMs(bucket) || window.variant !== variant) {
      window = { bucket: toDate(bucket), variant, counts: {} };
      windows.push(window);
    }
    window.counts[counted] = Number(total);
  }
  return windows;
}

// One row a key, in one order: a statement cannot change a row twice, and two calls cannot deadlock.
const add = `INSERT INTO {schema}.rollout_samples AS s (name, bucket, variant, counted, total)
  SELECT x.name, to_timestamp(floor(extract(epoch FROM {now}) * 1000 / $2::float8) * $2::float8 / 1000), x.variant, x.counted, sum(x.total)
  FROM json_to_recordset($1::json) AS x(name text, variant text, counted text, total float8)
  GROUP BY x.name, x.variant, x.counted ORDER BY x.name, x.variant, x.counted
  ON CONFLICT (name, bucket, variant, counted) DO UPDATE SET total = s.total + excluded.total`;

/** Shared, versioned documents and their counts, on PostgreSQL (PR-4, PR-5, EGR-4). */
export function createPgRolloutStore({ storeId, gate }: PgFacet): RolloutStore<PgTx> {
  return {
    storeId,
    async read(name) {
      const row = await gate.single(undefined, (session) =>
        session.first<EntryRow>(
          `SELECT revision, value::text AS value, ${epochMs('updated_at')} AS updated_at FROM {schema}.rollout_entries WHERE name = $1`,
          name,
        ),
      );
      if (row === undefined) return { name, revision: 0, value: null, updatedAt: null };
      return {
        name,
        revision: row.revision,
        value: JSON.parse(row.value) as JsonValue,
        updatedAt: toDate(row.updated_at),
      };
    },
    async write(name, expectedRevision, value, options) {
      checkText('name', name);
      checkJson('value', value);
      const text = JSON.stringify(value);
      return gate.together(options?.tx, async (session) => {
        const written =
          expectedRevision === 0
            ? await session.run(
                `INSERT INTO {schema}.rollout_entries (name, revision, value, updated_at) VALUES ($1, 1, $2::json, {now})
                  ON CONFLICT (name) DO NOTHING`,
                name,
                text,
              )
            : await session.run(
                `UPDATE {schema}.rollout_entries SET revision = revision + 1, value = $2::json, updated_at = {now}
                  WHERE name = $1 AND revision = $3`,
                name,
                text,
                expectedRevision,
              );
        if (written === 1) return { outcome: 'written', revision: expectedRevision + 1 };
        const row = await session.first<{ revision: number }>(
          'SELECT revision FROM {schema}.rollout_entries WHERE name = $1',
          name,
        );
        return { outcome: 'conflict', revision: row?.revision ?? 0 };
      });
    },
    async addSamples(samples, { bucketMs }) {
      checkMs('options.bucketMs', bucketMs, 1);
      for (const [n, sample] of samples.entries()) checkRolloutSample(sample, `samples[${n}]`);
      const input = samples.flatMap(({ name, variant, counts }) =>
        Object.entries(counts).map(([counted, total]) => ({ name, variant, counted, total })),
      );
      if (input.length === 0) return;
      await gate.single(undefined, (session) => session.run(add, JSON.stringify(input), bucketMs));
    },
    async readSamples(name, { sinceMs }) {
      checkMs('options.sinceMs', sinceMs);
      const rows = await gate.single(undefined, (session) =>
        session.all<SampleRow>(
          `SELECT ${epochMs('bucket')} AS bucket, variant, counted, total::numeric AS total FROM {schema}.rollout_samples
            WHERE name = $1 AND bucket >= {now} - ${span('$2::float8')} ORDER BY rollout_samples.bucket, variant, counted`,
          name,
          wholeMs(sinceMs),
        ),
      );
      return toWindows(rows);
    },
  };
}
