import type { Page, TimeSpan } from '../foundation/page.js';

/** Raw holds what came from the house; redacted what may be shown to an LLM (ART-5, ART-6). */
export type ArtifactNamespace = 'raw' | 'redacted';

/** What kind of thing it is, for retention and triage: diff snapshot, prompt, reply, review, mail. */
export type ArtifactPurpose = 'change' | 'prompt' | 'reply' | 'review' | 'mail' | 'dry-run';

/** A manifest row before its bytes are written; `ttlMs` counts from the store's now. */
export interface NewArtifact {
  /** Made by core: random, unguessable. */
  id: string;
  namespace: ArtifactNamespace;
  purpose: ArtifactPurpose;
  /** Where the bytes lie in the artifact store: random, carries no meaning. */
  storageKey: string;
  contentType: string;
  changelistId: string | null;
  jobId: string | null;
  /** From now, by the store's clock (ART-1). */
  ttlMs: number;
  /** Of the redacted namespace: which rules made it; null for raw. */
  redaction: { ruleVersion: string; policyHash: string } | null;
  /** Key-encryption key and the wrapped data key, base64; deleting them makes every copy of the bytes unreadable. */
  kekId: string;
  wrappedKey: string;
  /** Of the plaintext. */
  bytes: number;
  /** HMAC-SHA-256 of the plaintext under the data key, hex: a digest that tells nothing of short contents. */
  digest: string;
}

/** `pending`: bytes may be there, no job refers to it · `live` · `deleted`: bytes gone, key gone, row kept as proof. */
export type ArtifactStatus = 'pending' | 'live' | 'deleted';

/** One row of the manifest: an artifact as the database knows it. */
export interface ArtifactRow extends Omit<NewArtifact, 'ttlMs'> {
  status: ArtifactStatus;
  createdAt: Date;
  expiresAt: Date;
  deletedAt: Date | null;
  /** When a sweep last proved the bytes gone (ART-7). */
  deletionVerifiedAt: Date | null;
  /** Whether it was past its expiry when it was read, by the store's clock; never under a legal hold. */
  isExpired: boolean;
}

/** What lies in an artifact store under a key, whether or not a row names it. */
export interface StoredObject {
  key: string;
  /** When its bytes were complete, by the clock of what keeps them. */
  writtenAt: Date;
}

/** Who sweeps, for how long, and how many artifacts at most. */
export interface ArtifactSweepClaim {
  owner: string;
  token: string;
  leaseMs: number;
  limit: number;
  /** Pending rows older than this are orphans of a worker that died. */
  orphanMs: number;
  /** Every row of this change that is not deleted, whatever its age: a purge (EGR-5). Default: what is due, of any. */
  changelistId?: string | undefined;
}

/** What every write of a swept row names: row, owner, token. */
export interface ArtifactSweepLease {
  artifactId: string;
  owner: string;
  token: string;
}

/** Which artifacts a list gives; filters combine. */
export interface ArtifactFilter extends Page, TimeSpan {
  changelistId?: string | undefined;
}

/**
 * The ledger of artifacts: what exists, until when, under which key (ART-1, ART-2, ART-7).
 * `JobStore.settle` turns `pending` into `live`.
 */
export interface ArtifactManifest<Tx> {
  readonly storeId: string;
  /**
   * Before the bytes are written. Gives the rows in the order of `artifacts`: their expiry is part
   * of what the bytes are bound to.
   */
  reserve(artifacts: readonly NewArtifact[], options?: { tx?: Tx | undefined }): Promise<readonly ArtifactRow[]>;
  /**
   * `live` at once, for artifacts no job settles; one that is `live` already stays so. Rejects with
   * `ARTIFACT_NOT_PENDING` (conflict), and changes nothing, when one is unknown, deleted or held by
   * a sweeper (ART-7).
   */
  publish(ids: readonly string[], options?: { tx?: Tx | undefined }): Promise<void>;
  get(ids: readonly string[]): Promise<readonly (ArtifactRow | null)[]>;
  /**
   * Rows that are not deleted, newest first by `createdAt`, which `since` and `until` compare. What
   * a purge of a change walks, page by page (EGR-5).
   */
  list(filter: ArtifactFilter): Promise<readonly ArtifactRow[]>;
  /** Expired or orphaned rows, leased to one sweeper. None of a change under a legal hold (ruling R24). */
  claimExpired(request: ArtifactSweepClaim): Promise<readonly ArtifactRow[]>;
  /**
   * Pushes the expiry of each lease to now + `leaseMs`, in the order given. One that expired and that
   * nobody took yet is still the owner's to renew. A legal hold that came after the claim takes it
   * (ruling R24): whoever renews directly before it deletes bytes deletes none that are held.
   */
  heartbeat(leases: readonly ArtifactSweepLease[], leaseMs: number): Promise<readonly ('renewed' | 'lease-lost')[]>;
  /** Brings the expiry of these rows to now, whoever refers to them; gives the count. */
  expire(ids: readonly string[], options?: { tx?: Tx | undefined }): Promise<number>;
  /** After the bytes are gone: status `deleted`, wrapped key erased. Fenced by the sweep's owner and token. */
  markDeleted(ids: readonly string[], fence: { owner: string; token: string }): Promise<number>;
  /**
   * Deleted rows whose absence was not yet proven, oldest first, behind the row `after`; `verified`
   * records the proof.
   */
  listUnverified(limit: number, after?: Pick<ArtifactRow, 'id' | 'deletedAt'>): Promise<readonly ArtifactRow[]>;
  verified(ids: readonly string[]): Promise<void>;
  /**
   * Ends every storage key that is written under this manifest, so that two that share a store
   * remove nothing of each other's (ART-7): 16 characters of a-z and 0-9, random, the same for ever
   * for one database in one place, another for a copy of it in another. Reads on `tx` where one is
   * given.
   */
  keyTag(options?: { tx?: Tx | undefined }): Promise<string>;
  /**
   * Of these objects of a namespace, the keys that no committed row names, whatever its status, and
   * that were written more than `olderThanMs` ago by the store's clock. Rejects where it cannot
   * tell, and writes nothing. One statement that an index serves (ART-7).
   */
  findUnknown(
    namespace: ArtifactNamespace,
    objects: readonly StoredObject[],
    olderThanMs: number,
  ): Promise<readonly string[]>;
  /** Rows past their expiry that are not deleted, held ones left out: the gauge that must be 0 after a sweep. */
  countExpired(): Promise<Readonly<Record<ArtifactNamespace, number>>>;
}
