import { checkText, markLimit, purgedReason, toDateOrNull } from '@criticizer/core/internal';
import type { ChangeMark, ChangeStore, PurgeStep } from '@criticizer/core/ports';
import { isPurging } from '../shared/change-marks.js';
import type { SqliteTx } from '../shared/sqlite-database.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';
import type { SqliteSession } from '../shared/sqlite-session.js';

interface MarkRow {
  changelist_id: string;
  is_held: number;
  purging_since: number | null;
}

const toMark = (row: MarkRow): ChangeMark => ({
  changelistId: row.changelist_id,
  isHeld: row.is_held === 1,
  purgingSince: toDateOrNull(row.purging_since),
});

function readMark(session: SqliteSession, changelistId: string): ChangeMark {
  const row = session.first<MarkRow>('SELECT * FROM change_marks WHERE changelist_id = ?', changelistId);
  return row === undefined ? { changelistId, isHeld: false, purgingSince: null } : toMark(row);
}

function writeMark(session: SqliteSession, changelistId: string, isHeld: boolean, purgingSince: number | null): void {
  session.run('DELETE FROM change_marks WHERE changelist_id = ?', changelistId);
  if (!isHeld && purgingSince === null) return;
  const insert = 'INSERT INTO change_marks (changelist_id, is_held, purging_since) VALUES (?, ?, ?)';
  session.run(insert, changelistId, isHeld ? 1 : 0, purgingSince);
}

const kinds = { held: 'is_held = 1', purging: 'purging_since IS NOT NULL', all: '1' } as const;

function count(session: SqliteSession, from: string, changelistId: string): number {
  return session.first<{ n: number }>(`SELECT count(*) AS n FROM ${from}`, changelistId)?.n ?? 0;
}

function purgeJobs(session: SqliteSession, changelistId: string): number {
  session.run(
    `UPDATE work_queue SET cancel_reason = ?, updated_at = max(updated_at, ?)
      WHERE changelist_id = ? AND status = 'running' AND cancel_reason IS NULL`,
    purgedReason,
    session.nowMs,
    changelistId,
  );
  session.run('DELETE FROM dead_letters WHERE changelist_id = ?', changelistId);
  session.run(`DELETE FROM work_queue WHERE changelist_id = ? AND status <> 'running'`, changelistId);
  return count(session, 'work_queue WHERE changelist_id = ?', changelistId);
}

function purgeMails(session: SqliteSession, changelistId: string): number {
  session.run(`DELETE FROM notify_outbox WHERE changelist_id = ? AND status <> 'sending'`, changelistId);
  session.run('DELETE FROM notify_messages WHERE changelist_id = ?', changelistId);
  return count(session, 'notify_outbox WHERE changelist_id = ?', changelistId);
}

/** The bound text keeps the partial indexes of live and of deleted rows in use. */
function purgeManifest(session: SqliteSession, changelistId: string): number {
  const proven = `DELETE FROM artifact_manifest WHERE changelist_id = ? AND status = 'deleted' AND deletion_verified_at IS NOT NULL`;
  session.run(proven, changelistId);
  const live = count(session, `artifact_manifest WHERE changelist_id = ? AND status <> 'deleted'`, changelistId);
  return live + count(session, `artifact_manifest WHERE changelist_id = ? AND status = 'deleted'`, changelistId);
}

function purgeRows(session: SqliteSession, changelistId: string, { modules }: SqliteFacet): PurgeStep {
  if (!isPurging(session, changelistId)) return { outcome: 'not-purging', running: 0, sending: 0, artifacts: 0 };
  const running = purgeJobs(session, changelistId);
  const sending = modules.includes('notify') ? purgeMails(session, changelistId) : 0;
  const artifacts = modules.includes('artifacts') ? purgeManifest(session, changelistId) : 0;
  if (modules.includes('review')) {
    session.run(`UPDATE egress_log SET paths = '[]' WHERE changelist_id = ? AND paths <> '[]'`, changelistId);
    session.run('DELETE FROM suppressions WHERE changelist_id = ?', changelistId);
  }
  const isDone = running + sending + artifacts === 0;
  if (isDone) writeMark(session, changelistId, false, null);
  return { outcome: isDone ? 'done' : 'waiting', running, sending, artifacts };
}

/** Holds and purges of changes, on SQLite (ruling R24). */
export function createSqliteChangeStore(facet: SqliteFacet): ChangeStore<SqliteTx> {
  const { storeId, gate } = facet;
  return {
    storeId,
    get: (changelistId) => gate.read(undefined, (session) => readMark(session, changelistId)),
    async list({ kind, after = '', limit }) {
      const most = markLimit(limit);
      const sql = `SELECT * FROM change_marks WHERE ${kinds[kind ?? 'all']} AND changelist_id > ? ORDER BY changelist_id LIMIT ? + 0`;
      return gate.read(undefined, (session) => session.all<MarkRow>(sql, after, most).map(toMark));
    },
    async setHold(changelistId, isHeld, options) {
      checkText('changelistId', changelistId);
      return gate.write(options?.tx, (session) => {
        if (readMark(session, changelistId).isHeld === isHeld) return 'unchanged';
        writeMark(session, changelistId, isHeld, null);
        return 'set';
      });
    },
    async beginPurge(changelistId, options) {
      checkText('changelistId', changelistId);
      return gate.write(options?.tx, (session) => {
        const mark = readMark(session, changelistId);
        if (mark.isHeld) return 'held';
        if (mark.purgingSince !== null) return 'already-begun';
        writeMark(session, changelistId, false, session.nowMs);
        return 'begun';
      });
    },
    purgeRows: (changelistId) => gate.write(undefined, (session) => purgeRows(session, changelistId, facet)),
  };
}
