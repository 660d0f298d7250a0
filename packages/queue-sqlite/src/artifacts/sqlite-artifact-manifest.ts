import {
  checkLeaseRequest,
  checkMs,
  checkNewArtifact,
  checkOneOf,
  deriveKeyTag,
  type ManifestRow,
  toArtifact,
  toMs,
  wholeMs,
} from '@criticizer/core/internal';
import type {
  ArtifactManifest,
  ArtifactNamespace,
  ArtifactRow,
  ArtifactSweepClaim,
  NewArtifact,
  StoredObject,
} from '@criticizer/core/ports';
import { isHeldSql } from '../shared/change-marks.js';
import { listByPlace } from '../shared/list-rows.js';
import { expiryMs } from '../shared/sqlite-clock.js';
import type { SqliteTx } from '../shared/sqlite-database.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';
import type { SqliteSession } from '../shared/sqlite-session.js';
import { publishArtifacts } from './publish-artifacts.js';

/** A row, and whether its change is under a legal hold. */
type SelectedRow = ManifestRow & { is_held: number };

const toRow = (row: SelectedRow, nowMs: number): ArtifactRow =>
  toArtifact(row, row.is_held === 0 && toMs(row.expires_at) <= nowMs);

const columns = `*, ${isHeldSql('artifact_manifest.changelist_id')} AS is_held`;

function reserve(session: SqliteSession, artifact: NewArtifact): ArtifactRow[] {
  session.run(
    `INSERT INTO artifact_manifest (id, namespace, purpose, storage_key, content_type, changelist_id, job_id, redaction, kek_id,
      wrapped_key, bytes, digest, status, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?)`,
    artifact.id,
    artifact.namespace,
    artifact.purpose,
    artifact.storageKey,
    artifact.contentType,
    artifact.changelistId,
    artifact.jobId,
    artifact.redaction === null ? null : JSON.stringify(artifact.redaction),
    artifact.kekId,
    artifact.wrappedKey,
    artifact.bytes,
    artifact.digest,
    session.nowMs,
    session.nowMs + wholeMs(artifact.ttlMs),
  );
  // Read back, not RETURNING: some drivers give a constraint that fails there no code of its own.
  return readArtifacts(session, [artifact.id]).flatMap((row) => row ?? []);
}

function readArtifacts(session: SqliteSession, ids: readonly string[]): (ArtifactRow | null)[] {
  return ids.map((id) => {
    const row = session.first<SelectedRow>(`SELECT ${columns} FROM artifact_manifest WHERE id = ?`, id);
    return row === undefined ? null : toRow(row, session.nowMs);
  });
}

const list = {
  select: `SELECT ${columns} FROM artifact_manifest`,
  orderBy: 'created_at DESC, id DESC',
  find: 'SELECT 1 FROM artifact_manifest WHERE id = ?',
  behind: '(created_at, id) < ((SELECT p.created_at FROM artifact_manifest AS p WHERE p.id = ?), ?)',
  at: 'created_at',
};

const dueSql = `(expires_at <= ? OR (status = 'pending' AND created_at <= ?))`;

function claimExpired(session: SqliteSession, request: ArtifactSweepClaim): ArtifactRow[] {
  const { nowMs } = session;
  const expiredMs = expiryMs(session);
  const { changelistId } = request;
  const [which, values] =
    changelistId === undefined
      ? [dueSql, [expiredMs, expiredMs - wholeMs(request.orphanMs)]]
      : ['changelist_id = ?', [changelistId]];
  const rows = session.all<ManifestRow>(
    `UPDATE artifact_manifest SET sweep_owner = ?, sweep_token = ?, sweep_expires_at = ? WHERE id IN (
      SELECT id FROM artifact_manifest AS a WHERE status <> 'deleted' AND ${which} AND NOT ${isHeldSql('a.changelist_id')}
        AND (sweep_token IS NULL OR sweep_expires_at <= ?) ORDER BY expires_at, id LIMIT ? + 0) RETURNING *`,
    request.owner,
    request.token,
    nowMs + wholeMs(request.leaseMs),
    ...values,
    nowMs,
    request.limit,
  );
  return rows.map((row) => toRow({ ...row, is_held: 0 }, nowMs));
}

function each(session: SqliteSession, ids: readonly string[], sql: string, ...values: (string | number)[]): number {
  return ids.reduce((changed, id) => changed + session.run(sql, ...values, id), 0);
}

function countExpired(session: SqliteSession): Record<ArtifactNamespace, number> {
  const counts = { raw: 0, redacted: 0 };
  const rows = session.all<{ namespace: ArtifactNamespace; n: number }>(
    `SELECT namespace, count(*) AS n FROM artifact_manifest WHERE status <> 'deleted' AND expires_at <= ?
      AND NOT ${isHeldSql('artifact_manifest.changelist_id')} GROUP BY namespace`,
    expiryMs(session),
  );
  for (const { namespace, n } of rows) counts[namespace] = n;
  return counts;
}

const tagSql = `SELECT i.id, d.file FROM artifact_manifest_id AS i, pragma_database_list AS d WHERE d.name = 'main'`;
/** Whose table is `artifact_manifest`: the unique index on namespace and storage key serves it. */
export const unknownSql = `SELECT o.value AS key FROM json_each(?) AS o
  WHERE NOT EXISTS (SELECT 1 FROM artifact_manifest AS a WHERE a.namespace = ? AND a.storage_key = o.value)`;

function findUnknown(
  session: SqliteSession,
  namespace: ArtifactNamespace,
  objects: readonly StoredObject[],
  olderThanMs: number,
): readonly string[] {
  const writtenBefore = expiryMs(session) - olderThanMs;
  const old = objects.filter(({ writtenAt }) => writtenAt.getTime() < writtenBefore).map(({ key }) => key);
  return session.all<{ key: string }>(unknownSql, JSON.stringify(old), namespace).map(({ key }) => key);
}

// long: the verbs of the facet, one after the other
/** The ledger of artifacts on SQLite (ART-1, ART-2, ART-7). */
export function createSqliteArtifactManifest({ storeId, gate }: SqliteFacet): ArtifactManifest<SqliteTx> {
  return {
    storeId,
    async reserve(artifacts, options) {
      for (const [n, artifact] of artifacts.entries()) checkNewArtifact(artifact, `artifacts[${n}]`);
      return gate.write(options?.tx, (session) => artifacts.flatMap((artifact) => reserve(session, artifact)));
    },
    publish: (ids, options) => gate.write(options?.tx, (session) => publishArtifacts(session, ids, null)),
    get: (ids) => gate.read(undefined, (session) => readArtifacts(session, ids)),
    list: (filter) =>
      gate.read(undefined, (session) =>
        listByPlace<SelectedRow>(session, list, filter, [
          ["status <> 'deleted'"],
          ['changelist_id = ?', filter.changelistId],
        ]).map((row) => toRow(row, session.nowMs)),
      ),
    async claimExpired(request) {
      checkLeaseRequest(request);
      checkMs('request.orphanMs', request.orphanMs);
      return gate.write(undefined, (session) => claimExpired(session, request));
    },
    async heartbeat(leases, leaseMs) {
      checkMs('leaseMs', leaseMs, 1);
      return gate.write(undefined, (session) =>
        leases.map(({ artifactId, owner, token }) => {
          const renewed = session.run(
            `UPDATE artifact_manifest SET sweep_expires_at = ? WHERE id = ? AND sweep_owner = ? AND sweep_token = ? AND status <> 'deleted'
              AND NOT ${isHeldSql('artifact_manifest.changelist_id')}`,
            session.nowMs + wholeMs(leaseMs),
            artifactId,
            owner,
            token,
          );
          return renewed === 1 ? 'renewed' : 'lease-lost';
        }),
      );
    },
    expire: (ids, options) =>
      gate.write(options?.tx, (session) =>
        each(
          session,
          ids,
          `UPDATE artifact_manifest SET expires_at = min(expires_at, ?) WHERE status <> 'deleted' AND id = ?`,
          session.nowMs,
        ),
      ),
    markDeleted: (ids, { owner, token }) =>
      gate.write(undefined, (session) =>
        each(
          session,
          ids,
          `UPDATE artifact_manifest SET status = 'deleted', wrapped_key = '', deleted_at = ?, sweep_owner = NULL, sweep_token = NULL,
            sweep_expires_at = NULL WHERE sweep_owner = ? AND sweep_token = ? AND status <> 'deleted' AND id = ?`,
          session.nowMs,
          owner,
          token,
        ),
      ),
    listUnverified: (limit, after) =>
      gate.read(undefined, (session) =>
        session
          .all<SelectedRow>(
            `SELECT ${columns} FROM artifact_manifest WHERE status = 'deleted' AND deletion_verified_at IS NULL AND (deleted_at, id) > (?, ?)
              ORDER BY deleted_at, id LIMIT ? + 0`,
            after?.deletedAt?.getTime() ?? -1,
            after?.id ?? '',
            limit,
          )
          .map((row) => toRow(row, session.nowMs)),
      ),
    async verified(ids) {
      await gate.write(undefined, (session) =>
        each(
          session,
          ids,
          `UPDATE artifact_manifest SET deletion_verified_at = coalesce(deletion_verified_at, ?) WHERE status = 'deleted' AND id = ?`,
          session.nowMs,
        ),
      );
    },
    keyTag: (options) =>
      gate.read(options?.tx, (session) => {
        const found = session.first<{ id: string; file: string | null }>(tagSql);
        return deriveKeyTag(found?.id, [found?.file ?? '']);
      }),
    async findUnknown(namespace, objects, olderThanMs) {
      checkOneOf('namespace', namespace, ['raw', 'redacted']);
      checkMs('olderThanMs', olderThanMs);
      return gate.read(undefined, (session) => findUnknown(session, namespace, objects, olderThanMs));
    },
    countExpired: () => gate.read(undefined, countExpired),
  };
}
