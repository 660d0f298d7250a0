import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import {
  checkedElsewhere,
  checkedStores,
  checkOptions,
  createRowIds,
  createWakeUps,
  type OptionShape,
  oneOf,
  optional,
  selectModules,
  selectSteps,
} from '@criticizer/core/internal';
import type { MigrationStep, StoreModule, Stores } from '@criticizer/core/ports';
import { createSqliteArtifactManifest } from './artifacts/sqlite-artifact-manifest.js';
import { createSqliteAuditSealStore } from './audit/sqlite-audit-seal-store.js';
import { createSqliteAuditStore } from './audit/sqlite-audit-store.js';
import { createSqliteChangeStore } from './jobs/sqlite-change-store.js';
import { createSqliteDeadLetterStore } from './jobs/sqlite-dead-letter-store.js';
import { createSqliteJobStore } from './jobs/sqlite-job-store.js';
import { createSqliteLimitStore } from './jobs/sqlite-limit-store.js';
import { createSqliteRetentionStore } from './jobs/sqlite-retention-store.js';
import { applyMigrations, migrationSteps, planMigrations, requireCurrentSchema } from './migrations.js';
import { createSqliteMessageStore } from './outbox/sqlite-message-store.js';
import { createSqliteNotifyOutbox } from './outbox/sqlite-notify-outbox.js';
import { createSqlitePreferenceStore } from './outbox/sqlite-preference-store.js';
import { createSqliteCursorStore } from './review/sqlite-cursor-store.js';
import { createSqliteDocumentStore } from './review/sqlite-document-store.js';
import { createSqliteEgressLog } from './review/sqlite-egress-log.js';
import { createSqliteSampleStore } from './review/sqlite-sample-store.js';
import { createSqliteSuppressionStore } from './review/sqlite-suppression-store.js';
import { busyBlockMs, untilFree } from './shared/busy-wait.js';
import { type HostInstant, readHost } from './shared/sqlite-clock.js';
import { openSqlite, type SqliteDatabase, type SqliteTx } from './shared/sqlite-database.js';
import { sqliteError } from './shared/sqlite-errors.js';
import type { SqliteFacet } from './shared/sqlite-facet.js';
import { createSqliteGate, type SqliteGate } from './shared/sqlite-gate.js';

/** The file or the open database, and how stores use it. */
export interface SqliteStoresOptions {
  /** The database file, created where it is missing, or `:memory:`. Give either this or `database`. */
  file?: string | undefined;
  /**
   * An open database instead: node:sqlite, @photostructure/sqlite or better-sqlite3. It keeps its
   * own journal and synchronous modes, and `close()` leaves it open.
   */
  database?: SqliteDatabase | undefined;
  /**
   * `auto` applies missing migrations at the first call, `migrationPlan()` included, which then has
   * nothing left to say; `never` makes work fail with `SCHEMA_OLD`. Default `never`.
   */
  migrate?: 'auto' | 'never' | undefined;
  /**
   * The modules that this process uses: `queue` (jobs, dead letters, limits), `notify` (mails),
   * `artifacts`, `review` (egress log, cursors, documents, counts), `audit`. Only their tables are
   * planned, migrated and touched; verbs of another module's facet reject with `MODULE_ABSENT`.
   * Processes with different modules may share a file. Default: all.
   */
  modules?: readonly StoreModule[] | undefined;
  /**
   * How long a call, the first one's setting up included, waits for another process's lock before
   * it fails with `SQLITE_BUSY`. Default 5,000.
   */
  busyTimeoutMs?: number | undefined;
  /**
   * `full` (default): what a resolved promise reported survives power loss. `normal`: it survives a
   * crash of the process, and the last commits may be lost with power.
   */
  synchronous?: 'full' | 'normal' | undefined;
}

/** For the tests of this package alone. */
export interface SqliteTestOptions {
  /** Stands in for the host's wall clock. */
  hostMs?(): number;
  /** Stands in for its monotonic clock. Default: `hostMs`, where that is given. */
  monotonicMs?(): number;
}

function hostOf({ hostMs, monotonicMs = hostMs }: SqliteTestOptions): () => HostInstant {
  if (hostMs === undefined || monotonicMs === undefined) return readHost;
  return () => ({ wallMs: hostMs(), monotonicMs: monotonicMs() });
}

const optionShape: OptionShape<SqliteStoresOptions> = {
  file: checkedElsewhere,
  database: checkedElsewhere,
  migrate: optional(oneOf('auto', 'never')),
  modules: checkedElsewhere,
  busyTimeoutMs: checkedElsewhere,
  synchronous: optional(oneOf('full', 'normal')),
};

function checkStoresOptions(options: SqliteStoresOptions): void {
  checkOptions('createSqliteStores', options, optionShape);
  const { file, database, busyTimeoutMs = 0 } = options;
  if ((file === undefined) === (database === undefined))
    throw new TypeError('createSqliteStores: expected either file or database');
  if (file !== undefined && (typeof file !== 'string' || file === ''))
    throw new TypeError('createSqliteStores: file: expected a path');
  if (database !== undefined && (typeof database.prepare !== 'function' || typeof database.exec !== 'function')) {
    throw new TypeError('createSqliteStores: database: expected prepare and exec');
  }
  if (!Number.isFinite(busyTimeoutMs) || busyTimeoutMs < 0)
    throw new TypeError('createSqliteStores: busyTimeoutMs: expected 0 or more');
}

const handleIds = new WeakMap<SqliteDatabase, string>();

/** The same for every store on one file of this host; of its own for a database in memory or given. */
function storeIdOf(file: string | undefined, database: SqliteDatabase): string {
  if (file !== undefined && file !== ':memory:') return `sqlite:${realpathSync(file)}`;
  const known = handleIds.get(database) ?? `sqlite:${randomUUID()}`;
  handleIds.set(database, known);
  return known;
}

/**
 * A checkpoint each 16 MB: one page of a busy queue is written by many commits and goes to the file
 * once. SQLite's own default is 1,000.
 */
const checkpointPages = 4_000;

/**
 * Settings of a connection the stores opened. Each may meet the lock of a process that is turning
 * the file over to WAL right now.
 */
function configure(database: SqliteDatabase, options: SqliteStoresOptions): void {
  database.exec(`PRAGMA busy_timeout = ${busyBlockMs}; PRAGMA foreign_keys = ON;`);
  database.exec(`PRAGMA synchronous = ${options.synchronous === 'normal' ? 'NORMAL' : 'FULL'};`);
  if (options.file !== ':memory:')
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = ${checkpointPages};`);
}

/**
 * Resolves once the connection is set up and the schema current; asks again after a failure, so
 * that a migrated file is taken up.
 */
function readiness(prepare: () => Promise<void>): () => Promise<void> {
  let ready: Promise<void> | undefined;
  return () => {
    ready ??= prepare().catch((error: unknown) => {
      ready = undefined;
      throw sqliteError(error);
    });
    return ready;
  };
}

/** A check that passes for good once it passed on a handle. */
function onceOn(check: (tx: SqliteTx) => void): (tx: SqliteTx) => void {
  const passed = new WeakSet<SqliteTx>();
  return (tx) => {
    if (passed.has(tx)) return;
    check(tx);
    passed.add(tx);
  };
}

function openGate(
  options: SqliteStoresOptions,
  database: SqliteDatabase,
  host: () => HostInstant,
  steps: readonly MigrationStep[],
): { gate: SqliteGate; configured(): Promise<void> } {
  const busyTimeoutMs = options.busyTimeoutMs ?? 5000;
  const owned = options.database === undefined;
  const configured = readiness(async () => {
    if (owned) await untilFree(busyTimeoutMs, () => configure(database, options));
  });
  const ready = readiness(async () => {
    await configured();
    if (
      options.migrate === 'auto' &&
      (await untilFree(busyTimeoutMs, () => planMigrations(database, steps))).length > 0
    ) {
      await gate.exclusive((handle) => applyMigrations(handle, steps));
    }
    await untilFree(busyTimeoutMs, () => requireCurrentSchema(database, steps));
  });
  const gate = createSqliteGate({
    database,
    owned,
    busyTimeoutMs,
    host,
    ready,
    checkSchema: onceOn((tx) => requireCurrentSchema(tx, steps)),
  });
  return { gate, configured };
}

/** `createSqliteStores` with the test options of this package. */
export function createStoresOnSqlite(options: SqliteStoresOptions, test: SqliteTestOptions = {}): Stores<SqliteTx> {
  checkStoresOptions(options);
  const database = options.database ?? openSqlite(options.file ?? ':memory:');
  const modules = selectModules('createSqliteStores', options.modules);
  const steps = selectSteps(migrationSteps, modules);
  const { gate, configured } = openGate(options, database, hostOf(test), steps);
  const facet: SqliteFacet = {
    storeId: storeIdOf(options.file, database),
    hasMails: modules.includes('notify'),
    modules,
    gate,
    rowId: createRowIds(),
  };
  const wakeUps = createWakeUps();
  return checkedStores({
    contract: 1,
    storeId: facet.storeId,
    modules,
    jobs: createSqliteJobStore(facet, wakeUps),
    deadLetters: createSqliteDeadLetterStore(facet, wakeUps),
    changes: createSqliteChangeStore(facet),
    outbox: createSqliteNotifyOutbox(facet),
    messages: createSqliteMessageStore(facet),
    preferences: createSqlitePreferenceStore(facet),
    audit: createSqliteAuditStore(facet),
    auditSeals: createSqliteAuditSealStore(facet),
    artifactManifest: createSqliteArtifactManifest(facet),
    egress: createSqliteEgressLog(facet),
    cursors: createSqliteCursorStore(facet),
    documents: createSqliteDocumentStore(facet),
    samples: createSqliteSampleStore(facet),
    suppressions: createSqliteSuppressionStore(facet),
    limits: createSqliteLimitStore(facet),
    retention: createSqliteRetentionStore(facet),
    async transaction(work) {
      const value = await gate.transaction(work);
      wakeUps.wake(); // it may have enqueued
      return value;
    },
    now: () => gate.read(undefined, (session) => new Date(session.nowMs)),
    async migrationPlan() {
      // With auto nothing is missing once a call was made, and this is one.
      if (options.migrate === 'auto') return gate.transaction(async (handle) => planMigrations(handle, steps));
      await configured();
      return gate.exclusive((handle) => planMigrations(handle, steps));
    },
    async migrate() {
      await configured();
      return gate.exclusive((handle) => applyMigrations(handle, steps));
    },
    close: () => gate.close(),
  });
}

/**
 * All stores on one SQLite file, for one host: several processes may share the file. Throws
 * `TypeError` for wrong options, `SQLITE_DRIVER_MISSING` without a driver and `SQLITE_CANTOPEN` for
 * a file that cannot be opened.
 */
export function createSqliteStores(options: SqliteStoresOptions): Stores<SqliteTx> {
  return createStoresOnSqlite(options);
}
