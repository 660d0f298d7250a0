import { describe, expect, it } from 'vitest';
import { createSessionPool, type SessionPoolOptions } from './session-pool.js';
import type { SmtpSession } from './smtp-session.js';

class TooMany extends Error {}

/** A server that allows so many sessions at a time and counts what it saw. */
function createServer(allowed: number) {
  const server = { allowed, open: 0, most: 0, connections: 0, refused: 0, isDown: false };
  async function open(): Promise<SmtpSession> {
    server.connections++;
    if (server.isDown) throw new Error('down');
    if (server.open >= server.allowed) {
      server.refused++;
      throw new TooMany();
    }
    server.open++;
    server.most = Math.max(server.most, server.open);
    let isUsable = true;
    const end = (): void => {
      if (isUsable) server.open--;
      isUsable = false;
    };
    const unused = () => Promise.reject(new Error('unused'));
    return { isUsable: () => isUsable, login: unused, transmit: unused, quit: end, destroy: end };
  }
  return { server, open };
}

function poolOn(open: SessionPoolOptions['open'], change: Partial<SessionPoolOptions> = {}) {
  const isTooMany = (error: unknown): boolean => error instanceof TooMany;
  return createSessionPool({ open, isTooMany, maxConnections: 20, idleConnections: 2, idleMs: 60_000, ...change });
}

const { signal } = new AbortController();
/** Uses a session for a few turns of the event loop, as a mail does. */
async function useOne(pool: ReturnType<typeof poolOn>, own = new AbortController().signal): Promise<boolean> {
  const { session, isReused } = await pool.acquire(own);
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  pool.release(session);
  return isReused;
}
const useMany = (pool: ReturnType<typeof poolOn>, count: number) =>
  Promise.all(Array.from({ length: count }, () => useOne(pool)));

describe('createSessionPool', () => {
  it('reuses what is idle, keeps no more than asked, and ends the rest', async () => {
    const { server, open } = createServer(100);
    const pool = poolOn(open);
    expect([await useOne(pool), await useOne(pool), server.connections]).toEqual([false, true, 1]);
    await useMany(pool, 8);
    expect(server.open).toBe(2);
    pool.close();
    expect(server.open).toBe(0);
    await useOne(pool);
    expect(server.open).toBe(0);
  });

  it('opens one at first and no more than its own limit', async () => {
    const { server, open } = createServer(100);
    await useMany(poolOn(open, { maxConnections: 3 }), 50);
    expect(server.most).toBe(3);
  });

  it('NOT-9: takes a refusal beside standing sessions for the limit, and later tries for more', async () => {
    const { server, open } = createServer(3);
    const pool = poolOn(open);
    await useMany(pool, 50);
    expect(server.refused).toBeLessThanOrEqual(4);
    const { refused } = server;
    await useMany(pool, 50);
    expect(server.refused - refused).toBeLessThanOrEqual(1); // after 20 mails over each of three it tries a fourth
    server.allowed = 5;
    for (let round = 0; round < 10; round++) await useMany(pool, 50);
    expect(server.most).toBe(5);
  });

  it('NOT-9: a refusal with nothing standing, and any other failure, is everybody’s who waits', async () => {
    for (const { server, open } of [createServer(0), createServer(10)]) {
      server.isDown = server.allowed > 0;
      const pool = poolOn(open);
      const ended = await Promise.allSettled([useOne(pool), useOne(pool), useOne(pool)]);
      expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      expect(server.connections).toBe(1);
      server.isDown = false;
      server.allowed = 10;
      expect(await useOne(pool)).toBe(false);
    }
  });

  it('an aborted mail leaves the line, and the failure of one that was given up is nobody else’s', async () => {
    const { open } = createServer(1);
    const pool = poolOn(open, { maxConnections: 1 });
    const { session } = await pool.acquire(signal);
    const stop = new AbortController();
    const waiting = pool.acquire(stop.signal);
    const next = useOne(pool);
    stop.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
    pool.release(session);
    expect(await next).toBe(true);
    await expect(pool.acquire(stop.signal)).rejects.toThrow('given up');

    const opener = new AbortController();
    const slow = poolOn(async (own) => {
      if (own === opener.signal)
        await new Promise((_resolve, reject) => own.addEventListener('abort', () => reject(own.reason)));
      return open();
    });
    const lost = slow.acquire(opener.signal);
    session.destroy();
    const other = useOne(slow);
    opener.abort(new Error('given up'));
    await expect(lost).rejects.toThrow('given up');
    expect(await other).toBe(false);
  });

  it('passes over sessions that died while idle', async () => {
    const { server, open } = createServer(10);
    const pool = poolOn(open);
    const { session } = await pool.acquire(signal);
    pool.release(session);
    session.destroy();
    expect([await useOne(pool), server.connections]).toEqual([false, 2]);
  });
});
