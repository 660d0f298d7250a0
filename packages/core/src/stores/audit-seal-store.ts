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
  /** `occurredAt` of the event: where the event is pruned, what says whether it was old enough. */
  occurredAt: Date;
  /** 16 random bytes in hex for each digest below; null once what it covers was erased, or the event pruned. */
  actorSalt: string | null;
  targetSalt: string | null;
  payloadSalt: string | null;
  /** Over `actorId`, `sourceIp` and `userAgent`. */
  actorDigest: string;
  /** Over `targetId`. */
  targetDigest: string;
  /** Over `payload` and `payloadSha256`. */
  payloadDigest: string;
  /** Over the columns that concern no person; without a salt. */
  clearDigest: string;
  leafHash: string;
}

/** A leaf with its event as it is stored now; null where the event is gone. */
export interface SealedEvent {
  leaf: AuditSealLeaf;
  event: AuditEvent | null;
}

/** What a sealer took: the last seal, and the oldest events that no seal holds. */
export interface SealClaim {
  /** Null before the first seal. */
  head: AuditSeal | null;
  /** Oldest first by `createdAt`, then id. */
  events: readonly AuditEvent[];
  /** The store's clock. */
  now: Date;
}

/**
 * `audit_seals` and `audit_seal_leaves`: what the sealer writes about the trail. Rows never change,
 * except that the erasure or the prune of an event deletes salts of its leaf in the same transaction.
 */
export interface AuditSealStore<Tx> {
  readonly storeId: string;
  /**
   * Takes the chain for the rest of the transaction: null while another transaction has it. Gives
   * events that were committed, at most `limit`, and of those recorded before `since` none: a
   * caller that knows them sealed saves their look-up. An event whose transaction commits after that
   * of a later one is given by a later claim; no order of ids or instants is relied on.
   */
  claim(request: { limit: number; since: Date | null }, options: { tx: Tx }): Promise<SealClaim | null>;
  /**
   * Adds a seal and all its leaves. Rejects where the number or one of the events is sealed already;
   * the transaction is then of no use.
   */
  append(seal: AuditSeal, leaves: readonly AuditSealLeaf[], options: { tx: Tx }): Promise<void>;
  /** In the order of `seq`, those after `after`. Limit as of every list. */
  list(filter: { after?: number | undefined; limit?: number | undefined }): Promise<readonly AuditSeal[]>;
  /** The last seal; null before the first. */
  head(): Promise<AuditSeal | null>;
  /** All leaves of one seal in their order, each with its event; both as of one instant. */
  listLeaves(sealSeq: number): Promise<readonly SealedEvent[]>;
  /** Events that no seal holds, oldest first by `createdAt`, then id; `after`: the last one of the page before. */
  listUnsealed(filter: {
    after?: Pick<AuditEvent, 'id' | 'createdAt'> | undefined;
    limit?: number | undefined;
  }): Promise<readonly AuditEvent[]>;
}
