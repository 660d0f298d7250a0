import {
  checkActor,
  checkNewSuppression,
  mostSuppressions,
  type SuppressionRow,
  suppressionValues,
  toSuppression,
  wholeMs,
} from '@criticizer/core/internal';
import type { NewSuppression, SuppressionAdded, SuppressionStore } from '@criticizer/core/ports';
import { listByRowId } from '../shared/list-rows.js';
import type { SqliteTx } from '../shared/sqlite-database.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';
import type { SqliteSession } from '../shared/sqlite-session.js';

const isInForce = '(ended_at IS NULL AND (expires_at IS NULL OR expires_at > ?))';

const insert = `INSERT INTO suppressions (id, changelist_id, finding_id, covers_secret, rule_id, paths, category, severity, confidence,
    disposition, reason, actor_type, actor_id, created_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** An expired one makes room in the unique index of those that have not ended. */
const endExpired = `UPDATE suppressions SET ended_at = expires_at
  WHERE changelist_id = ? AND finding_id = ? AND ended_at IS NULL AND expires_at <= ?`;

const findSame = 'SELECT * FROM suppressions WHERE changelist_id = ? AND finding_id = ? AND ended_at IS NULL';

function find(session: SqliteSession, id: string): SuppressionRow | undefined {
  return session.first<SuppressionRow>('SELECT * FROM suppressions WHERE id = ?', id);
}

function add(session: SqliteSession, given: NewSuppression, id: string): SuppressionAdded {
  const { scope, expiresInMs } = given;
  const { nowMs } = session;
  const changelistId = scope.kind === 'finding' ? scope.changelistId : null;
  if (scope.kind === 'finding') {
    session.run(endExpired, scope.changelistId, scope.findingId, nowMs);
    const same = session.first<SuppressionRow>(findSame, scope.changelistId, scope.findingId);
    if (same !== undefined) return { outcome: 'exists', suppression: toSuppression(same) };
  }
  const counted = `SELECT count(*) AS n FROM suppressions WHERE changelist_id IS ? AND ${isInForce}`;
  const inForce = session.first<{ n: number }>(counted, changelistId, nowMs)?.n ?? 0;
  if (inForce >= mostSuppressions) return { outcome: 'full', suppression: null };
  const expiresAt = expiresInMs === null ? null : nowMs + wholeMs(expiresInMs);
  session.run(insert, id, ...suppressionValues(given), nowMs, expiresAt);
  return { outcome: 'added', suppression: toSuppression(find(session, id) as SuppressionRow) };
}

/** Suppressions of findings, on SQLite (GRD-8). */
export function createSqliteSuppressionStore({ storeId, gate, rowId }: SqliteFacet): SuppressionStore<SqliteTx> {
  return {
    storeId,
    async add(suppression, options) {
      checkNewSuppression(suppression);
      return gate.write(options?.tx, (session) => add(session, suppression, rowId(session.nowMs)));
    },
    get: (id) =>
      gate.read(undefined, (session) => {
        const row = find(session, id);
        return row === undefined ? null : toSuppression(row);
      }),
    list: (filter) =>
      gate.read(undefined, (session) =>
        listByRowId<SuppressionRow>(session, 'SELECT * FROM suppressions', filter, [
          ['changelist_id = ?', filter.changelistId],
          [
            '(changelist_id IS NOT NULL) = ?',
            filter.kind === undefined ? undefined : Number(filter.kind === 'finding'),
          ],
          [isInForce, filter.inForce === true ? session.nowMs : undefined],
        ]).map(toSuppression),
      ),
    listInForce: (changelistId) =>
      gate.read(undefined, (session) =>
        session
          .all<SuppressionRow>(
            `SELECT * FROM suppressions WHERE (changelist_id = ? OR changelist_id IS NULL) AND ${isInForce} ORDER BY id`,
            changelistId,
            session.nowMs,
          )
          .map(toSuppression),
      ),
    async withdraw(id, actor, options) {
      checkActor('actor', actor);
      return gate.write(options?.tx, (session) => {
        if (find(session, id) === undefined) return 'not-found';
        const end = `UPDATE suppressions SET ended_at = ?, ended_by_type = ?, ended_by_id = ? WHERE id = ? AND ${isInForce}`;
        const ended = session.run(end, session.nowMs, actor.type, actor.id, id, session.nowMs);
        return ended > 0 ? 'withdrawn' : 'ended';
      });
    },
  };
}
