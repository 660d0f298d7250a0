import type { ArtifactManifest } from './artifact-manifest.js';
import type { AuditSealStore } from './audit-seal-store.js';
import type { AuditStore } from './audit-store.js';
import type { ChangeStore } from './change-store.js';
import type { CursorStore } from './cursor-store.js';
import type { DeadLetterStore } from './dead-letter-store.js';
import type { DocumentStore } from './document-store.js';
import type { EgressLog } from './egress-log.js';
import type { JobStore } from './job-store.js';
import type { LimitStore } from './limit-store.js';
import type { MessageStore } from './message-store.js';
import type { StoreModule } from './modules.js';
import type { NotifyOutbox } from './notify-outbox.js';
import type { PreferenceStore } from './preference-store.js';
import type { RetentionStore } from './retention-store.js';
import type { SampleStore } from './sample-store.js';
import type { SuppressionStore } from './suppression-store.js';

/** One file of a migration: its module, name, digest and SQL. */
export interface MigrationStep {
  /** `store`: what every module of this store needs. */
  module: StoreModule | 'store';
  /** `0001-jobs` */
  name: string;
  /** Hex, over the text. */
  sha256: string;
  /** For a DBA to read and run. */
  sql: string;
}

/**
 * Everything durable, from one factory, so that effects commit together. `Tx` is the caller's own
 * transaction handle and opaque to core. All facets carry the `storeId` of the database they write
 * to; wiring refuses a mixture.
 */
export interface Stores<Tx> {
  /** The version of this port that the part is written to. Wiring refuses a number that it does not know. */
  readonly contract: 1;
  readonly storeId: string;
  /**
   * The modules that these stores were made with. Only their tables are planned and migrated; every
   * verb of another module's facet rejects with `MODULE_ABSENT`.
   */
  readonly modules: readonly StoreModule[];
  readonly jobs: JobStore<Tx>;
  readonly deadLetters: DeadLetterStore<Tx>;
  /** Legal holds and purges of whole changes (ruling R24). */
  readonly changes: ChangeStore<Tx>;
  readonly outbox: NotifyOutbox<Tx>;
  /** The messages of a host's own mails; those of reviews are artifacts. */
  readonly messages: MessageStore<Tx>;
  /** What persons want of review mails (NOT-10). */
  readonly preferences: PreferenceStore<Tx>;
  readonly audit: AuditStore<Tx>;
  readonly auditSeals: AuditSealStore<Tx>;
  readonly artifactManifest: ArtifactManifest<Tx>;
  readonly egress: EgressLog<Tx>;
  readonly cursors: CursorStore<Tx>;
  readonly documents: DocumentStore<Tx>;
  readonly samples: SampleStore;
  /** What hides findings, by whom, why and until when (GRD-8). */
  readonly suppressions: SuppressionStore<Tx>;
  readonly limits: LimitStore<Tx>;
  /** Removes what is past its age (OPS-4). A table of a module that these stores lack is an empty one. */
  readonly retention: RetentionStore;
  /** Commits when `work` resolves, rolls back when it rejects. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** The store's clock, for measuring skew (INV-7). */
  now(): Promise<Date>;
  /**
   * Steps not yet applied, in order; a store that migrates by itself does so first. Throws
   * `SCHEMA_TOO_NEW` on a database from a later version, `SCHEMA_CHANGED` where an applied step
   * differs, `SCHEMA_FOREIGN` where the tables are somebody else's.
   */
  migrationPlan(): Promise<readonly MigrationStep[]>;
  /** Applies the plan under a lock; safe when many processes start at once. Gives what it applied. */
  migrate(): Promise<readonly MigrationStep[]>;
  /** Idempotent. */
  close(): Promise<void>;
}
