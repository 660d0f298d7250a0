import type { SqliteStatement, SqliteTx, SqliteValue } from './sqlite-database.js';

/** Synchronous statements inside one open transaction, or a single read. */
export interface SqliteSession {
  /** The store's clock, one instant for the whole transaction. */
  readonly nowMs: number;
  /** Gives the number of changed rows. */
  run(sql: string, ...values: SqliteValue[]): number;
  all<Row>(sql: string, ...values: SqliteValue[]): Row[];
  first<Row>(sql: string, ...values: SqliteValue[]): Row | undefined;
  /** Each row as the array of its columns. A text that is asked this way is asked no other way. */
  rows<Row extends readonly SqliteValue[]>(sql: string, ...values: SqliteValue[]): Row[];
  /** Undoes what `body` wrote when it throws, and rethrows. */
  savepoint<T>(body: () => T): T;
}

const prepared = new WeakMap<SqliteTx, Map<string, SqliteStatement>>();

/**
 * Gives the statement of a text on this handle, prepared once. The texts are the stores' own, so
 * the set is small. A bound limit stands in them as `LIMIT ? + 0`: SQLite from 3.47 on plans a
 * statement with `LIMIT ?` anew each time a value is bound, which costs ten times its run.
 */
function statementsOf(handle: SqliteTx): (sql: string) => SqliteStatement {
  const known = prepared.get(handle) ?? new Map<string, SqliteStatement>();
  prepared.set(handle, known);
  return (sql) => {
    let found = known.get(sql);
    if (found === undefined) {
      found = handle.prepare(sql);
      known.set(sql, found);
    }
    return found;
  };
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

function rowsOf(statement: SqliteStatement, values: readonly SqliteValue[]): unknown[] {
  statement.setReturnArrays?.(true);
  return statement.all(...values).map((row) => (Array.isArray(row) ? row : Object.values(row as object)));
}

/** A session on a handle. `nowMs` is what the store's clock said. */
export function createSession(handle: SqliteTx, nowMs: number): SqliteSession {
  const statement = statementsOf(handle);
  return {
    nowMs,
    run: (sql, ...values) => Number(statement(sql).run(...values).changes),
    all: <Row>(sql: string, ...values: SqliteValue[]) => statement(sql).all(...values) as Row[],
    first: <Row>(sql: string, ...values: SqliteValue[]) => statement(sql).all(...values)[0] as Row | undefined,
    rows: <Row extends readonly SqliteValue[]>(sql: string, ...values: SqliteValue[]) =>
      rowsOf(statement(sql), values) as Row[],
    savepoint: (body) => savepoint(handle, body),
  };
}
