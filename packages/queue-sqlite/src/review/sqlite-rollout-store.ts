import { checkJson, checkMs, checkRolloutSample, checkText, wholeMs } from '@criticizer/core/internal';
import type { JsonValue, RolloutStore, RolloutWindow } from '@criticizer/core/ports';
import type { SqliteTx } from '../shared/sqlite-database.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';
import type { SqliteSession } from '../shared/sqlite-session.js';

interface EntryRow {
  revision: number;
  value: string;
  updated_at: number;
}

function findEntry(session: SqliteSession, name: string): EntryRow | undefined {
  return session.first<EntryRow>('SELECT revision, value, updated_at FROM rollout_entries WHERE name = ?', name);
}

interface SampleRow {
  bucket: number;
  variant: string;
  counted: string;
  total: number;
}

/** Rows of one bucket and variant, in order, as one window. */
function toWindows(rows: readonly SampleRow[]): RolloutWindow[] {
  const windows: { bucket: Date; variant: string; counts: Record<string, number> }[] = [];
  for (const { bucket, variant, counted, total } of rows) {
    let window = windows.at(-1);
    if (window === undefined || window.bucket.getTime() !== bucket || window.variant !== variant) {
      window = { bucket: new Date(bucket), variant, counts: {} };
      windows.push(window);
    }
    window.counts[counted] = total;
  }
  return windows;
}

/** Shared, versioned documents and their counts, on SQLite (PR-4, PR-5, EGR-4). */
export function createSqliteRolloutStore({ storeId, gate }: SqliteFacet): RolloutStore<SqliteTx> {
  return {
    storeId,
    read: (name) =>
      gate.read(undefined, (session) => {
        const row = findEntry(session, name);
        if (row === undefined) return { name, revision: 0, value: null, updatedAt: null };
        return {
          name,
          revision: row.revision,
          value: JSON.parse(row.value) as JsonValue,
          updatedAt: new Date(row.updated_at),
        };
      }),
    async write(name, expectedRevision, value, options) {
      checkText('name', name);
      checkJson('value', value);
      return gate.write(options?.tx, (session) => {
        const revision = findEntry(session, name)?.revision ?? 0;
        if (revision !== expectedRevision) return { outcome: 'conflict', revision };
        session.run(
          `INSERT INTO rollout_entries (name, revision, value, updated_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET revision = excluded.revision, value = excluded.value, updated_at = excluded.updated_at`,
          name,
          revision + 1,
          JSON.stringify(value),
          session.nowMs,
        );
        return { outcome: 'written', revision: revision + 1 };
      });
    },
    async addSamples(samples, { bucketMs }) {
      checkMs('options.bucketMs', bucketMs, 1);
      for (const [n, sample] of samples.entries()) checkRolloutSample(sample, `samples[${n}]`);
      if (samples.length === 0) return;
      await gate.write(undefined, (session) => {
        const bucket = Math.floor(session.nowMs / bucketMs) * bucketMs;
        for (const { name, variant, counts } of samples) {
          for (const [counted, count] of Object.entries(counts)) {
            session.run(
              `INSERT INTO rollout_samples (name, bucket, variant, counted, total) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (name, bucket, variant, counted) DO UPDATE SET total = total + excluded.total`,
              ...[name, bucket, variant, counted, count],
            );
          }
        }
      });
    },
    async readSamples(name, { sinceMs }) {
      checkMs('options.sinceMs', sinceMs);
      return gate.read(undefined, (session) =>
        toWindows(
          session.all<SampleRow>(
            'SELECT bucket, variant, counted, total FROM rollout_samples WHERE name = ? AND bucket >= ? ORDER BY bucket, variant, counted',
            name,
            session.nowMs - wholeMs(sinceMs),
          ),
        ),
      );
    },
  };
}
