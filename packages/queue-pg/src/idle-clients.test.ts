import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { createPostgresStores } from './index.js';

/**
 * What pg's pool does when an idle client breaks. Without a listener it throws, and with nobody
 * above it the process ends.
 */
const breakIdle = (pool: pg.Pool): boolean => pool.emit('error', new Error('terminating connection'), new pg.Client());

describe('createPostgresStores', () => {
  it('WQ-6: an idle client that breaks does not end the process, on the pool that works or on the one that listens', () => {
    const [pool, listen] = [new pg.Pool(), new pg.Pool()];
    expect(() => breakIdle(pool)).toThrow('terminating');
    createPostgresStores({ pool, listen });
    expect(breakIdle(pool)).toBe(true);
    expect(breakIdle(listen)).toBe(true);
  });

  it('WQ-6: the listener of the host stays the only one', () => {
    const pool = new pg.Pool();
    const told: string[] = [];
    pool.on('error', ({ message }) => told.push(message));
    createPostgresStores({ pool });
    createPostgresStores({ pool, schema: 'another' });
    breakIdle(pool);
    expect(told).toEqual(['terminating connection']);
    expect(pool.listenerCount('error')).toBe(1);
  });
});
