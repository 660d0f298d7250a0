/** What a verification can find wrong. */
export type AuditFindingKind =
  /** A seal's signature is not by the key that it names. */
  | 'signature-wrong'
  /** A seal names a key that is not among the public keys given. */
  | 'key-unknown'
  /** A seal is missing, is there twice, or does not name the root of the one before. */
  | 'chain-broken'
  /** The leaves of a batch do not give the signed root, or are not as many as the seal says. */
  | 'batch-changed'
  /** A leaf was changed, or is at another's place. */
  | 'leaf-changed'
  /** An event is not what was sealed. */
  | 'event-edited'
  /** An event is gone, and no prune that is in the trail explains it. */
  | 'event-missing'
  /** An event is blank, or salts of its leaf are gone, and no erasure that is in the trail names it. */
  | 'erasure-unexplained'
  /** The checkpoint holds seals after the last one of the trail: its end was cut off. */
  | 'trail-cut'
  /** The checkpoint holds another seal of this number: the trail was rewritten. */
  | 'checkpoint-differs'
  /** An event was recorded longer ago than allowed, and no seal holds it. */
  | 'unsealed-late'
  /** An export lacks its end, or a line of it cannot be read. */
  | 'export-damaged';

/** One thing that is wrong, at the first row that shows it. */
export interface AuditFinding {
  kind: AuditFindingKind;
  /** The seal; null where the finding concerns no single one. */
  sealSeq: number | null;
  /** The leaf in its batch; null where the finding concerns the whole batch. */
  leafIndex: number | null;
  /** The event's row; null as `leafIndex`. */
  eventId: string | null;
  /** A sentence. Holds no value of an event. */
  message: string;
}

/** What a verification of the whole trail found. */
export interface AuditVerification {
  /** True where nothing was found. */
  isIntact: boolean;
  /** How many seals and sealed events were checked. */
  seals: number;
  events: number;
  /** Sealed events that a person's erasure blanked; each verifies by the digest that its leaf keeps. */
  erased: number;
  /** Sealed events that a prune deleted; each verifies by its leaf. */
  pruned: number;
  /** Events that no seal protects yet. The audit events of seals themselves are not counted. */
  unsealed: { count: number; oldestMs: number };
  /** The last seal of the checkpoint; null where none was given: then a cut at the end shows nowhere. */
  checkpointSeq: number | null;
  /** In the order of the trail, the first 100. */
  findings: readonly AuditFinding[];
  /** All of them. */
  findingCount: number;
}
