import { setTimeout as delay } from 'node:timers/promises';
import { CriticizerError, type Logger } from '@criticizer/core/ports';
import { type HeldClient, leavesConnectionFit, onPool, statementDeadlineMs, takeClient } from './pg-client.js';
import type { PgPool, PgPreparing, PgQueryable, PgTx } from './pg-database.js';
import { isOutage, isRepeatable, outageFacts, pgError } from './pg-errors.js';
import { createHeartbeatClient } from './pg-reserved.js';
import { createPreparedSession, createSession, type PgDialect, type PgSession } from './pg-session.js';

/** The way to the database: on the caller's transaction when there is one, else on the pool. */
export interface PgGate {
  /** For a call of one statement: it commits by itself. */
  single<T>(tx: PgTx | undefined, body: (session: PgSession) => Promise<T>, options?: CallOptions): Promise<T>;
  /**
   * For one statement that renews leases of `leaseMs`: on the client that is kept for it, see
   * `keepHeartbeatClient`.
   */
  heartbeat<T>(leaseMs: number, body: (session: PgSession) => Promise<T>): Promise<T>;
  /** Keeps a client of the pool for heartbeats until the function given is called, where the pool can spare one. */
  keepHeartbeatClient(): Promise<() => Promise<void>>;
  /**
   * For a call of several: one transaction, repeated when the database rolled it back for another's
   * sake; a savepoint of the caller's.
   */
  together<T>(tx: PgTx | undefined, body: (session: PgSession) => Promise<T>, options?: TogetherOptions): Promise<T>;
  /**
   * Runs `work` again while the connection fails, some seconds in all and never beyond `withinMs`.
   * Whether a lost connection had committed is not known: from the second run on `again` is true,
   * and `work` reads back what the first may have done.
   */
  surviving<T>(work: (again: boolean) => Promise<T>, withinMs?: number): Promise<T>;
  /** The host's own work in one transaction, never repeated. A statement of it may take 15 minutes. */
  transaction<T>(work: (tx: PgTx) => Promise<T>): Promise<T>;
  /** One transaction without asking for a current schema. */
  unchecked<T>(body: (queryable: PgQueryable) => Promise<T>): Promise<T>;
  /** See `PgDialect.planFor`. */
  planFor(pages: number): void;
  close(): Promise<void>;
}

export interface CallOptions {
  /**
   * The leases that the call is made under: it must not outlast them, so a statement may take a
   * quarter of them, at least a second.
   */
  leaseMs?: number | undefined;
}

export interface TogetherOptions extends CallOptions {
  /**
   * True commits without waiting for the disk, by a transaction-local setting: for claims,
   * heartbeats and sweeps. One lost in a crash of the database only requeues a job, and the fence
   * refuses its owner.
   */
  soft?: boolean | undefined;
}

/** A predicate that makes a single statement's commit soft; see `TogetherOptions.soft`. */
export const softly = `(SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL`;

export interface PgGateOptions {
  pool: PgPool;
  dialect: PgDialect;
  /** True keeps the stores' statements prepared on the pool's connections. */
  preparedStatements: boolean;
  /** The longest that one statement of the stores, or the wait for a connection, may take. */
  deadlineMs: number;
  logger: Logger;
  /** Resolves when the schema is current; asks on the caller's handle when there is one. */
  ready(tx: PgTx | undefined): Promise<void>;
}

const mostRuns = 4;
/**
 * Pauses before the runs after the first of a call that survives an outage: 12.7 s, longer than a
 * server takes to restart.
 */
const outagePausesMs = [100, 200, 400, 800, 1600, 3200, 6400];
// READ COMMITTED whatever the role's default: each statement must see what others committed before
// it. Rows are found by their ids, one by one: a hash of all that runs reads every entry that an
// old snapshot keeps in that index.
const readCommitted =
  'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off';

/**
 * Of statements that may rightly take long: the host's own, and a migration's, which may build an
 * index or wait for another process that migrates.
 */
const longDeadlineMs = 15 * 60_000;

// long: the ways into the database, each short, over one pool
export function createPgGate({ pool, dialect, preparedStatements, deadlineMs, logger, ready }: PgGateOptions): PgGate {
  let closed = false;
  const heartbeats = createHeartbeatClient(pool, deadlineMs);
  const deadlineFor = (options?: CallOptions): number =>
    options?.leaseMs === undefined ? deadlineMs : statementDeadlineMs(options.leaseMs, deadlineMs);
  const sessionOn = (connection: PgPreparing): PgSession =>
    preparedStatements ? createPreparedSession(connection, dialect) : createSession(connection, dialect);

  function refuseClosed(): void {
    if (closed) throw new CriticizerError('STORE_CLOSED', 'The stores are closed.', { category: 'bug' });
  }

  /**
   * A client whose transaction could not be ended, or that gave no answer, is destroyed, never
   * given back to the pool.
   */
  async function rollBack(held: HeldClient, ms: number, error: unknown): Promise<void> {
    if (!leavesConnectionFit(error)) return held.giveBack(false);
    const isEnded = await held
      .bounded(ms)
      .query('ROLLBACK')
      .then(
        () => true,
        () => false,
      );
    held.giveBack(isEnded);
  }

  /**
   * One transaction on one client; `ms` bounds each statement of it, and of `body` those that it
   * runs on the bounded connection.
   */
  async function onClient<T>(begin: string, ms: number, body: (connection: PgPreparing) => Promise<T>): Promise<T> {
    const held = await takeClient(pool, Math.min(ms, deadlineMs));
    const connection = held.bounded(ms);
    let value: T;
    try {
      await connection.query(begin);
      value = await body(connection);
      await connection.query('COMMIT');
    } catch (error) {
      await rollBack(held, ms, error);
      throw error;
    }
    held.giveBack(true);
    return value;
  }

  /**
   * What several statements did in the caller's transaction goes when one of them fails; the rest
   * of that transaction stays usable.
   */
  async function underSavepoint<T>(tx: PgTx, work: () => Promise<T>): Promise<T> {
    await tx.query('SAVEPOINT criticizer');
    let value: T;
    try {
      value = await work();
    } catch (error) {
      // Where this fails too the connection is gone, and the first error tells why.
      await tx.query('ROLLBACK TO SAVEPOINT criticizer; RELEASE SAVEPOINT criticizer').catch(() => undefined);
      throw error;
    }
    await tx.query('RELEASE SAVEPOINT criticizer');
    return value;
  }

  async function repeated<T>(run: () => Promise<T>): Promise<T> {
    for (let n = 1; ; n++) {
      try {
        return await run();
      } catch (error) {
        if (n >= mostRuns || !isRepeatable(error)) throw error;
      }
    }
  }

  async function mapped<T>(work: () => Promise<T>): Promise<T> {
    try {
      refuseClosed();
      return await work();
    } catch (error) {
      throw pgError(error);
    }
  }

  return {
    single: (tx, body, options) =>
      mapped(async () => {
        await ready(tx);
        if (tx !== undefined) return body(createSession(tx, dialect));
        return repeated(() => onPool(pool, deadlineFor(options), (connection) => body(sessionOn(connection))));
      }),
    heartbeat: (leaseMs, body) =>
      mapped(async () => {
        await ready(undefined);
        return repeated(() => heartbeats.run(deadlineFor({ leaseMs }), (connection) => body(sessionOn(connection))));
      }),
    keepHeartbeatClient: () => heartbeats.hold(),
    together: (tx, body, options) =>
      mapped(async () => {
        await ready(tx);
        if (tx !== undefined) return underSavepoint(tx, () => body(createSession(tx, dialect)));
        const begin = options?.soft === true ? `${readCommitted}; SET LOCAL synchronous_commit = off` : readCommitted;
        return repeated(() => onClient(begin, deadlineFor(options), (connection) => body(sessionOn(connection))));
      }),
    async surviving(work, withinMs = Number.POSITIVE_INFINITY) {
      const startedMs = performance.now();
      for (let n = 0; ; n++) {
        try {
          return await work(n > 0);
        } catch (error) {
          const pauseMs = outagePausesMs[n];
          if (pauseMs === undefined || closed || !isOutage(error)) throw error;
          if (performance.now() - startedMs + pauseMs >= withinMs) throw error;
          logger.warn(
            { event: 'pg.connection_failed', ...outageFacts(error) },
            'a connection to PostgreSQL failed; the call is tried again on another',
          );
          await delay(pauseMs);
        }
      }
    },
    transaction: (work) =>
      mapped(async () => {
        await ready(undefined);
        return onClient('BEGIN', longDeadlineMs, work);
      }),
    planFor: (pages) => dialect.planFor(pages),
    unchecked: (body) => mapped(() => onClient(readCommitted, longDeadlineMs, body)),
    async close() {
      closed = true;
    },
  };
}
