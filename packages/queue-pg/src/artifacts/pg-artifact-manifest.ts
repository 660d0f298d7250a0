import {
  checkLeaseRequest,
  checkMs,
  checkNewArtifact,
  checkOneOf,
  deriveKeyTag,
  type ManifestRow,
  toArtifact,
  wholeMs,
} from '@criticizer/core/internal';
import type { ArtifactManifest, ArtifactNamespace, ArtifactRow } from '@criticizer/core/ports';
import { isHeldSql } from '../shared/change-marks.js';
import { instantColumns, span } from '../shared/instants.js';
import { listByPlace } from '../shared/list-rows.js';
import type { PgTx } from '../shared/pg-database.js';
import type { PgFacet } from '../shared/pg-facet.js';
import { publishArtifacts } from './publish-artifacts.js';

/** A row, and what the database's clock says of it. */
type SelectedRow = ManifestRow & { is_expired: boolean };

const columns = `a.id, a.namespace, a.purpose, a.storage_key, a.content_type, a.changelist_id, a.job_id, a.redaction::text AS redaction, a.kek_id,
  a.wrapped_key, a.bytes, a.digest, a.status, (a.expires_at <= {now} AND NOT ${isHeldSql('a.changelist_id')}) AS is_expired,
  ${instantColumns('a', ['created_at', 'expires_at', 'deleted_at', 'deletion_verified_at'])}`;

const toRow = (row: SelectedRow): ArtifactRow => toArtifact(row, row.is_expired);

function inOrder(ids: readonly string[], rows: readonly SelectedRow[]): (ArtifactRow | null)[] {
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = found.get(id);
    return row === undefined ? null : toRow(row);
  });
}

const list = {
  select: `SELECT ${columns} FROM {schema}.artifact_manifest AS a`,
  orderBy: 'a.created_at DESC, a.id DESC',
  find: 'SELECT 1 FROM {schema}.artifact_manifest WHERE id = $1',
  behind: `(a.created_at, a.id) < ((SELECT p.created_at FROM {schema}.artifact_manifest AS p WHERE p.id = ?), ?)`,
  at: 'a.created_at',
};

const reserve = `INSERT INTO {schema}.artifact_manifest AS a (id, namespace, purpose, storage_key, content_type, changelist_id, job_id, redaction,
    kek_id, wrapped_key, bytes, digest, status, created_at, expires_at)
  SELECT x.id, x.namespace, x.purpose, x."storageKey", x."contentType", x."changelistId", x."jobId", x.redaction, x."kekId", x."wrappedKey",
    x.bytes, x.digest, 'pending', {now}, {now} + ${span('x."ttlMs"')}
  FROM json_to_recordset($1::json) AS x(id text, namespace text, purpose text, "storageKey" text, "contentType" text, "changelistId" text,
    "jobId" text, redaction json, "kekId" text, "wrappedKey" text, bytes bigint, digest text, "ttlMs" float8)
  RETURNING ${columns}`;

const claimWhere = (which: string) => `WITH candidate AS (
    SELECT id FROM {schema}.artifact_manifest AS c WHERE status <> 'deleted' AND ${which} AND NOT ${isHeldSql('c.changelist_id')}
      AND (sweep_token IS NULL OR sweep_expires_at <= {now})
    ORDER BY expires_at, id LIMIT $4 FOR UPDATE SKIP LOCKED)
  UPDATE {schema}.artifact_manifest AS a SET sweep_owner = $1, sweep_token = $2, sweep_expires_at = {now} + ${span('$3::float8')}
  FROM candidate WHERE a.id = candidate.id RETURNING ${columns}`;

const claimDue = claimWhere(
  `(expires_at <= {now} OR (status = 'pending' AND created_at <= {now} - ${span('$5::float8')}))`,
);
const claimOfChange = claimWhere('changelist_id = $5');

const renew = `UPDATE {schema}.artifact_manifest AS a SET sweep_expires_at = {now} + ${span('$4::float8')}
  FROM unnest($1::text[], $2::text[], $3::text[]) AS x(id, owner, token)
  WHERE a.id = x.id AND a.sweep_owner = x.owner AND a.sweep_token = x.token AND a.status <> 'deleted' AND NOT ${isHeldSql('a.changelist_id')}
  RETURNING a.id, a.sweep_owner AS owner, a.sweep_token AS token`;

const markDeleted = `UPDATE {schema}.artifact_manifest SET status = 'deleted', wrapped_key = '', deleted_at = {now}, sweep_owner = NULL,
    sweep_token = NULL, sweep_expires_at = NULL
  WHERE id = ANY($1) AND sweep_owner = $2 AND sweep_token = $3 AND status <> 'deleted'`;

const tag = `SELECT id, current_database()::text AS database, '{schema}' AS schema FROM {schema}.artifact_manifest_id`;

/** The unique index on namespace and storage key serves it. */
export const findUnknown = `SELECT o.key FROM unnest($2::text[], $3::timestamptz[]) AS o(key, written_at)
  WHERE o.written_at < {now} - ${span('$4::float8')}
    AND NOT EXISTS (SELECT 1 FROM {schema}.artifact_manifest AS a WHERE a.namespace = $1 AND a.storage_key = o.key)`;

// long: the verbs of the facet, one after the other
/** The ledger of artifacts on PostgreSQL (ART-1, ART-2, ART-7). */
export function createPgArtifactManifest({ storeId, gate }: PgFacet): ArtifactManifest<PgTx> {
  return {
    storeId,
    async reserve(artifacts, options) {
      for (const [n, artifact] of artifacts.entries()) checkNewArtifact(artifact, `artifacts[${n}]`);
      if (artifacts.length === 0) return [];
      const input = artifacts.map((artifact) => ({ ...artifact, ttlMs: wholeMs(artifact.ttlMs) }));
      const rows = await gate.single(options?.tx, (session) =>
        session.all<SelectedRow>(reserve, JSON.stringify(input)),
      );
      return inOrder(
        artifacts.map(({ id }) => id),
        rows,
      ).flatMap((row) => (row === null ? [] : [row]));
    },
    publish: (ids, options) => gate.together(options?.tx, (session) => publishArtifacts(session, ids, null)),
    async get(ids) {
      const rows = await gate.single(undefined, (session) =>
        session.all<SelectedRow>(`SELECT ${columns} FROM {schema}.artifact_manifest AS a WHERE a.id = ANY($1)`, ids),
      );
      return inOrder(ids, rows);
    },
    async list(filter) {
      const rows = await listByPlace<SelectedRow>(gate, list, filter, [
        ["a.status <> 'deleted'"],
        ['a.changelist_id = ?', filter.changelistId],
      ]);
      return rows.map(toRow);
    },
    async claimExpired(request) {
      checkLeaseRequest(request);
      checkMs('request.orphanMs', request.orphanMs);
      const { owner, token, leaseMs, limit, orphanMs, changelistId } = request;
      const claim = changelistId === undefined ? claimDue : claimOfChange;
      // Not softly: a claim that is lost in a crash would leave a row to publish whose bytes are already gone.
      const rows = await gate.single(undefined, (session) =>
        session.all<SelectedRow>(claim, owner, token, wholeMs(leaseMs), limit, changelistId ?? wholeMs(orphanMs)),
      );
      return rows.map(toRow);
    },
    async heartbeat(leases, leaseMs) {
      checkMs('leaseMs', leaseMs, 1);
      if (leases.length === 0) return [];
      const rows = await gate.heartbeat(leaseMs, (session) =>
        session.all<{ id: string; owner: string; token: string }>(
          renew,
          leases.map(({ artifactId }) => artifactId),
          leases.map(({ owner }) => owner),
          leases.map(({ token }) => token),
          wholeMs(leaseMs),
        ),
      );
      const renewed = new Map(rows.map((row) => [row.id, row]));
      return leases.map(({ artifactId, owner, token }) => {
        const row = renewed.get(artifactId);
        return row?.owner === owner && row.token === token ? 'renewed' : 'lease-lost';
      });
    },
    expire: (ids, options) =>
      gate.single(options?.tx, (session) =>
        session.run(
          `UPDATE {schema}.artifact_manifest SET expires_at = least(expires_at, {now}) WHERE id = ANY($1) AND status <> 'deleted'`,
          ids,
        ),
      ),
    markDeleted: (ids, { owner, token }) =>
      gate.single(undefined, (session) => session.run(markDeleted, ids, owner, token)),
    async listUnverified(limit, after) {
      const rows = await gate.single(undefined, (session) =>
        session.all<SelectedRow>(
          `SELECT ${columns} FROM {schema}.artifact_manifest AS a WHERE a.status = 'deleted' AND a.deletion_verified_at IS NULL
            AND ($2::timestamptz IS NULL OR (a.deleted_at, a.id) > ($2::timestamptz, $3::text))
            ORDER BY a.deleted_at, a.id LIMIT $1`,
          limit,
          after?.deletedAt?.toISOString() ?? null,
          after?.id ?? null,
        ),
      );
      return rows.map(toRow);
    },
    async verified(ids) {
      await gate.single(undefined, (session) =>
        session.run(
          `UPDATE {schema}.artifact_manifest SET deletion_verified_at = coalesce(deletion_verified_at, {now})
            WHERE id = ANY($1) AND status = 'deleted'`,
          ids,
        ),
      );
    },
    async keyTag(options) {
      const found = await gate.single(options?.tx, (session) =>
        session.first<{ id: string; database: string; schema: string }>(tag),
      );
      return deriveKeyTag(found?.id, [found?.database ?? '', found?.schema ?? '']);
    },
    async findUnknown(namespace, objects, olderThanMs) {
      checkOneOf('namespace', namespace, ['raw', 'redacted']);
      checkMs('olderThanMs', olderThanMs);
      const keys = objects.map(({ key }) => key);
      const writtenAt = objects.map((object) => object.writtenAt.toISOString());
      const rows = await gate.single(undefined, (session) =>
        session.all<{ key: string }>(findUnknown, namespace, keys, writtenAt, wholeMs(olderThanMs)),
      );
      return rows.map(({ key }) => key);
    },
    async countExpired() {
      const counts = { raw: 0, redacted: 0 };
      const rows = await gate.single(undefined, (session) =>
        session.all<{ namespace: ArtifactNamespace; n: number }>(
          `SELECT namespace, count(*)::int AS n FROM {schema}.artifact_manifest AS a WHERE status <> 'deleted' AND expires_at <= {now}
            AND NOT ${isHeldSql('a.changelist_id')} GROUP BY namespace`,
        ),
      );
      for (const { namespace, n } of rows) counts[namespace] = n;
      return counts;
    },
  };
}
