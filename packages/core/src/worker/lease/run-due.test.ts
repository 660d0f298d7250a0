import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CriticizerError } from '../../foundation/errors.js';
import { createMemoryStores } from '../../memory/memory-stores.js';
import type { NewJob } from '../../stores/job-store.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import type { JobKind, StageOutcome } from '../run/stage.js';
import { createQueueWorker } from '../wiring/queue-worker.js';

const minute = 60_000;

function setUp(send: (clock: ReturnType<typeof createManualClock>, signal: AbortSignal) => Promise<StageOutcome>) {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const kind: JobKind<unknown> = {
    kind: 'report',
    payload: z.unknown(),
    stages: [
      { name: 'make', run: async () => ({ kind: 'next' }) },
      { name: 'send', run: ({ signal }) => send(clock, signal) },
    ],
  };
  const worker = createQueueWorker({ stores, kinds: [kind], redactText: String, clock });
  const add = (n: number, more: Partial<NewJob> = {}) =>
    stores.jobs.enqueue([{ kind: 'report', payload: null, stage: 'make', idempotencyKey: `report:${n}`, ...more }]);
  return { add, clock, stores, worker };
}

const done: StageOutcome = { kind: 'done', result: {} };

describe('runDue of a queue worker', () => {
  it('runs every stage that is due, gives how each ended, and leaves what waits for later', async () => {
    let isOut = true;
    const t = setUp(async () => {
      if (isOut) throw new CriticizerError('INVOICE_NOT_SENT', 'no answer', { category: 'upstream' });
      return done;
    });
    const [first] = await t.add(1);
    const [later] = await t.add(2, { delayMs: minute });
    const { jobs } = await t.worker.runDue({ until: 'idle' });
    const about = { jobId: first?.job.id, kind: 'report', attempt: 1 };
    expect(jobs).toEqual([
      { ...about, stage: 'make', outcome: 'next' },
      { ...about, stage: 'send', outcome: 'retry', code: 'INVOICE_NOT_SENT' },
    ]);
    expect(await t.worker.runDue()).toEqual({ jobs: [] });
    isOut = false;
    await t.clock.advance(minute);
    const again = await t.worker.runDue();
    expect(again.jobs.map(({ jobId, stage, outcome }) => [jobId, stage, outcome]).sort()).toEqual(
      [
        [first?.job.id, 'send', 'done'],
        [later?.job.id, 'make', 'next'],
        [later?.job.id, 'send', 'done'],
      ].sort(),
    );
    expect(t.clock.sleepers()).toBe(0);
  });

  it('runs what its own jobs make due', async () => {
    const t = setUp(async () => {
      await t.add(2);
      return done;
    });
    await t.add(1);
    const { jobs } = await t.worker.runDue();
    expect(jobs.filter(({ outcome }) => outcome === 'done')).toHaveLength(2);
  });

  it('WQ-5: renews the leases of what runs longer than one', async () => {
    const t = setUp(async (clock, signal) => {
      await clock.sleep(10 * minute, signal);
      return done;
    });
    await t.add(1);
    const running = t.worker.runDue();
    for (let n = 0; n < 11; n++) {
      await t.clock.advance(minute);
      expect(await t.stores.jobs.requeueExpired()).toEqual([]);
    }
    expect((await running).jobs.map(({ outcome }) => outcome)).toEqual(['next', 'done']);
  });

  it('refuses after a start, beside another run, after a stop, and what it does not know', async () => {
    const t = setUp(async () => done);
    const both = await Promise.allSettled([t.worker.runDue(), t.worker.runDue()]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(both[1]).toMatchObject({ reason: { code: 'ALREADY_RUNNING' } });
    await expect(t.worker.runDue({ until: 'noon' } as never)).rejects.toThrow(TypeError);
    await t.worker.start();
    await expect(t.worker.runDue()).rejects.toMatchObject({ code: 'ALREADY_RUNNING' });
    await t.worker.stop();
    await expect(t.worker.runDue()).rejects.toMatchObject({ code: 'STOPPED' });
  });

  it('a start while it runs is refused, and a stop gives back what it ran', async () => {
    const t = setUp(async (clock, signal) => {
      await clock.sleep(10 * minute, signal);
      return done;
    });
    const [added] = await t.add(1);
    const running = t.worker.runDue();
    await t.clock.advance(1);
    await expect(t.worker.start()).rejects.toMatchObject({ code: 'ALREADY_RUNNING' });
    const stopped = t.worker.stop({ graceMs: 1_000 });
    await t.clock.advance(1_000);
    await stopped;
    expect((await running).jobs.at(-1)).toMatchObject({ stage: 'send', outcome: 'release' });
    const [job] = await t.stores.jobs.get([added?.job.id ?? '']);
    expect([job?.status, job?.claimedBy]).toEqual(['queued', null]);
    expect(t.clock.sleepers()).toBe(0);
  });

  it('rejects with the error of the store that cannot claim', async () => {
    const t = setUp(async () => done);
    t.stores.jobs.claim = () =>
      Promise.reject(new CriticizerError('STORE_UNAVAILABLE', 'down', { category: 'network' }));
    await expect(t.worker.runDue()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(t.clock.sleepers()).toBe(0);
  });
});
