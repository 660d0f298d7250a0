import type { SqliteStatement, SqliteTx, SqliteValue } from './sqlite-database.js';

/** Synchronous statements inside one open transaction, or a single read. */
export interface SqliteSession {
  /** The store's clock, one instant for the whole transaction. */
  readonly nowMs: number;
  /** Gives the number of changed rows. */
  run(sql: string, ...values: SqliteValue[]): number;
  all<Row>(sql: string, ...values: SqliteValue[]): Row[];
  first<Row>(sql: string, ...values: SqliteValue[]): Row | undefined;
  /** Undoes what `body` wrote when it throws, and rethrows. */
  savepoint<T>(body: () => T): T;
}

const prepared = new WeakMap<SqliteTx, Map<string, SqliteStatement>>();

/** The statement of this text on this handle, prepared once. The texts are the stores' own, so the set is small. */
function statement(handle: SqliteTx, sql: string): SqliteStatement {
  let known = prepared.get(handle);
  if (known === undefined) {
    known = new Map();
    prepared.set(handle, known);
  }
  let found = known.get(sql);
  if (found === undefined) {
    found = handle.prepare(sql);
    known.set(sql, found);
  }
  return found;
}

/** Runs `body` under a savepoint: its writes stay when it returns and are undone when it throws. */
export function savepoint<T>(handle: SqliteTx, body: () => T): T {
  handle.exec('SAVEPOINT criticizer');
  let value: T;
  try {
    value = body();
  } catch (error) {
    handle.exec('ROLLBACK TO criticizer');
    handle.exec('RELEASE criticizer');
    throw error;
  }
  handle.exec('RELEASE criticizer');
  return value;
}

/** A session on a handle. `nowMs` is what the store's clock said. */
export function createSession(handle: SqliteTx, nowMs: number): SqliteSession {
  return {
    nowMs,
    run: (sql, ...values) => Number(statement(handle, sql).run(...values).changes),
    all: <Row>(sql: string, ...values: SqliteValue[]) => statement(handle, sql).all(...values) as Row[],
    first: <Row>(sql: string, ...values: SqliteValue[]) => statement(handle, sql).all(...values)[0] as Row | undefined,
    savepoint: (body) => savepoint(handle, body),
  };
}
