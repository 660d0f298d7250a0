import { CriticizerError, type FailureCategory } from '@criticizer/core';

interface NativeError extends Error {
  code?: unknown;
  /** node:sqlite and its drop-in: the extended result code. */
  errcode?: unknown;
}

/** Primary result codes of SQLite by number, as far as policy differs. */
const primary: Readonly<Record<number, { name: string; category: FailureCategory }>> = {
  3: { name: 'SQLITE_PERM', category: 'auth' },
  5: { name: 'SQLITE_BUSY', category: 'conflict' },
  6: { name: 'SQLITE_LOCKED', category: 'conflict' },
  8: { name: 'SQLITE_READONLY', category: 'auth' },
  10: { name: 'SQLITE_IOERR', category: 'upstream' },
  11: { name: 'SQLITE_CORRUPT', category: 'bug' },
  13: { name: 'SQLITE_FULL', category: 'upstream' },
  14: { name: 'SQLITE_CANTOPEN', category: 'auth' },
  19: { name: 'SQLITE_CONSTRAINT', category: 'conflict' },
  26: { name: 'SQLITE_NOTADB', category: 'bug' },
};

function isNative(error: unknown): error is NativeError {
  if (!(error instanceof Error)) return false;
  const { code } = error as NativeError;
  return code === 'ERR_SQLITE_ERROR' || (typeof code === 'string' && code.startsWith('SQLITE_') && error.name === 'SqliteError');
}

function resultCode(error: NativeError): { name: string; category: FailureCategory } {
  if (typeof error.errcode === 'number') return primary[error.errcode & 0xff] ?? { name: 'SQLITE_ERROR', category: 'bug' };
  const known = Object.values(primary).find(({ name }) => String(error.code).startsWith(name)); // better-sqlite3: SQLITE_BUSY_SNAPSHOT
  return known ?? { name: 'SQLITE_ERROR', category: 'bug' };
}

/** A driver's error as a `CriticizerError` with a code such as `SQLITE_BUSY`; anything else as it is. SQLite's messages name tables and columns, never values. */
export function sqliteError(error: unknown): unknown {
  if (!isNative(error)) return error;
  const { name, category } = resultCode(error);
  return new CriticizerError(name, `SQLite: ${error.message}`, { category, cause: error });
}

/** True where another connection, or another user of this one, holds the write lock: waiting cures it. */
export function isBusy(error: unknown): boolean {
  if (!isNative(error)) return false;
  const { name } = resultCode(error);
  return name === 'SQLITE_BUSY' || name === 'SQLITE_LOCKED' || /within a transaction/.test(error.message);
}

/** What a statement must have given and did not: a bug here, or a schema that somebody changed. */
export function storeInvariant(message: string): CriticizerError {
  return new CriticizerError('STORE_INVARIANT', message, { category: 'bug' });
}
