import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../../memory/memory-stores.js';
import { resolveSettings, type SettingsInput } from '../../settings/settings.js';
import { silentLogger } from '../../telemetry/logger.js';
import { createMemoryTelemetry } from '../../telemetry/memory-telemetry.js';
import { metric } from '../../telemetry/names.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import { createSeededRandom } from '../../testing/support/seeded-random.js';
import { createQueueUpkeep, type Duty } from './queue-upkeep.js';

const minute = 60_000;
const day = 24 * 60 * minute;

function harness(settings: SettingsInput = {}, duties?: readonly Duty[]) {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const telemetry = createMemoryTelemetry();
  const warned: string[] = [];
  const upkeep = createQueueUpkeep({
    stores,
    settings: resolveSettings(settings),
    duties,
    clock,
    random: createSeededRandom(1),
    telemetry,
    logger: { ...silentLogger, warn: (_, message) => void warned.push(message) },
  });
  const values = (name: string) => telemetry.measurements.filter((one) => one.name === name).map(({ value }) => value);
  return { clock, stores, telemetry, upkeep, values, warned };
}

const job = (n: number) => ({ kind: 'report', payload: n, stage: 'make', idempotencyKey: `report:${n}` });

/** Stores `count` jobs that ended at once. */
function ended(h: ReturnType<typeof harness>, count: number) {
  return h.stores.jobs.enqueue(Array.from({ length: count }, (_, n) => ({ ...job(n), completedWith: {} })));
}

async function jobsLeft(h: ReturnType<typeof harness>): Promise<number> {
  return (await h.stores.jobs.stats()).completed;
}

describe('the upkeep of the queue', () => {
  it('WQ-8: sweeps expired leases and counts them by kind', async () => {
    const h = harness();
    await h.stores.jobs.enqueue([job(1), job(2)]);
    await h.stores.jobs.claim({ kinds: ['report'], owner: 'died', token: 't', leaseMs: 1_000, limit: 2 });
    h.upkeep.start();
    await h.clock.advance(minute);
    expect(await h.stores.jobs.depth()).toMatchObject({ due: 2, running: 0 });
    const counted = h.telemetry.measurements.filter(({ name }) => name === metric.leaseRequeued);
    expect(counted.map(({ value, attributes }) => [value, attributes])).toEqual([
      [1, { 'criticizer.kind': 'report' }],
      [1, { 'criticizer.kind': 'report' }],
    ]);
    await h.upkeep.stop();
  });

  it('WQ-1: prunes what ended longer ago than the setting, in batches, at most ten of them a sweep', async () => {
    const h = harness({
      retention: { finishedJobsMs: 30 * day },
      worker: { sweepEveryMs: minute, statsEveryMs: null },
    });
    const limits: unknown[] = [];
    const { prune } = h.stores.jobs;
    h.stores.jobs.prune = (options) => {
      limits.push(options.limit);
      return prune(options);
    };
    await ended(h, 10_500);
    await h.clock.advance(30 * day);
    h.upkeep.start();
    await h.clock.advance(1.5 * minute);
    expect([await jobsLeft(h), limits]).toEqual([500, Array.from({ length: 10 }, () => 1_000)]);
    await h.clock.advance(minute);
    expect([await jobsLeft(h), limits.length]).toEqual([0, 11]);
    expect(h.values(metric.jobsPruned).reduce((sum, n) => sum + n, 0)).toBe(10_500);
    await h.upkeep.stop();
  });

  it('WQ-1: keeps what ended for 90 days by default, and for ever where the setting is null', async () => {
    for (const [settings, after] of [
      [{}, 0],
      [{ retention: { finishedJobsMs: null } }, 1],
    ] as const) {
      const h = harness({ ...settings, worker: { sweepEveryMs: 60 * minute, statsEveryMs: null } });
      await ended(h, 1);
      await h.clock.advance(90 * day - 120 * minute);
      h.upkeep.start();
      await h.clock.advance(90 * minute);
      expect(await jobsLeft(h)).toBe(1);
      await h.clock.advance(day);
      expect(await jobsLeft(h)).toBe(after);
      await h.upkeep.stop();
    }
  });

  it('tells the depth of the queue on a period of its own, without counting what has ended', async () => {
    const h = harness({ worker: { statsEveryMs: 10_000, sweepEveryMs: 60 * minute } });
    h.stores.jobs.stats = () => Promise.reject(new Error('reads every ended job'));
    await h.stores.jobs.enqueue([job(1), job(2), { ...job(3), delayMs: day }]);
    await h.stores.jobs.claim({ kinds: ['report'], owner: 'o', token: 't', leaseMs: day, limit: 1 });
    h.upkeep.start();
    await h.clock.advance(11_000);
    const told = [metric.queueDue, metric.queueScheduled, metric.queueRunning].map(h.values);
    expect(told).toEqual([[1], [1], [1]]);
    const [oldest = 0] = h.values(metric.queueOldestDue);
    expect(Math.abs(oldest - 10)).toBeLessThanOrEqual(1); // seconds; the period has jitter
    await h.upkeep.stop();
    await h.clock.advance(minute);
    expect(h.values(metric.queueDue)).toEqual([1]);
    expect(h.warned).toEqual([]);
  });

  it('OPS-2: aborts a duty that hangs, and does the others', async () => {
    const signals: AbortSignal[] = [];
    let others = 0;
    const hangs: Duty = (signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const h = harness({}, [hangs, async () => void others++]);
    h.upkeep.start();
    for (let n = 0; n < 12; n++) await h.clock.advance(minute);
    expect([signals[0]?.aborted, others > 0]).toEqual([true, true]);
    expect(signals[0]?.reason).toMatchObject({ code: 'STORE_TIMEOUT' });
    const stopped = h.upkeep.stop();
    await h.clock.advance(11 * minute);
    await stopped;
  });

  it('does the other duties where one fails', async () => {
    const done: string[] = [];
    const h = harness({}, [() => Promise.reject(new Error('this one')), async () => void done.push('the next one')]);
    h.stores.jobs.requeueExpired = () => Promise.reject(new Error('the store is down'));
    h.upkeep.start();
    await h.clock.advance(minute / 2 + 5_000);
    expect([done, h.warned.length]).toEqual([['the next one'], 2]);
    expect(h.values(metric.clockSkew)).toHaveLength(1);
    await h.upkeep.stop();
  });
});
