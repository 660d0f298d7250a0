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
import { instantColumns, span } from '../shared/instants.js';
import { listByRowId } from '../shared/list-rows.js';
import type { PgTx } from '../shared/pg-database.js';
import type { PgFacet } from '../shared/pg-facet.js';
import { asUuid, type PgSession } from '../shared/pg-session.js';
import { rowIdSql } from '../shared/row-id.js';

const isInForce = '(ended_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > {now}))';

const columns = `s.id, s.changelist_id, s.finding_id, s.covers_secret, s.rule_id, s.paths, s.category, s.severity, s.confidence, s.disposition,
  s.reason, s.actor_type, s.actor_id, s.ended_by_type, s.ended_by_id, ${instantColumns('s', ['created_at', 'expires_at', 'ended_at'])}`;

const select = `SELECT ${columns} FROM {schema}.suppressions AS s`;

// Of two calls at once the second waits for the first one's commit and inserts nothing.
const insert = `INSERT INTO {schema}.suppressions AS s (id, changelist_id, finding_id, covers_secret, rule_id, paths, category, severity, confidence,
    disposition, reason, actor_type, actor_id, created_at, expires_at)
  VALUES (${rowIdSql('$1::text')}, $2, $3, $4::int = 1, $5, $6, $7, $8, $9, $10, $11, $12, $13, {now}, {now} + ${span('$14::float8')})
  ON CONFLICT (changelist_id, finding_id) WHERE ended_at IS NULL DO NOTHING
  RETURNING ${columns}`;

/** An expired one makes room in the unique index of those that have not ended. */
const endExpired = `UPDATE {schema}.suppressions AS s SET ended_at = s.expires_at
  WHERE s.changelist_id = $1 AND s.finding_id = $2 AND s.ended_at IS NULL AND s.expires_at <= {now}`;

const findSame = `${select} WHERE s.changelist_id = $1 AND s.finding_id = $2 AND s.ended_at IS NULL`;

async function isFull(session: PgSession, changelistId: string | null): Promise<boolean> {
  const ofKind = changelistId === null ? 's.changelist_id IS NULL' : 's.changelist_id = $1';
  const sql = `SELECT count(*)::int AS n FROM {schema}.suppressions AS s WHERE ${ofKind} AND ${isInForce}`;
  const values = changelistId === null ? [] : [changelistId];
  return ((await session.first<{ n: number }>(sql, ...values))?.n ?? 0) >= mostSuppressions;
}

async function add(session: PgSession, given: NewSuppression, tail: string): Promise<SuppressionAdded> {
  const { scope, expiresInMs } = given;
  const readSame = async (): Promise<SuppressionRow | undefined> =>
    scope.kind === 'rule' ? undefined : session.first<SuppressionRow>(findSame, scope.changelistId, scope.findingId);
  if (scope.kind === 'finding') await session.run(endExpired, scope.changelistId, scope.findingId);
  const before = await readSame();
  if (before !== undefined) return { outcome: 'exists', suppression: toSuppression(before) };
  if (await isFull(session, scope.kind === 'finding' ? scope.changelistId : null))
    return { outcome: 'full', suppression: null };
  const lifeMs = expiresInMs === null ? null : wholeMs(expiresInMs);
  const added = await session.first<SuppressionRow>(insert, tail, ...suppressionValues(given), lifeMs);
  if (added !== undefined) return { outcome: 'added', suppression: toSuppression(added) };
  return { outcome: 'exists', suppression: toSuppression((await readSame()) as SuppressionRow) };
}

/** Suppressions of findings, on PostgreSQL (GRD-8). */
export function createPgSuppressionStore({ storeId, gate, idTail }: PgFacet): SuppressionStore<PgTx> {
  return {
    storeId,
    async add(suppression, options) {
      checkNewSuppression(suppression);
      return gate.together(options?.tx, (session) => add(session, suppression, idTail()));
    },
    async get(id) {
      const find = `${select} WHERE s.id = $1`;
      const row = await gate.single(undefined, (session) => session.first<SuppressionRow>(find, asUuid(id)));
      return row === undefined ? null : toSuppression(row);
    },
    async list(filter) {
      const rows = await listByRowId<SuppressionRow>(gate, { select, id: 's.id' }, filter, [
        ['s.changelist_id = ?', filter.changelistId],
        [
          '(s.changelist_id IS NOT NULL) = ?::boolean',
          filter.kind === undefined ? undefined : filter.kind === 'finding',
        ],
        ...(filter.inForce === true ? [[isInForce] as const] : []),
      ]);
      return rows.map(toSuppression);
    },
    async listInForce(changelistId) {
      const sql = `${select} WHERE (s.changelist_id = $1 OR s.changelist_id IS NULL) AND ${isInForce} ORDER BY s.id`;
      const rows = await gate.single(undefined, (session) => session.all<SuppressionRow>(sql, changelistId));
      return rows.map(toSuppression);
    },
    async withdraw(id, actor, options) {
      checkActor('actor', actor);
      return gate.together(options?.tx, async (session) => {
        const found = await session.first('SELECT id FROM {schema}.suppressions WHERE id = $1 FOR UPDATE', asUuid(id));
        if (found === undefined) return 'not-found';
        const end = `UPDATE {schema}.suppressions AS s SET ended_at = {now}, ended_by_type = $2, ended_by_id = $3 WHERE s.id = $1 AND ${isInForce}`;
        return (await session.run(end, asUuid(id), actor.type, actor.id)) > 0 ? 'withdrawn' : 'ended';
      });
    },
  };
}
