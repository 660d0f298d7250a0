import { setTimeout as delay } from 'node:timers/promises';
import { CriticizerError } from '@criticizer/core';
import type { PgClient, PgPool, PgPreparing, PgQueryable, PgTx } from './pg-database.js';
import { isOutage, isRepeatable, pgError } from './pg-errors.js';
import { createPreparedSession, createSession, type PgDialect, type PgSession } from './pg-session.js';

/** The way to the database: on the caller's transaction when there is one, else on the pool. */
export interface PgGate {
  /** For a call of one statement: it commits by itself. */
  single<T>(tx: PgTx | undefined, body: (session: PgSession) => Promise<T>): Promise<T>;
  /** For a call of several: one transaction, repeated when the database rolled it back for another's sake; a savepoint of the caller's. */
  together<T>(tx: PgTx | undefined, body: (session: PgSession) => Promise<T>, options?: TogetherOptions): Promise<T>;
  /**
   * Runs `work` again while the connection fails, some seconds in all. Whether a lost connection had committed is not known: from the second
   * run on `again` is true, and `work` reads back what the first may have done.
   */
  surviving<T>(work: (again: boolean) => Promise<T>): Promise<T>;
  /** The host's own work in one transaction, never repeated. */
  transaction<T>(work: (tx: PgTx) => Promise<T>): Promise<T>;
  /** One transaction without asking for a current schema. */
  unchecked<T>(body: (queryable: PgQueryable) => Promise<T>): Promise<T>;
  /** See `PgDialect.planFor`. */
  planFor(pages: number): void;
  close(): Promise<void>;
}

export interface TogetherOptions {
  /**
   * True commits without waiting for the disk, by a transaction-local setting: for claims, heartbeats and sweeps. One lost in a crash of the
   * database only requeues a job, and the fence refuses its owner.
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
  /** Resolves when the schema is current; asks on the caller's handle when there is one. */
  ready(tx: PgTx | undefined): Promise<void>;
}

const mostRuns = 4;
/** Pauses before the runs after the first of a call that survives an outage: 12.7 s, longer than a server takes to restart. */
const outagePausesMs = [100, 200, 400, 800, 1600, 3200, 6400];
// READ COMMITTED whatever the role's default: each statement must see what others committed before it. Rows are found by their ids, one by one:
// a hash of all that runs reads every entry that an old snapshot keeps in that index.
const readCommitted =
  'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off';

export function createPgGate({ pool, dialect, preparedStatements, ready }: PgGateOptions): PgGate {
  let closed = false;
  const sessionOn = (connection: PgPreparing): PgSession =>
    preparedStatements ? createPreparedSession(connection, dialect) : createSession(connection, dialect);

  function refuseClosed(): void {
    if (closed) throw new CriticizerError('STORE_CLOSED', 'The stores are closed.', { category: 'bug' });
  }

  /** One transaction on one client. A client whose transaction could not be ended is thrown away, never given back to the pool. */
  async function onClient<T>(begin: string, body: (client: PgClient) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let broken: Error | undefined;
    // A client without a listener ends the process when its connection breaks while it is checked out.
    const onError = (error: Error): void => {
      broken = error;
    };
    client.on('error', onError);
    try {
      await client.query(begin);
      const value = await body(client);
      await client.query('COMMIT');
      return value;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken ??= failure;
      });
      throw error;
    } finally {
      client.removeListener('error', onError);
      client.release(broken);
    }
  }

  /** What several statements did in the caller's transaction goes when one of them fails; the rest of that transaction stays usable. */
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
    single: (tx, body) =>
      mapped(async () => {
        await ready(tx);
        return tx === undefined ? repeated(() => body(sessionOn(pool))) : body(createSession(tx, dialect));
      }),
    together: (tx, body, options) =>
      mapped(async () => {
        await ready(tx);
        if (tx !== undefined) return underSavepoint(tx, () => body(createSession(tx, dialect)));
        const begin = options?.soft === true ? `${readCommitted}; SET LOCAL synchronous_commit = off` : readCommitted;
        return repeated(() => onClient(begin, (client) => body(sessionOn(client))));
      }),
    async surviving(work) {
      for (let n = 0; ; n++) {
        try {
          return await work(n > 0);
        } catch (error) {
          const pauseMs = outagePausesMs[n];
          if (pauseMs === undefined || closed || !isOutage(error)) throw error;
          await delay(pauseMs);
        }
      }
    },
    transaction: (work) =>
      mapped(async () => {
        await ready(undefined);
        return onClient('BEGIN', (client) => work(client));
      }),
    planFor: (pages) => dialect.planFor(pages),
    unchecked: (body) => mapped(() => onClient(readCommitted, body)),
    async close() {
      closed = true;
    },
  };
}
