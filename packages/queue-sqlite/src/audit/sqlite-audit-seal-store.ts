import {
  type AuditEventRow,
  type AuditSealLeafRow,
  type AuditSealRow,
  checkNewSeal,
  checkSealClaim,
  pageLimit,
  toAuditEvent,
  toAuditSeal,
  toAuditSealLeaf,
} from '@criticizer/core/internal';
import type { AuditSeal, AuditSealLeaf, AuditSealStore } from '@criticizer/core/ports';
import type { SqliteTx } from '../shared/sqlite-database.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';
import type { SqliteSession } from '../shared/sqlite-session.js';

const unsealed = `NOT EXISTS (SELECT 1 FROM audit_seal_leaves AS l WHERE l.event_id = e.id)
  ORDER BY e.created_at_utc, e.id LIMIT ? + 0`;
const claimUnsealed = `SELECT e.* FROM audit_events AS e WHERE e.created_at_utc >= ? AND ${unsealed}`;
const pageUnsealed = `SELECT e.* FROM audit_events AS e WHERE (e.created_at_utc, e.id) > (?, ?) AND ${unsealed}`;

// One statement, so that an erasure between two cannot make an event look edited.
const findLeaves = `SELECT l.*, e.* FROM audit_seal_leaves AS l LEFT JOIN audit_events AS e ON e.id = l.event_id
  WHERE l.seal_seq = ? ORDER BY l.leaf_index`;

const insertSeal = `INSERT INTO audit_seals (seq, leaf_count, merkle_root, previous_root, sealed_at_utc, key_id, signature)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const insertLeaf = `INSERT INTO audit_seal_leaves (seal_seq, leaf_index, event_id, event_occurred_at_utc, actor_salt, target_salt, payload_salt,
  actor_digest, target_digest, payload_digest, clear_digest, leaf_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

function append(session: SqliteSession, seal: AuditSeal, leaves: readonly AuditSealLeaf[]): void {
  const { seq, count, merkleRoot, previousRoot, sealedAt, keyId, signature } = seal;
  session.run(insertSeal, seq, count, merkleRoot, previousRoot, sealedAt.getTime(), keyId, signature);
  for (const leaf of leaves) {
    session.run(
      insertLeaf,
      ...[seq, leaf.leafIndex, leaf.eventId, leaf.occurredAt.getTime()],
      ...[leaf.actorSalt, leaf.targetSalt, leaf.payloadSalt],
      ...[leaf.actorDigest, leaf.targetDigest, leaf.payloadDigest, leaf.clearDigest, leaf.leafHash],
    );
  }
}

function readHead(session: SqliteSession): AuditSeal | null {
  const row = session.first<AuditSealRow>('SELECT * FROM audit_seals ORDER BY seq DESC LIMIT 1');
  return row === undefined ? null : toAuditSeal(row);
}

/** `audit_seals` and `audit_seal_leaves` on SQLite. Who writes has the database, and so the chain, to itself. */
export function createSqliteAuditSealStore({ storeId, gate }: SqliteFacet): AuditSealStore<SqliteTx> {
  return {
    storeId,
    async claim(request, { tx }) {
      checkSealClaim(request);
      return gate.write(tx, (session) => {
        const rows = session.all<AuditEventRow>(claimUnsealed, request.since?.getTime() ?? 0, request.limit);
        return { head: readHead(session), events: rows.map(toAuditEvent), now: new Date(session.nowMs) };
      });
    },
    async append(seal, leaves, { tx }) {
      checkNewSeal(seal, leaves);
      await gate.write(tx, (session) => append(session, seal, leaves));
    },
    async list({ after = 0, limit }) {
      const size = pageLimit(limit);
      return gate.read(undefined, (session) =>
        session
          .all<AuditSealRow>('SELECT * FROM audit_seals WHERE seq > ? ORDER BY seq LIMIT ? + 0', after, size)
          .map(toAuditSeal),
      );
    },
    head: () => gate.read(undefined, readHead),
    listLeaves: (sealSeq) =>
      gate.read(undefined, (session) =>
        session
          .all<AuditSealLeafRow & { [Column in keyof AuditEventRow]: AuditEventRow[Column] | null }>(
            findLeaves,
            sealSeq,
          )
          .map((row) => ({
            leaf: toAuditSealLeaf(row),
            event: row.id === null ? null : toAuditEvent(row as AuditEventRow),
          })),
      ),
    async listUnsealed({ after, limit }) {
      const size = pageLimit(limit);
      return gate.read(undefined, (session) =>
        session
          .all<AuditEventRow>(pageUnsealed, after?.createdAt.getTime() ?? -1, after?.id ?? '', size)
          .map(toAuditEvent),
      );
    },
  };
}
