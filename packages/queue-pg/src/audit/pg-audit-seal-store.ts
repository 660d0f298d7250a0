import {
  type AuditEventRow,
  type AuditSealLeafRow,
  type AuditSealRow,
  checkNewSeal,
  checkSealClaim,
  type Instant,
  pageLimit,
  toAuditEvent,
  toAuditSeal,
  toAuditSealLeaf,
  toDate,
} from '@criticizer/core/internal';
import type { AuditSeal, AuditSealLeaf, AuditSealStore } from '@criticizer/core/ports';
import { epochMs, instantColumns } from '../shared/instants.js';
import type { PgTx } from '../shared/pg-database.js';
import type { PgFacet } from '../shared/pg-facet.js';
import type { PgSession } from '../shared/pg-session.js';
import { eventColumns } from './audit-row.js';

const sealColumns = `s.seq, s.leaf_count, s.merkle_root, s.previous_root, ${instantColumns('s', ['sealed_at_utc'])}, s.key_id, s.signature`;

/**
 * Names the chain of this schema among the database's advisory locks. The functions that erase and
 * prune take it too: they change events that a sealer may just be reading.
 */
const chainLock = `hashtextextended('{schema}.audit_seals', 0)`;

const takeChain = `SELECT pg_try_advisory_xact_lock(${chainLock}) AS is_mine, ${epochMs('{now}')} AS now_at`;
const findHead = `SELECT ${sealColumns} FROM {schema}.audit_seals AS s ORDER BY s.seq DESC LIMIT 1`;
const findSeals = `SELECT ${sealColumns} FROM {schema}.audit_seals AS s WHERE s.seq > $1 ORDER BY s.seq LIMIT $2`;

const unsealed = `NOT EXISTS (SELECT 1 FROM {schema}.audit_seal_leaves AS l WHERE l.event_id = e.id)
  ORDER BY e.created_at_utc, e.id`;
const claimUnsealed = `SELECT ${eventColumns} FROM {schema}.audit_events AS e
  WHERE ($1::timestamptz IS NULL OR e.created_at_utc >= $1) AND ${unsealed} LIMIT $2`;
// An instant beyond whole milliseconds, which the stores never write, must not end or repeat the list.
const pageUnsealed = `SELECT ${eventColumns} FROM {schema}.audit_events AS e
  WHERE ($1::timestamptz IS NULL OR (e.created_at_utc, e.id) > (coalesce((SELECT p.created_at_utc FROM {schema}.audit_events AS p
    WHERE p.id = $2::uuid), $1), $2::uuid)) AND ${unsealed} LIMIT $3`;

const leafColumns = `l.seal_seq, l.leaf_index, l.event_id::text AS event_id, ${instantColumns('l', ['event_occurred_at_utc'])}, l.actor_salt,
  l.target_salt, l.payload_salt, l.actor_digest, l.target_digest, l.payload_digest, l.clear_digest, l.leaf_hash`;
// One statement, so that an erasure between two cannot make an event look edited.
const findLeaves = `SELECT ${leafColumns}, ${eventColumns} FROM {schema}.audit_seal_leaves AS l
  LEFT JOIN {schema}.audit_events AS e ON e.id = l.event_id WHERE l.seal_seq = $1 ORDER BY l.leaf_index`;

const insertSeal = `INSERT INTO {schema}.audit_seals (seq, leaf_count, merkle_root, previous_root, sealed_at_utc, key_id, signature)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;
const insertLeaves = `INSERT INTO {schema}.audit_seal_leaves (seal_seq, leaf_index, event_id, event_occurred_at_utc, actor_salt, target_salt,
    payload_salt, actor_digest, target_digest, payload_digest, clear_digest, leaf_hash)
  SELECT $1::int, x.at, x.event, x.occurred, x.salts[1], x.salts[2], x.salts[3], x.digests[1], x.digests[2], x.digests[3], x.clear, x.hash
  FROM json_to_recordset($2::json) AS x(at int, event uuid, occurred timestamptz, salts text[], digests text[], clear text, hash text)`;

async function append(session: PgSession, seal: AuditSeal, leaves: readonly AuditSealLeaf[]): Promise<void> {
  const { seq, count, merkleRoot, previousRoot, sealedAt, keyId, signature } = seal;
  await session.run(insertSeal, seq, count, merkleRoot, previousRoot, sealedAt.toISOString(), keyId, signature);
  const rows = leaves.map((leaf) => ({
    at: leaf.leafIndex,
    event: leaf.eventId,
    occurred: leaf.occurredAt.toISOString(),
    salts: [leaf.actorSalt, leaf.targetSalt, leaf.payloadSalt],
    digests: [leaf.actorDigest, leaf.targetDigest, leaf.payloadDigest],
    clear: leaf.clearDigest,
    hash: leaf.leafHash,
  }));
  await session.run(insertLeaves, seq, JSON.stringify(rows));
}

async function readHead(session: PgSession): Promise<AuditSeal | null> {
  const row = await session.first<AuditSealRow>(findHead);
  return row === undefined ? null : toAuditSeal(row);
}

/** `audit_seals` and `audit_seal_leaves` on PostgreSQL. An advisory lock lets one transaction write the chain. */
export function createPgAuditSealStore({ storeId, gate }: PgFacet): AuditSealStore<PgTx> {
  return {
    storeId,
    async claim(request, { tx }) {
      checkSealClaim(request);
      return gate.together(tx, async (session) => {
        const taken = await session.first<{ is_mine: boolean; now_at: Instant }>(takeChain);
        if (taken?.is_mine !== true) return null;
        const since = request.since?.toISOString() ?? null;
        const rows = await session.all<AuditEventRow>(claimUnsealed, since, request.limit);
        return { head: await readHead(session), events: rows.map(toAuditEvent), now: toDate(taken.now_at) };
      });
    },
    async append(seal, leaves, { tx }) {
      checkNewSeal(seal, leaves);
      await gate.together(tx, (session) => append(session, seal, leaves));
    },
    async list({ after = 0, limit }) {
      const size = pageLimit(limit);
      const rows = await gate.single(undefined, (session) => session.all<AuditSealRow>(findSeals, after, size));
      return rows.map(toAuditSeal);
    },
    head: () => gate.single(undefined, readHead),
    async listLeaves(sealSeq) {
      const rows = await gate.single(undefined, (session) =>
        session.all<AuditSealLeafRow & { [Column in keyof AuditEventRow]: AuditEventRow[Column] | null }>(
          findLeaves,
          sealSeq,
        ),
      );
      return rows.map((row) => ({
        leaf: toAuditSealLeaf(row),
        event: row.id === null ? null : toAuditEvent(row as AuditEventRow),
      }));
    },
    async listUnsealed({ after, limit }) {
      const place = [after?.createdAt.toISOString() ?? null, after?.id ?? null];
      const size = pageLimit(limit);
      const rows = await gate.single(undefined, (session) => session.all<AuditEventRow>(pageUnsealed, ...place, size));
      return rows.map(toAuditEvent);
    },
  };
}
