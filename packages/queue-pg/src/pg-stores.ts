import { randomUUID } from 'node:crypto';
import {
  checkBoolean,
  checkedElsewhere,
  checkedStores,
  checkOptions,
  createIdTails,
  type Instant,
  type OptionShape,
  observerShape,
  oneOf,
  optional,
  selectModules,
  selectSteps,
  toDate,
  withMethods,
} from '@criticizer/core/internal';
import { type Logger, type MigrationStep, type StoreModule, type Stores, silentLogger } from '@criticizer/core/ports';
import { createPgArtifactManifest } from './artifacts/pg-artifact-manifest.js';
import { createPgAuditSealStore } from './audit/pg-audit-seal-store.js';
import { createPgAuditStore } from './audit/pg-audit-store.js';
import { createPgChangeStore } from './jobs/pg-change-store.js';
import { createPgDeadLetterStore } from './jobs/pg-dead-letter-store.js';
import { createPgJobStore } from './jobs/pg-job-store.js';
import { createPgLimitStore } from './jobs/pg-limit-store.js';
import { createPgRetentionStore } from './jobs/pg-retention-store.js';
import { applyMigrations, migrationSteps, planMigrations, requireCurrentSchema } from './migrations.js';
import { createPgMessageStore } from './outbox/pg-message-store.js';
import { createPgNotifyOutbox } from './outbox/pg-notify-outbox.js';
import { createPgPreferenceStore } from './outbox/pg-preference-store.js';
import { createPgCursorStore } from './review/pg-cursor-store.js';
import { createPgDocumentStore } from './review/pg-document-store.js';
import { createPgEgressLog } from './review/pg-egress-log.js';
import { createPgSampleStore } from './review/pg-sample-store.js';
import { createPgSuppressionStore } from './review/pg-suppression-store.js';
import { epochMs } from './shared/instants.js';
import { boundConnecting, onPool } from './shared/pg-client.js';
import type { PgPool, PgQueryable, PgTx } from './shared/pg-database.js';
import { storeInvariant } from './shared/pg-errors.js';
import { createPgGate, type PgGate } from './shared/pg-gate.js';
import { createDialect } from './shared/pg-session.js';
import { createPgWakeUps } from './shared/pg-wake-ups.js';

/** The pool, and how stores use the database behind it. */
export interface PostgresStoresOptions {
  /**
   * The host's pool, such as `pg.Pool`. Where it has no `error` listener of the host's for idle
   * clients it gets one; `close()` leaves it open.
   */
  pool: PgPool;
  /**
   * The schema that holds the tables: `^[a-z_][a-z0-9_]{0,62}$`, but none of PostgreSQL's own.
   * Default `criticizer`.
   */
  schema?: string | undefined;
  /**
   * `auto` applies missing migrations at the first call, `migrationPlan()` included, which then has
   * nothing left to say; `never` makes work fail with `SCHEMA_OLD`. Default `never`.
   */
  migrate?: 'auto' | 'never' | undefined;
  /**
   * The modules that this process uses: `queue` (jobs, dead letters, limits), `notify` (mails),
   * `artifacts`, `review` (egress log, cursors, documents, counts), `audit`. Only their tables are
   * planned, migrated and touched; verbs of another module's facet reject with `MODULE_ABSENT`.
   * Processes with different modules may share a schema. Default: all.
   */
  modules?: readonly StoreModule[] | undefined;
  /**
   * True (default) keeps the stores' statements prepared on each connection. Pass false where a
   * transaction pooler hands a connection to another client after each transaction.
   */
  preparedStatements?: boolean | undefined;
  /**
   * The pool that gives the one session that LISTENs while a worker of this process is subscribed,
   * so that work enqueued elsewhere starts at once instead of at the next poll. Default `pool`, of
   * which one client is held then; a pool of a single client is not asked. Behind a transaction
   * pooler pass a pool that connects directly, or false: then only this process's own enqueues wake
   * its workers. Enqueues in the caller's own transaction notify nobody; they are found by polling.
   */
  listen?: PgPool | false | undefined;
  /**
   * The longest, in milliseconds, that one statement of the stores or the wait for a connection may
   * take; 1,000 to 600,000, default 30,000. Then the call rejects with `PG_TIMEOUT`, or is tried
   * again where that is safe, and the connection is destroyed. Calls under a lease have a quarter
   * of it where that is shorter. Statements of `transaction` and of a migration have 15 minutes.
   */
  deadlineMs?: number | undefined;
  /**
   * Receives a warning for each call that is tried again after its connection failed, and when
   * LISTEN is lost and stands again. Default: none.
   */
  logger?: Logger | undefined;
}

/** For the tests of this package alone. */
export interface PostgresTestOptions {
  /** Stands in for the database's clock. */
  nowMs?(): number;
  /** Stands in for how often a session that listens is asked whether it still answers. */
  probeEveryMs?: number;
}

const defaultDeadlineMs = 30_000;

const optionShape: OptionShape<PostgresStoresOptions> = {
  pool: withMethods('query', 'connect'),
  schema: checkedElsewhere,
  migrate: optional(oneOf('auto', 'never')),
  modules: checkedElsewhere,
  preparedStatements: optional(checkBoolean),
  listen: checkedElsewhere,
  deadlineMs: checkedElsewhere,
  logger: observerShape.logger,
};

function checkStoresOptions(options: PostgresStoresOptions): void {
  checkOptions('createPostgresStores', options, optionShape);
  const { pool, schema = 'criticizer', listen = pool } = options;
  if (listen !== false && typeof listen?.connect !== 'function')
    throw new TypeError('createPostgresStores: listen: expected a pool or false');
  if (
    typeof schema !== 'string' ||
    !/^[a-z_][a-z0-9_]{0,62}$/.test(schema) ||
    /^(pg_|information_schema$)/.test(schema)
  ) {
    throw new TypeError("createPostgresStores: schema: expected ^[a-z_][a-z0-9_]{0,62}$, and none of PostgreSQL's own");
  }
  const { deadlineMs = defaultDeadlineMs } = options;
  if (typeof deadlineMs !== 'number' || !(deadlineMs >= 1_000 && deadlineMs <= 600_000))
    throw new TypeError('createPostgresStores: deadlineMs: expected milliseconds from 1000 to 600000');
}

const poolIds = new WeakMap<PgPool, string>();

/** The same for every store on one pool and schema: a pool does not tell which database it reaches. */
function storeIdOf(pool: PgPool, schema: string): string {
  const known = poolIds.get(pool) ?? randomUUID();
  poolIds.set(pool, known);
  return `postgres:${known}/${schema}`;
}

const nothing = (): void => undefined;

/**
 * An idle client that breaks ends the process where nobody listens. The pool has thrown it away by
 * then, and the next call takes another.
 */
function surviveIdleClients(pool: PgPool): void {
  if (pool.listenerCount?.('error') === 0) pool.on?.('error', nothing);
}

/** Asks for a current schema until it was found once. */
function readiness(
  options: PostgresStoresOptions,
  schema: string,
  steps: readonly MigrationStep[],
  gate: () => PgGate,
): (tx: PgTx | undefined) => Promise<void> {
  let current = false;
  let asking: Promise<void> | undefined;
  const prepare = async (): Promise<void> => {
    const { pool, deadlineMs = defaultDeadlineMs } = options;
    if (
      options.migrate === 'auto' &&
      (await onPool(pool, deadlineMs, (queryable) => planMigrations(queryable, schema, steps))).length > 0
    ) {
      await gate().unchecked((queryable) => applyMigrations(queryable, schema, steps));
    }
    await onPool(pool, deadlineMs, (queryable) => requireCurrentSchema(queryable, schema, steps));
    current = true;
  };
  return async (tx) => {
    if (current) return;
    // The caller's handle may hold the pool's last client: what it can see must do.
    if (tx !== undefined) return requireCurrentSchema(tx, schema, steps);
    asking ??= prepare().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

// long: every facet once, over one gate
/** `createPostgresStores` with the test options of this package. */
export function createStoresOnPostgres(options: PostgresStoresOptions, test: PostgresTestOptions = {}): Stores<PgTx> {
  checkStoresOptions(options);
  const { pool, schema = 'criticizer', deadlineMs = defaultDeadlineMs, logger = silentLogger } = options;
  for (const used of [pool, options.listen || pool]) {
    surviveIdleClients(used);
    boundConnecting(used, deadlineMs);
  }
  const dialect = createDialect(schema, test.nowMs);
  const modules = selectModules('createPostgresStores', options.modules);
  const steps = selectSteps(migrationSteps, modules);
  const ready = readiness(options, schema, steps, () => gate);
  const gate: PgGate = createPgGate({
    pool,
    dialect,
    preparedStatements: options.preparedStatements ?? true,
    deadlineMs,
    logger,
    ready,
  });
  const facet = {
    storeId: storeIdOf(pool, schema),
    hasMails: modules.includes('notify'),
    modules,
    gate,
    idTail: createIdTails(),
  };
  const wakeUps = createPgWakeUps(pool, schema, {
    listen: options.listen ?? pool,
    deadlineMs,
    probeEveryMs: test.probeEveryMs,
    logger,
  });
  return checkedStores({
    contract: 1,
    storeId: facet.storeId,
    modules,
    jobs: createPgJobStore(facet, wakeUps),
    deadLetters: createPgDeadLetterStore(facet, wakeUps),
    changes: createPgChangeStore(facet),
    outbox: createPgNotifyOutbox(facet),
    messages: createPgMessageStore(facet),
    preferences: createPgPreferenceStore(facet),
    audit: createPgAuditStore(facet),
    auditSeals: createPgAuditSealStore(facet),
    artifactManifest: createPgArtifactManifest(facet),
    egress: createPgEgressLog(facet),
    cursors: createPgCursorStore(facet),
    documents: createPgDocumentStore(facet),
    samples: createPgSampleStore(facet),
    suppressions: createPgSuppressionStore(facet),
    limits: createPgLimitStore(facet),
    retention: createPgRetentionStore(facet),
    async transaction(work) {
      const value = await gate.transaction(work);
      wakeUps.wake(); // it may have enqueued
      return value;
    },
    async now() {
      const row = await gate.single(undefined, (session) =>
        session.first<{ now_at: Instant }>(`SELECT ${epochMs('{now}')} AS now_at`),
      );
      if (row === undefined) throw storeInvariant('a SELECT without FROM gave no row');
      return toDate(row.now_at);
    },
    migrationPlan() {
      const plan = (queryable: PgQueryable) => planMigrations(queryable, schema, steps);
      // With auto nothing is missing once a call was made, and this is one.
      return options.migrate === 'auto' ? gate.transaction(plan) : gate.unchecked(plan);
    },
    migrate: () => gate.unchecked((queryable) => applyMigrations(queryable, schema, steps)),
    async close() {
      await wakeUps.close();
      await gate.close();
    },
  });
}

/**
 * All stores in one schema of a PostgreSQL 15 or later. Throws `TypeError` for wrong options;
 * connects at the first call.
 */
export function createPostgresStores(options: PostgresStoresOptions): Stores<PgTx> {
  return createStoresOnPostgres(options);
}
