import { checkRetention, checkWhole, mostExpired, wholeMs } from '@criticizer/core/internal';
import type { RetainedTable, RetentionRequest, RetentionStore, StoreModule } from '@criticizer/core/ports';
import { isHeldSql } from '../shared/change-marks.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';
import type { SqliteSession } from '../shared/sqlite-session.js';
import { isExpiredJob } from './expired-jobs.js';
import { pruneJobs } from './prune-jobs.js';

/** Where rows of one kind lie, and which are past their age: `?` is the instant before which they are. */
interface Aged {
  module: StoreModule;
  /** The table, `AS t`, and the condition. */
  from: string;
  orderBy: string;
}

const hasNoJob = (jobId: string): string => `NOT EXISTS (SELECT 1 FROM work_queue WHERE id = ${jobId})`;

const aged: Readonly<Record<Exclude<RetainedTable, 'jobs'>, Aged>> = {
  mails: {
    module: 'notify',
    from: `notify_outbox AS t WHERE t.created_at < ? AND t.status IN ('sent', 'failed', 'unknown', 'cancelled')
      AND (t.job_id IS NULL OR (${hasNoJob('t.job_id')}
        AND NOT EXISTS (SELECT 1 FROM dead_letters WHERE job_id = t.job_id AND status IN ('open', 'triaged', 'replaying'))))
      AND NOT ${isHeldSql('t.changelist_id')}`,
    orderBy: 't.created_at',
  },
  dead_letters: {
    module: 'queue',
    from: `dead_letters AS t WHERE t.updated_at < ? AND t.status IN ('resolved', 'ignored', 'failed-again')
      AND NOT ${isHeldSql('t.changelist_id')}`,
    orderBy: 't.id',
  },
  egress_log: {
    module: 'review',
    from: `egress_log AS t WHERE t.recorded_at < ? AND NOT ${isHeldSql('t.changelist_id')}`,
    orderBy: 't.recorded_at',
  },
  samples: { module: 'review', from: 'sample_counts AS t WHERE t.bucket < ?', orderBy: 't.bucket' },
  documents: {
    module: 'review',
    from: 'versioned_documents AS t WHERE t.updated_at < ? AND substr(t.name, 1, length(?)) = ?',
    orderBy: 't.name',
  },
  cursors: { module: 'review', from: 'watch_cursors AS t WHERE t.updated_at < ?', orderBy: 't.name' },
  artifact_rows: {
    module: 'artifacts',
    from: `artifact_manifest AS t WHERE t.status = 'deleted' AND t.deletion_verified_at < ? AND NOT ${isHeldSql('t.changelist_id')}`,
    orderBy: 't.deletion_verified_at',
  },
  suppressions: {
    module: 'review',
    from: `suppressions AS t WHERE coalesce(t.ended_at, t.expires_at) < ? AND NOT ${isHeldSql('t.changelist_id')}`,
    orderBy: 't.id',
  },
};

/** What names a row: a table without row ids has its key instead. */
const keyOf = (table: RetainedTable): string => (table === 'samples' ? '(name, bucket, variant, counted)' : 'rowid');

function valuesOf(session: SqliteSession, { olderThanMs, prefix }: RetentionRequest): (number | string)[] {
  const before = session.nowMs - wholeMs(olderThanMs);
  return prefix === undefined ? [before] : [before, prefix, prefix];
}

/** From now on the log's trigger lets go what is older (EGR-1): nothing newer, whoever deletes. */
function releaseEgress(session: SqliteSession, { olderThanMs }: RetentionRequest): void {
  session.run(
    `INSERT INTO egress_log_retention (only_row, kept_since) VALUES (1, ?)
      ON CONFLICT (only_row) DO UPDATE SET kept_since = max(kept_since, excluded.kept_since)`,
    session.nowMs - wholeMs(olderThanMs),
  );
}

/** Ages of rows, on SQLite (OPS-4). */
export function createSqliteRetentionStore({ storeId, gate, modules, hasMails }: SqliteFacet): RetentionStore {
  return {
    storeId,
    async prune(table, { limit, ...request }) {
      checkRetention(table, request);
      checkWhole('request.limit', limit, 1);
      return gate.write(undefined, (session) => {
        if (table === 'jobs') return pruneJobs(session, wholeMs(request.olderThanMs), limit, hasMails);
        const { module, from, orderBy } = aged[table];
        if (!modules.includes(module)) return 0;
        if (table === 'egress_log') releaseEgress(session, request);
        const key = keyOf(table);
        const [name] = from.split(' ');
        const page = `SELECT ${key.replace(/[()]/g, '')} FROM ${from} ORDER BY ${orderBy} LIMIT ? + 0`;
        return session.run(`DELETE FROM ${name} WHERE ${key} IN (${page})`, ...valuesOf(session, request), limit);
      });
    },
    async countExpired(table, request) {
      checkRetention(table, request);
      return gate.read(undefined, (session) => {
        const from = table === 'jobs' ? `work_queue AS job WHERE ${isExpiredJob}` : aged[table].from;
        if (table !== 'jobs' && !modules.includes(aged[table].module)) return 0;
        const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM ${from} LIMIT ? + 0)`;
        return session.first<{ n: number }>(sql, ...valuesOf(session, request), mostExpired)?.n ?? 0;
      });
    },
  };
}
