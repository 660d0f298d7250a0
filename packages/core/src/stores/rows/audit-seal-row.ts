import type { AuditSeal, AuditSealLeaf } from '../audit-seal-store.js';
import { type Instant, toDate } from './row-values.js';

/** A row of `audit_seals`. */
export interface AuditSealRow {
  seq: number;
  leaf_count: number;
  merkle_root: string;
  previous_root: string;
  sealed_at_utc: Instant;
  key_id: string;
  signature: string;
}

/** Reads a seal from its row. */
export function toAuditSeal(row: AuditSealRow): AuditSeal {
  return {
    seq: row.seq,
    count: row.leaf_count,
    merkleRoot: row.merkle_root,
    previousRoot: row.previous_root,
    sealedAt: toDate(row.sealed_at_utc),
    keyId: row.key_id,
    signature: row.signature,
  };
}

/** A row of `audit_seal_leaves`. */
export interface AuditSealLeafRow {
  seal_seq: number;
  leaf_index: number;
  event_id: string;
  event_occurred_at_utc: Instant;
  actor_salt: string | null;
  target_salt: string | null;
  payload_salt: string | null;
  actor_digest: string;
  target_digest: string;
  payload_digest: string;
  clear_digest: string;
  leaf_hash: string;
}

/** Reads a leaf from its row. */
export function toAuditSealLeaf(row: AuditSealLeafRow): AuditSealLeaf {
  return {
    sealSeq: row.seal_seq,
    leafIndex: row.leaf_index,
    eventId: row.event_id,
    occurredAt: toDate(row.event_occurred_at_utc),
    actorSalt: row.actor_salt,
    targetSalt: row.target_salt,
    payloadSalt: row.payload_salt,
    actorDigest: row.actor_digest,
    targetDigest: row.target_digest,
    payloadDigest: row.payload_digest,
    clearDigest: row.clear_digest,
    leafHash: row.leaf_hash,
  };
}
