import { CriticizerError } from '@criticizer/core';
import { describe, expect, it, vi } from 'vitest';
import { checkClock, checkDisk, createPollLog, readReadiness } from './readiness.js';

describe('readReadiness', () => {
  it('is ready when every check is good, and names the code of each that is not', async () => {
    const good = async () => ({ ok: true, due: 0 });
    expect(await readReadiness({ queue: good })).toEqual({ status: 'ready', checks: { queue: { ok: true, due: 0 } } });
    const fails = async () => {
      throw new CriticizerError('PG_CONNECTION', 'with a host name in it', { category: 'network' });
    };
    expect(await readReadiness({ queue: fails, disk: good })).toEqual({
      status: 'not ready',
      checks: { queue: { ok: false, code: 'PG_CONNECTION' }, disk: { ok: true, due: 0 } },
    });
  });
});

describe('limits of checks', () => {
  it('a check that asks over the network may have longer than 3 s', async () => {
    vi.useFakeTimers();
    try {
      const slow = () => new Promise<{ ok: true }>((resolve) => setTimeout(resolve, 10_000, { ok: true }));
      const late = () => new Promise<never>(() => undefined);
      const all = readReadiness({
        ...{ slow, channel: { limitMs: 15_000, run: slow }, late: { limitMs: 15_000, run: late } },
      });
      await vi.advanceTimersByTimeAsync(15_000);
      expect((await all).checks).toEqual({
        slow: { ok: false, code: 'CHECK_TIMEOUT' },
        channel: { ok: true },
        late: { ok: false, code: 'CHECK_TIMEOUT' },
      });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('checks', () => {
  it('a server is late that was never polled, or not for five pauses and three minutes', async () => {
    let now = 0;
    const servers = [
      { serverId: 'quick', pollMs: 1_000 },
      { serverId: 'slow', pollMs: 60_000 },
    ];
    const log = createPollLog(servers, () => now);
    const late = async () => {
      const { ok, late: names } = await log.check();
      return ok ? [] : names;
    };
    expect(await late()).toEqual(['quick', 'slow']);
    log.record('quick');
    log.record('slow');
    now = 180_000;
    expect(await late()).toEqual([]);
    now = 180_001;
    expect(await late()).toEqual(['quick']);
    now = 300_001;
    expect(await late()).toEqual(['quick', 'slow']);
  });

  it('clocks may differ by the budget, and the disk must have its room', async () => {
    const off = (ms: number) => ({ now: async () => new Date(Date.now() - ms) });
    expect(await checkClock(off(0), 60_000)).toMatchObject({ ok: true });
    expect(await checkClock(off(120_000), 60_000)).toMatchObject({ ok: false, code: 'CLOCK_SKEW' });
    expect(await checkDisk(['/tmp'], 0)).toMatchObject({ ok: true });
    expect(await checkDisk(['/tmp'], 2 ** 60)).toMatchObject({ ok: false, code: 'DISK_FULL' });
    await expect(checkDisk(['/tmp', '/nonexistent'], 0)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
