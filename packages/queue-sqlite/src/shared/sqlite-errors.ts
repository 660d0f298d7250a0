import { type FailureRow, sqliteRow } from '@criticizer/core/internal';
import { CriticizerError, type FailureClassifier } from '@criticizer/core/ports';

interface NativeError extends Error {
  code?: unknown;
  /** node:sqlite and its drop-in: the extended result code. */
  errcode?: unknown;
}

function isNative(error: unknown): error is NativeError {
  if (!(error instanceof Error)) return false;
  const { code } = error as NativeError;
  return (
    code === 'ERR_SQLITE_ERROR' ||
    (typeof code === 'string' && code.startsWith('SQLITE_') && error.name === 'SqliteError')
  );
}

function resultRow(error: NativeError): FailureRow {
  // better-sqlite3 tells the extended code by its name: SQLITE_BUSY_SNAPSHOT.
  const row = sqliteRow(typeof error.errcode === 'number' ? error.errcode : String(error.code));
  return row ?? { code: 'SQLITE_ERROR', category: 'bug' };
}

/**
 * A driver's error as a `CriticizerError` with a code such as `SQLITE_BUSY`; anything else as it
 * is. SQLite's messages name tables and columns, never values.
 */
export function sqliteError(error: unknown): unknown {
  if (!isNative(error)) return error;
  const { code, category } = resultRow(error);
  return new CriticizerError(code, `SQLite: ${error.message}`, { category, cause: error });
}

/** True where another connection, or another user of this one, holds the write lock: waiting cures it. */
export function isBusy(error: unknown): boolean {
  if (!isNative(error)) return false;
  const { code } = resultRow(error);
  return code === 'SQLITE_BUSY' || code === 'SQLITE_LOCKED' || /within a transaction/.test(error.message);
}

/** What a statement must have given and did not: a bug here, or a schema that somebody changed. */
export function storeInvariant(message: string): CriticizerError {
  return new CriticizerError('STORE_INVARIANT', message, { category: 'bug' });
}

/**
 * Rows of the failure table for raw errors of node:sqlite and better-sqlite3, for `classify` of a
 * worker or your own code: all that the built-in table knows, `SQLITE_ERROR` (bug) for a result
 * code without a row of its own. Undefined for anything else.
 */
export const classifySqliteFailure: FailureClassifier = (cause) => (isNative(cause) ? resultRow(cause) : undefined);
