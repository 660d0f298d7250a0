import { describe, expect, it } from 'vitest';
import { isCriticizerError } from '../../foundation/errors.js';
import { silentLogger } from '../../telemetry/logger.js';
import { noTelemetry } from '../../telemetry/telemetry.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import { createSeededRandom } from '../../testing/support/seeded-random.js';
import { createLeaseLoop } from './lease-loop.js';

interface Work {
  id: number;
  isSuspect?: boolean;
}

/** A loop over a queue in memory: what is given back stands at its head again. `log` has who ran beside whom. */
function harness(work: readonly Work[], options: { concurrency: number; prefetch?: number }) {
  const clock = createManualClock();
  const queue = [...work];
  const running = new Map<number, () => void>();
  const beside: [id: number, others: number[], held: number][] = [];
  const back: number[] = [];
  const limits: number[] = [];
  const loop = createLeaseLoop<Work>({
    name: 'test',
    source: {
      async claim({ limit }) {
        limits.push(limit);
        return queue.splice(0, limit);
      },
      heartbeat: async (held) => held.map(() => 'renewed' as const),
    },
    async handle(one, hold) {
      if (hold.reason !== undefined) {
        await clock.sleep(5); // the store takes a while to take it back
        if (isCriticizerError(hold.reason) && hold.reason.code === 'GIVEN_BACK') queue.unshift(one);
        back.push(one.id);
        return;
      }
      beside.push([one.id, [...running.keys()], loop.running()]);
      await new Promise<void>((resolve) => running.set(one.id, resolve));
      running.delete(one.id);
    },
    runsAlone: ({ isSuspect }) => isSuspect === true,
    ...options,
    leaseMs: 30_000,
    poll: { minMs: 10, maxMs: 100 },
    clock,
    random: createSeededRandom(1),
    logger: silentLogger,
    telemetry: noTelemetry,
  });
  return {
    clock,
    queue,
    beside,
    back,
    limits,
    loop,
    ids: () => [...running.keys()],
    async end(id: number) {
      running.get(id)?.();
      await clock.advance(200);
    },
    async stop() {
      const stopped = loop.stop({ graceMs: 0 });
      for (const end of running.values()) end();
      await clock.advance(10_000);
      await stopped;
    },
  };
}

describe('work that must run alone', () => {
  it('ERR-6: runs beside nothing, holds no other lease meanwhile, and what came with it is given back first', async () => {
    const t = harness([{ id: 1, isSuspect: true }, { id: 2 }, { id: 3 }], { concurrency: 3, prefetch: 3 });
    await t.loop.start();
    await t.clock.advance(200);
    expect([t.ids(), t.loop.running(), t.back.sort()]).toEqual([[1], 1, [2, 3]]);
    await t.end(1);
    expect(t.ids().sort()).toEqual([2, 3]);
    await t.stop();
    expect(t.beside[0]).toEqual([1, [], 1]);
  });

  it('ERR-6: that comes while others run goes back, and nothing is claimed until they are over', async () => {
    const t = harness([{ id: 1 }, { id: 2 }], { concurrency: 4 });
    await t.loop.start();
    await t.clock.advance(200);
    t.queue.push({ id: 3, isSuspect: true }, { id: 4 });
    await t.clock.advance(200);
    expect([t.ids(), t.back]).toEqual([[1, 2, 4], [3]]);
    const claims = t.limits.length;
    await t.end(1);
    await t.end(4);
    expect([t.ids(), t.limits.length]).toEqual([[2], claims]);
    await t.end(2);
    expect(t.ids()).toEqual([3]);
    expect(t.beside.at(-1)).toEqual([3, [], 1]);
    t.queue.push({ id: 5 });
    await t.clock.advance(1_000);
    expect(t.ids()).toEqual([3]);
    await t.end(3);
    expect(t.ids()).toEqual([5]);
    await t.stop();
  });

  it('ERR-6: several run one after the other', async () => {
    const t = harness(
      [1, 2, 3].map((id) => ({ id, isSuspect: true })),
      { concurrency: 3 },
    );
    await t.loop.start();
    await t.clock.advance(200);
    for (const id of [1, 2, 3]) {
      const [one] = t.ids();
      expect(t.ids()).toHaveLength(1);
      await t.end(one ?? id);
    }
    expect(t.beside.map(([, others, held]) => [others, held])).toEqual(Array(3).fill([[], 1]));
    expect(t.beside.map(([id]) => id).sort()).toEqual([1, 2, 3]);
    await t.stop();
  });
});
