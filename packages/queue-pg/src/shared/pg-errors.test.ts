import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { CriticizerError, isCriticizerError } from '@criticizer/core';
import { classifyFailure } from '@criticizer/core/ports';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { classifyPgFailure, isOutage, isRepeatable, pgError } from './pg-errors.js';

const native = (code: string, more = {}) =>
  Object.assign(new Error('Key (recipient)=(private value) exists'), { code, ...more });

describe('pgError', () => {
  it('ERR-1: SQLSTATEs map to codes and categories', () => {
    const expected = {
      '40001': ['PG_SERIALIZATION_FAILURE', 'conflict'],
      '40P01': ['PG_DEADLOCK', 'conflict'],
      '23505': ['PG_CONSTRAINT', 'conflict'],
      '08006': ['PG_CONNECTION', 'network'],
      '57P01': ['PG_CONNECTION', 'network'],
      '42501': ['PG_FORBIDDEN', 'auth'],
      '28P01': ['PG_AUTH', 'auth'],
      '22P02': ['PG_DATA', 'validation'],
      '53300': ['PG_RESOURCES', 'upstream'],
      '42P01': ['PG_ERROR', 'bug'],
    };
    for (const [state, [code, category]] of Object.entries(expected)) {
      expect(pgError(native(state))).toMatchObject({ code, category, details: { sqlState: state } });
      expect(classifyPgFailure(native(state))).toEqual({ code, category });
    }
    for (const other of [new TypeError('not ours'), new CriticizerError('OWN', 'x'), 'text'])
      expect(classifyPgFailure(other)).toBeUndefined();
  });

  it('ERR-8: no value of a row travels with the error', () => {
    const error = pgError(
      native('23505', { detail: 'Key (recipient)=(private value) exists', constraint: 'c', table: 't' }),
    );
    expect(error).toMatchObject({ details: { sqlState: '23505', constraint: 'c', table: 't' } });
    expect(isCriticizerError(error) && error.cause).toBeUndefined();
    expect(isCriticizerError(error) && `${error.message}${JSON.stringify(error.details)}`).not.toContain('private');
  });

  it('ERR-1: lost sockets are network failures; other errors pass as they are', () => {
    expect(pgError(native('ECONNRESET'))).toMatchObject({ code: 'PG_CONNECTION', category: 'network' });
    expect(pgError(new Error('Connection terminated unexpectedly'))).toMatchObject({ code: 'PG_CONNECTION' });
    const own = new CriticizerError('ARTIFACT_NOT_PENDING', 'gone');
    expect(pgError(own)).toBe(own);
    const foreign = new TypeError('not ours');
    expect(pgError(foreign)).toBe(foreign);
  });

  it('ERR-1: a busy pool and a silent server are outages, which a store survives: a job that has run does not fail of them', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const connecting = { host: '127.0.0.1', port, connectionTimeoutMillis: 20 };
    const pool = new pg.Pool({ ...connecting, max: 1 });
    const fails = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
    const errors = await Promise.all([
      fails(pool.query('SELECT 1')),
      fails(pool.query('SELECT 1')),
      fails(new pg.Client(connecting).connect()),
    ]);
    await pool.end();
    silent.close();
    const said = ['Query read timeout', 'Client was closed and is not queryable'].map((message) => new Error(message));
    for (const error of [...errors, ...said]) {
      expect(isOutage(pgError(error)), String(error)).toBe(true);
      expect(classifyFailure(error), String(error)).toMatchObject({ code: 'PG_CONNECTION', category: 'network' });
    }
    expect(errors.map(String)).toContain('Error: timeout exceeded when trying to connect');
  });

  it('ERR-1: only rollbacks for another’s sake run again', () => {
    expect(['40001', '40P01', '23505', '08006'].map((state) => isRepeatable(native(state)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
