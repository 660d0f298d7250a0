import type { AuditEvent } from './audit-store.js';

/** One row of `audit_seals`: the signed root over a batch of events. Digests are lower-case hex. */
export interface AuditSeal {
  /** 1, 2, 3, … without a gap. */
  seq: number;
  /** Leaves of the batch, at least 1. */
  count: number;
  /** Root of the batch's Merkle tree. */
  merkleRoot: string;
  /** `merkleRoot` of the seal before; 64 zeros for the first. */
  previousRoot: string;
  /** By the store's clock. */
  sealedAt: Date;
  /** Names the public key: the first 16 characters of its SHA-256. */
  keyId: string;
  /** Ed25519, in Base64. */
  signature: string;
}

/** One row of `audit_seal_leaves`: what a seal says about one event. Digests are lower-case hex. */
export interface AuditSealLeaf {
  sealSeq: number;
  /** 0 to `count - 1`. */
  leafIndex: number;
  eventId: string;
  /** `createdAt` of the event. */
  recordedAt: Date;
  /** 32 random bytes in hex; null once the event was erased or pruned. */
  salt: string | null;
  /** Over the salt and the columns that concern a person. */
  personalDigest: string;
  /** Over the other columns. */
  clearDigest: string;
  leafHash: string;
}

/** A leaf with its event as it is stored now; null where the event is gone. */
export interface SealedEvent {
  leaf: AuditSealLeaf;
  event: AuditEvent | null;
}
