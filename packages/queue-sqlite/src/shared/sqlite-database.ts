import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { CriticizerError } from '@criticizer/core/ports';
import { sqliteError } from './sqlite-errors.js';

/** What the stores bind: no booleans, no bigint, so that every driver takes it. */
export type SqliteValue = string | number | null;

/** By shape, so that public types need no driver's: node:sqlite, its drop-in and better-sqlite3 fit. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): { changes: number | bigint };
  all(...values: SqliteValue[]): unknown[];
  /** Rows as arrays from now on, which are made faster than objects. Not every driver has it. */
  setReturnArrays?(enabled: boolean): void;
}

/**
 * A handle on which the caller has already begun a transaction; `BEGIN IMMEDIATE` spares it
 * `SQLITE_BUSY` on its first write.
 */
export interface SqliteTx {
  prepare(sql: string): SqliteStatement;
  exec(sql: string): unknown;
}

/** An open database. The stores close it only when they opened it themselves. */
export interface SqliteDatabase extends SqliteTx {
  close?(): unknown;
}

interface SqliteDriver {
  DatabaseSync: new (file: string) => SqliteDatabase;
}

// __filename first: bundlers' stand-ins for import.meta.url in CJS ask for `document`, which Jest's jsdom has.
const requireHere = createRequire(typeof __filename === 'string' ? __filename : import.meta.url);

/**
 * node:sqlite where Node has it (22.13 on), else its drop-in from npm. Throws
 * `SQLITE_DRIVER_MISSING` when neither is there.
 */
function loadDriver(): SqliteDriver {
  const builtin: SqliteDriver | undefined = process.getBuiltinModule('node:sqlite');
  if (builtin !== undefined) return builtin;
  try {
    return requireHere('@photostructure/sqlite');
  } catch (cause) {
    throw new CriticizerError(
      'SQLITE_DRIVER_MISSING',
      'This Node has no node:sqlite: install @photostructure/sqlite, or pass `database`, or run Node 22.13 or later.',
      { category: 'bug', cause },
    );
  }
}

/** For its owner alone; SQLite gives `-wal` and `-shm` the mode of the file. */
const fileMode = 0o600;

function createFile(file: string): void {
  try {
    closeSync(openSync(file, 'ax', fileMode));
  } catch {
    // It is there, or cannot be: the driver says which.
  }
}

/**
 * Opens a file, creating it where it is missing, for its owner alone; the mode of one that is there
 * stays. Throws a `CriticizerError` where it cannot.
 */
export function openSqlite(file: string): SqliteDatabase {
  const driver = loadDriver();
  try {
    if (file !== ':memory:' && !file.startsWith('file:')) createFile(file);
    return new driver.DatabaseSync(file);
  } catch (error) {
    throw sqliteError(error);
  }
}
