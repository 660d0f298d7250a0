import { checkText, type Instant, markLimit, purgedReason, toDateOrNull } from '@criticizer/core/internal';
import type { ChangeMark, ChangeStore, PurgeStep } from '@criticizer/core/ports';
import { lockChangesSql } from '../shared/change-marks.js';
import { instantColumns } from '../shared/instants.js';
import type { PgTx } from '../shared/pg-database.js';
import type { PgFacet } from '../shared/pg-facet.js';
import type { PgSession } from '../shared/pg-session.js';

interface MarkRow {
  changelist_id: string;
  is_held: boolean;
  purging_since: Instant | null;
}

const toMark = (row: MarkRow): ChangeMark => ({
  changelistId: row.changelist_id,
  isHeld: row.is_held,
  purgingSince: toDateOrNull(row.purging_since),
});

const select = `SELECT m.changelist_id, m.is_held, ${instantColumns('m', ['purging_since'])} FROM {schema}.change_marks AS m`;

async function readMark(session: PgSession, changelistId: string): Promise<ChangeMark> {
  const row = await session.first<MarkRow>(`${select} WHERE m.changelist_id = $1`, changelistId);
  return row === undefined ? { changelistId, isHeld: false, purgingSince: null } : toMark(row);
}

async function writeMark(session: PgSession, changelistId: string, kind: 'held' | 'purging' | 'none'): Promise<void> {
  if (kind === 'none') await session.run('DELETE FROM {schema}.change_marks WHERE changelist_id = $1', changelistId);
  else
    await session.run(
      `INSERT INTO {schema}.change_marks AS m (changelist_id, is_held, purging_since)
        VALUES ($1, $2, CASE WHEN $2 THEN NULL ELSE {now} END)
        ON CONFLICT (changelist_id) DO UPDATE SET is_held = excluded.is_held, purging_since = excluded.purging_since`,
      changelistId,
      kind === 'held',
    );
}

/** One at a time decides about a change: an enqueue that read no purge has committed its row before. */
async function lock(session: PgSession, changelistId: string): Promise<void> {
  await session.all(lockChangesSql, [changelistId]);
}

const kinds = { held: 'm.is_held', purging: 'm.purging_since IS NOT NULL', all: 'true' } as const;

async function count(session: PgSession, from: string, changelistId: string): Promise<number> {
  const found = await session.first<{ n: number }>(`SELECT count(*)::int AS n FROM {schema}.${from}`, changelistId);
  return found?.n ?? 0;
}

async function purgeJobs(session: PgSession, changelistId: string): Promise<number> {
  // In the order of ids, as every verb locks them.
  await session.all('SELECT id FROM {schema}.work_queue WHERE changelist_id = $1 ORDER BY id FOR UPDATE', changelistId);
  await session.run(
    `UPDATE {schema}.work_queue SET cancel_reason = $2, updated_at = greatest(updated_at, {now})
      WHERE changelist_id = $1 AND status = 'running' AND cancel_reason IS NULL`,
    changelistId,
    purgedReason,
  );
  await session.run('DELETE FROM {schema}.dead_letters WHERE changelist_id = $1', changelistId);
  await session.run(`DELETE FROM {schema}.work_queue WHERE changelist_id = $1 AND status <> 'running'`, changelistId);
  return count(session, 'work_queue WHERE changelist_id = $1', changelistId);
}

async function purgeMails(session: PgSession, changelistId: string): Promise<number> {
  await session.run(
    `DELETE FROM {schema}.notify_outbox WHERE changelist_id = $1 AND status <> 'sending'`,
    changelistId,
  );
  await session.run('DELETE FROM {schema}.notify_messages WHERE changelist_id = $1', changelistId);
  return count(session, 'notify_outbox WHERE changelist_id = $1', changelistId);
}

/** The partial indexes of live and of deleted rows serve it. */
async function purgeManifest(session: PgSession, changelistId: string): Promise<number> {
  const proven = `DELETE FROM {schema}.artifact_manifest WHERE changelist_id = $1 AND status = 'deleted' AND deletion_verified_at IS NOT NULL`;
  await session.run(proven, changelistId);
  const live = await count(session, `artifact_manifest WHERE changelist_id = $1 AND status <> 'deleted'`, changelistId);
  return (
    live + (await count(session, `artifact_manifest WHERE changelist_id = $1 AND status = 'deleted'`, changelistId))
  );
}

async function purgeRows(session: PgSession, changelistId: string, { modules }: PgFacet): Promise<PurgeStep> {
  await lock(session, changelistId);
  const mark = await readMark(session, changelistId);
  if (mark.purgingSince === null) return { outcome: 'not-purging', running: 0, sending: 0, artifacts: 0 };
  const running = await purgeJobs(session, changelistId);
  const sending = modules.includes('notify') ? await purgeMails(session, changelistId) : 0;
  const artifacts = modules.includes('artifacts') ? await purgeManifest(session, changelistId) : 0;
  if (modules.includes('review')) {
    const empty = `UPDATE {schema}.egress_log SET paths = '[]' WHERE changelist_id = $1 AND paths::text <> '[]'`;
    await session.run(empty, changelistId);
    await session.run('DELETE FROM {schema}.suppressions WHERE changelist_id = $1', changelistId);
  }
  const isDone = running + sending + artifacts === 0;
  if (isDone) await writeMark(session, changelistId, 'none');
  return { outcome: isDone ? 'done' : 'waiting', running, sending, artifacts };
}

/** Holds and purges of changes, on PostgreSQL (ruling R24). */
export function createPgChangeStore(facet: PgFacet): ChangeStore<PgTx> {
  const { storeId, gate } = facet;
  return {
    storeId,
    get: (changelistId) => gate.single(undefined, (session) => readMark(session, changelistId)),
    async list({ kind, after = '', limit }) {
      const most = markLimit(limit);
      // The order of the bytes, as the other stores have it.
      const sql = `${select} WHERE ${kinds[kind ?? 'all']} AND m.changelist_id COLLATE "C" > $1 ORDER BY m.changelist_id COLLATE "C" LIMIT $2`;
      const rows = await gate.single(undefined, (session) => session.all<MarkRow>(sql, after, most));
      return rows.map(toMark);
    },
    async setHold(changelistId, isHeld, options) {
      checkText('changelistId', changelistId);
      return gate.together(options?.tx, async (session) => {
        await lock(session, changelistId);
        if ((await readMark(session, changelistId)).isHeld === isHeld) return 'unchanged';
        await writeMark(session, changelistId, isHeld ? 'held' : 'none');
        return 'set';
      });
    },
    async beginPurge(changelistId, options) {
      checkText('changelistId', changelistId);
      return gate.together(options?.tx, async (session) => {
        await lock(session, changelistId);
        const mark = await readMark(session, changelistId);
        if (mark.isHeld) return 'held';
        if (mark.purgingSince !== null) return 'already-begun';
        await writeMark(session, changelistId, 'purging');
        return 'begun';
      });
    },
    purgeRows: (changelistId) => gate.together(undefined, (session) => purgeRows(session, changelistId, facet)),
  };
}
