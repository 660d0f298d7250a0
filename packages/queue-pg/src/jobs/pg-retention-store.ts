import { checkRetention, checkWhole, mostExpired, wholeMs } from '@criticizer/core/internal';
import type { RetainedTable, RetentionRequest, RetentionStore, StoreModule } from '@criticizer/core/ports';
import { isHeldSql } from '../shared/change-marks.js';
import { span } from '../shared/instants.js';
import type { PgFacet } from '../shared/pg-facet.js';
import { isExpiredJob } from './expired-jobs.js';
import { pruneJobs } from './prune-jobs.js';

/** Where rows of one kind lie, and which are past their age: `$1` is the age in milliseconds. */
interface Aged {
  module: StoreModule;
  /** The table, `AS t`, and the condition. */
  from: string;
  orderBy: string;
}

const before = `{now} - ${span('$1::float8')}`;
// A mail's job may have any text for an id: only one that is an id of ours can be looked up by the key.
const jobOf = `CASE WHEN t.job_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN t.job_id::uuid END`;

const aged: Readonly<Record<Exclude<RetainedTable, 'jobs'>, Aged>> = {
  mails: {
    module: 'notify',
    from: `{schema}.notify_outbox AS t WHERE t.created_at < ${before} AND t.status IN ('sent', 'failed', 'unknown', 'cancelled')
      AND NOT EXISTS (SELECT FROM {schema}.work_queue AS w WHERE w.id = ${jobOf})
      AND NOT EXISTS (SELECT FROM {schema}.dead_letters AS d WHERE d.job_id = ${jobOf} AND d.status IN ('open', 'triaged', 'replaying'))
      AND NOT ${isHeldSql('t.changelist_id')}`,
    orderBy: 't.created_at',
  },
  dead_letters: {
    module: 'queue',
    from: `{schema}.dead_letters AS t WHERE t.updated_at < ${before} AND t.status IN ('resolved', 'ignored', 'failed-again')
      AND NOT ${isHeldSql('t.changelist_id')}`,
    orderBy: 't.id',
  },
  egress_log: {
    module: 'review',
    from: `{schema}.egress_log AS t WHERE t.recorded_at < ${before} AND NOT ${isHeldSql('t.changelist_id')}`,
    orderBy: 't.recorded_at',
  },
  samples: { module: 'review', from: `{schema}.sample_counts AS t WHERE t.bucket < ${before}`, orderBy: 't.bucket' },
  documents: {
    module: 'review',
    from: `{schema}.versioned_documents AS t WHERE t.updated_at < ${before} AND starts_with(t.name, $2::text)`,
    orderBy: 't.name',
  },
  cursors: { module: 'review', from: `{schema}.watch_cursors AS t WHERE t.updated_at < ${before}`, orderBy: 't.name' },
  artifact_rows: {
    module: 'artifacts',
    from: `{schema}.artifact_manifest AS t WHERE t.status = 'deleted' AND t.deletion_verified_at < ${before}
      AND NOT ${isHeldSql('t.changelist_id')}`,
    orderBy: 't.deletion_verified_at',
  },
  suppressions: {
    module: 'review',
    from: `{schema}.suppressions AS t WHERE coalesce(t.ended_at, t.expires_at) < ${before}
      AND NOT ${isHeldSql('t.changelist_id')}`,
    orderBy: 't.id',
  },
};

/** From now on the log's trigger lets go what is older (EGR-1): nothing newer, whoever deletes. */
const releaseEgress = `INSERT INTO {schema}.egress_log_retention AS r (only_row, kept_since) VALUES (1, ${before})
  ON CONFLICT (only_row) DO UPDATE SET kept_since = greatest(r.kept_since, excluded.kept_since)`;

const valuesOf = ({ olderThanMs, prefix }: RetentionRequest): (number | string)[] =>
  prefix === undefined ? [wholeMs(olderThanMs)] : [wholeMs(olderThanMs), prefix];

/** Ages of rows, on PostgreSQL (OPS-4). */
export function createPgRetentionStore({ storeId, gate, modules, hasMails }: PgFacet): RetentionStore {
  return {
    storeId,
    async prune(table, { limit, ...request }) {
      checkRetention(table, request);
      checkWhole('request.limit', limit, 1);
      const { olderThanMs } = request;
      return gate.together(undefined, async (session) => {
        if (table === 'jobs') return pruneJobs(session, wholeMs(olderThanMs), limit, hasMails);
        const { module, from, orderBy } = aged[table];
        if (!modules.includes(module)) return 0;
        if (table === 'egress_log') await session.run(releaseEgress, wholeMs(olderThanMs));
        const values = [...valuesOf(request), limit];
        // Two sweeps at once share the rows; a place in the pages names any of these tables' rows.
        const page = `SELECT t.ctid FROM ${from} ORDER BY ${orderBy} LIMIT $${values.length} FOR UPDATE OF t SKIP LOCKED`;
        const [name] = from.split(' ');
        return session.run(`DELETE FROM ${name} WHERE ctid = ANY (ARRAY(${page}))`, ...values);
      });
    },
    async countExpired(table, request) {
      checkRetention(table, request);
      const from = table === 'jobs' ? `{schema}.work_queue AS w WHERE ${isExpiredJob}` : aged[table].from;
      if (table !== 'jobs' && !modules.includes(aged[table].module)) return 0;
      const sql = `SELECT count(*)::int AS n FROM (SELECT 1 FROM ${from} LIMIT ${mostExpired}) AS expired`;
      const found = await gate.single(undefined, (session) => session.first<{ n: number }>(sql, ...valuesOf(request)));
      return found?.n ?? 0;
    },
  };
}
