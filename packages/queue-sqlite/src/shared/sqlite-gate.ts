import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CriticizerError } from '@criticizer/core/ports';
import { untilFree } from './busy-wait.js';
import { type HostInstant, readClock, tickClock, tickLockedClock } from './sqlite-clock.js';
import type { SqliteDatabase, SqliteTx } from './sqlite-database.js';
import { sqliteError } from './sqlite-errors.js';
import { createSession, type SqliteSession, savepoint } from './sqlite-session.js';

/**
 * The one way to the connection. SQLite has one writer, so the gate queues what writes and commits
 * calls that wait together in one transaction: one fsync for many calls. Where one of them throws,
 * all are run again, each under a savepoint of its own.
 */
export interface SqliteGate {
  /** A single read; on the caller's handle when `tx` is given. */
  read<T>(tx: SqliteTx | undefined, body: (session: SqliteSession) => T): Promise<T>;
  /**
   * All of `body`'s writes or none; part of the caller's transaction when `tx` is given, else
   * durable when the promise resolves.
   */
  write<T>(tx: SqliteTx | undefined, body: (session: SqliteSession) => T): Promise<T>;
  /** Nothing else runs on the connection until `work` has ended. */
  transaction<T>(work: (tx: SqliteTx) => Promise<T>): Promise<T>;
  /** Like `transaction`, but does not ask for a current schema. */
  exclusive<T>(work: (handle: SqliteDatabase) => T | Promise<T>): Promise<T>;
  /** Waits for what is queued, then closes the connection where the store opened it. */
  close(): Promise<void>;
}

export interface SqliteGateOptions {
  database: SqliteDatabase;
  /** True closes `database` with the gate. */
  owned: boolean;
  busyTimeoutMs: number;
  host(): HostInstant;
  /** Resolves once the connection is set up and the schema is current. */
  ready(): Promise<void>;
  /** Throws where the schema that this handle sees is not current. */
  checkSchema(tx: SqliteTx): void;
}

interface Write {
  /** May run twice; what the first run wrote is undone before the second. */
  body(session: SqliteSession): unknown;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}
type Queued = { write: Write } | { alone: () => Promise<void> };

const mostTogether = 256;

/** Runs the bodies and gives what to answer once all of it is committed. */
type RunWrites = (writes: readonly Write[], session: SqliteSession) => readonly (() => void)[];

/** What one body throws is thrown. */
const runTogether: RunWrites = (writes, session) =>
  writes.map(({ body, resolve }) => {
    const value = body(session);
    return () => resolve(value);
  });

/** What one body throws undoes that body alone. */
const runApart: RunWrites = (writes, session) =>
  writes.map(({ body, resolve, reject }) => {
    let own: unknown;
    try {
      const value = session.savepoint(() => {
        try {
          return body(session);
        } catch (error) {
          own = error;
          throw error;
        }
      });
      return () => resolve(value);
    } catch (error) {
      // The savepoint is gone: SQLite has rolled back all of it, as it does on a full disk.
      if (error !== own) throw error;
      return () => reject(sqliteError(error));
    }
  });

// long: the ways into the file, each short, over one connection
export function createSqliteGate(options: SqliteGateOptions): SqliteGate {
  const { database, host } = options;
  const queue: Queued[] = [];
  const insideTransaction = new AsyncLocalStorage<{ open: boolean }>();
  let pumping: Promise<void> | undefined;
  let busyAlone: Promise<void> | undefined;
  let closed = false;

  function begin(): Promise<unknown> {
    return untilFree(options.busyTimeoutMs, () => database.exec('BEGIN IMMEDIATE'));
  }

  function rollback(): void {
    try {
      database.exec('ROLLBACK');
    } catch {
      // SQLite has already rolled back by itself, as it does on a full disk.
    }
  }

  async function commit(writes: readonly Write[], run: RunWrites): Promise<void> {
    try {
      await begin();
    } catch (error) {
      for (const write of writes) write.reject(sqliteError(error));
      return;
    }
    let isRunning = true;
    try {
      const answers = run(writes, createSession(database, tickLockedClock(database, host())));
      isRunning = false;
      database.exec('COMMIT');
      for (const answer of answers) answer();
    } catch (error) {
      rollback();
      if (isRunning && run === runTogether && writes.length > 1) return commit(writes, runApart);
      for (const write of writes) write.reject(sqliteError(error));
    }
  }

  async function pump(): Promise<void> {
    await nextTurn(); // what anybody starts in this turn of the event loop goes into the same commit
    for (let head = queue.shift(); head !== undefined; head = queue.shift()) {
      if ('alone' in head) {
        busyAlone = head.alone();
        await busyAlone;
        busyAlone = undefined;
        continue;
      }
      const together = [head.write];
      for (
        let next = queue[0];
        together.length < mostTogether && next !== undefined && 'write' in next;
        next = queue[0]
      ) {
        together.push(next.write);
        queue.shift();
      }
      await commit(together, runTogether);
    }
    pumping = undefined;
  }

  function enter(item: Queued): void {
    queue.push(item);
    pumping ??= insideTransaction.run({ open: false }, pump);
  }

  function refuseClosed(): void {
    if (closed) throw new CriticizerError('STORE_CLOSED', 'The stores are closed.', { category: 'bug' });
  }

  function refuseInside(): void {
    if (insideTransaction.getStore()?.open !== true) return;
    throw new CriticizerError(
      'TRANSACTION_BYPASSED',
      'Inside transaction(): pass its tx. A second write would wait for the first for ever.',
      {
        category: 'bug',
      },
    );
  }

  /** Runs `work` inside one transaction while everything else waits. */
  function alone<T>(work: (handle: SqliteDatabase) => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = async (): Promise<void> => {
        const scope = { open: true };
        try {
          await begin();
        } catch (error) {
          reject(sqliteError(error)); // nothing begun, so nothing to roll back: the open transaction may be the host's
          return;
        }
        try {
          const value = await insideTransaction.run(scope, async () => work(database));
          database.exec('COMMIT');
          resolve(value);
        } catch (error) {
          rollback();
          reject(sqliteError(error));
        } finally {
          scope.open = false;
        }
      };
      enter({ alone: run });
    });
  }

  function onTx<T>(tx: SqliteTx, now: () => number, body: (session: SqliteSession) => T): T {
    options.checkSchema(tx);
    return savepoint(tx, () => body(createSession(tx, now())));
  }

  async function mapped<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      refuseClosed();
      return await work();
    } catch (error) {
      throw sqliteError(error);
    }
  }

  return {
    read: (tx, body) =>
      mapped(async () => {
        if (tx !== undefined) return onTx(tx, () => readClock(tx, host()), body);
        // Inside transaction() a read without its tx runs on the same connection at once: waiting would never end.
        const inside = insideTransaction.getStore()?.open === true;
        if (!inside) await options.ready();
        // Readers do not wait for the writer, but for a process that opens the file first or closes it last.
        return untilFree(options.busyTimeoutMs, async () => {
          while (!inside && busyAlone !== undefined) await busyAlone;
          return body(createSession(database, readClock(database, host())));
        });
      }),
    write: (tx, body) =>
      mapped(async () => {
        if (tx !== undefined) return onTx(tx, () => tickClock(tx, host), body);
        refuseInside();
        await options.ready();
        return new Promise((resolve, reject) => {
          enter({ write: { body, resolve: (value) => resolve(value as ReturnType<typeof body>), reject } });
        });
      }),
    transaction: (work) =>
      mapped(async () => {
        refuseInside();
        await options.ready();
        return alone(work);
      }),
    exclusive: (work) =>
      mapped(() => {
        refuseInside();
        return alone(work);
      }),
    async close() {
      if (closed) return;
      closed = true;
      await pumping;
      if (options.owned) database.close?.();
    },
  };
}
