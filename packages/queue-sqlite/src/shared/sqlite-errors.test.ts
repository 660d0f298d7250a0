import { describe, expect, it } from 'vitest';
import { classifySqliteFailure, isBusy, sqliteError } from './sqlite-errors.js';

const fromNode = (errcode: number, message = 'm') =>
  Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
const fromBetter = (code: string) => Object.assign(new Error('m'), { code, name: 'SqliteError' });

describe('sqliteError', () => {
  it('ERR-1: result codes of every driver map to codes and categories', () => {
    const expected: [Error, string, string][] = [
      [fromNode(5), 'SQLITE_BUSY', 'conflict'],
      [fromNode(517), 'SQLITE_BUSY', 'conflict'],
      [fromNode(1555), 'SQLITE_CONSTRAINT', 'conflict'],
      [fromNode(13), 'SQLITE_FULL', 'upstream'],
      [fromNode(8), 'SQLITE_READONLY', 'auth'],
      [fromNode(1), 'SQLITE_ERROR', 'bug'],
      [fromBetter('SQLITE_BUSY_SNAPSHOT'), 'SQLITE_BUSY', 'conflict'],
      [fromBetter('SQLITE_CONSTRAINT_UNIQUE'), 'SQLITE_CONSTRAINT', 'conflict'],
      [fromBetter('SQLITE_NOLFS'), 'SQLITE_ERROR', 'bug'],
    ];
    for (const [error, code, category] of expected) {
      expect(sqliteError(error)).toMatchObject({ code, category });
      expect(classifySqliteFailure(error)).toEqual({ code, category });
    }
    expect(classifySqliteFailure(new TypeError('not SQLite'))).toBeUndefined();
  });

  it('ERR-1: other errors pass as they are', () => {
    const own = new TypeError('not SQLite');
    expect(sqliteError(own)).toBe(own);
    expect(sqliteError('text')).toBe('text');
  });

  it('WQ-2: locks, and a transaction that another user of the connection has open, are worth waiting for', () => {
    expect(isBusy(fromNode(5))).toBe(true);
    expect(isBusy(fromNode(6))).toBe(true);
    expect(isBusy(fromNode(1, 'cannot start a transaction within a transaction'))).toBe(true);
    expect(isBusy(fromNode(1, 'no such table: t'))).toBe(false);
    expect(isBusy(new Error('database is locked'))).toBe(false);
  });
});
