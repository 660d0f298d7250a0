import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CriticizerError, type FailureCategory } from '../src/foundation/errors.js';
import type { Settlement } from '../src/stores/job-store.js';
import type { JobKind } from '../src/worker/run/stage.js';
import { queueHarness, stageOf } from './queue-harness.js';

const outageLine = 'an outage parks this work: it spends no attempt and goes on by itself once it is over';
const kind: JobKind<unknown> = {
  kind: 'report',
  payload: z.unknown(),
  stages: [stageOf('make', async ({ payload }) => ({ kind: 'done', result: { of: payload as number } }))],
};

type Fails = (settlements: readonly Settlement[], call: number) => Error | 'hangs' | undefined;

/** Many jobs on stores whose `settle` fails as told; `call` counts from 1. */
async function jobsOn(count: number, fails: Fails, leaseMs = 30_000) {
  const h = queueHarness();
  await h.stores.jobs.enqueue(
    Array.from({ length: count }, (_, n) => ({
      kind: 'report',
      payload: n,
      stage: 'make',
      idempotencyKey: `report:${n}`,
    })),
  );
  const { settle } = h.stores.jobs;
  let calls = 0;
  const stores = {
    ...h.stores,
    jobs: {
      ...h.stores.jobs,
      settle: async (settlements: readonly Settlement[]) => {
        const failure = fails(settlements, ++calls);
        if (failure === 'hangs') return new Promise<never>(() => undefined);
        if (failure !== undefined) throw failure;
        return settle(settlements);
      },
    },
  };
  const worker = h.worker([kind], { stores, settings: { worker: { concurrency: 20, leaseMs, statsEveryMs: null } } });
  await worker.start();
  return {
    ...h,
    worker,
    calls: () => calls,
    async ended() {
      const stopped = worker.stop({ graceMs: 0 });
      await h.clock.advance(10_000);
      await stopped;
      const jobs = await h.stores.jobs.list({ limit: 1_000 });
      return {
        statuses: Object.fromEntries(
          ['completed', 'queued', 'running', 'failed'].map((status) => [
            status,
            jobs.filter((job) => job.status === status).length,
          ]),
        ),
        attempts: new Set(jobs.map(({ attempts }) => attempts['make'])),
        letters: (await h.stores.deadLetters.list({})).map(({ errorClass }) => errorClass),
      };
    },
  };
}

const storeError = (code: string, category: FailureCategory) =>
  new CriticizerError(code, 'the store says no', { category });
const ofJob = (settlements: readonly Settlement[], n: number) =>
  settlements.some((one) => one.kind === 'done' && one.result['of'] === n);

describe('a store that takes no settlement', () => {
  it.each<[string, FailureCategory]>([
    ['PG_CONNECTION', 'network'],
    ['PG_RESOURCES', 'upstream'],
    ['PG_LOCK_TIMEOUT', 'conflict'],
    ['SQLITE_BUSY', 'conflict'],
    ['SQLITE_FULL', 'upstream'],
    ['PG_FORBIDDEN', 'auth'],
    ['PG_ERROR', 'bug'],
  ])(
    'OPS-2: %s for a while: every job is settled once it is over, no attempt is spent, and the log says so once',
    async (code, category) => {
      let isOut = true;
      const t = await jobsOn(200, () => (isOut ? storeError(code, category) : undefined));
      await t.clock.advance(20_000);
      expect(t.calls()).toBeGreaterThan(2);
      isOut = false;
      await t.clock.advance(20_000);
      const { statuses, attempts, letters } = await t.ended();
      expect([statuses, attempts, letters]).toEqual([
        { completed: 200, queued: 0, running: 0, failed: 0 },
        new Set([1]),
        [],
      ]);
      expect(t.lines(outageLine).map(({ fields }) => fields)).toEqual([
        { event: 'outage.begun', stage: 'store', code },
      ]);
      expect(t.lines('work goes through again after an outage')).toHaveLength(1);
    },
  );

  it('OPS-2: an outage longer than the lease: leases are kept up, so nobody runs a job twice', async () => {
    let isOut = true;
    const t = await jobsOn(5, () => (isOut ? storeError('PG_RESOURCES', 'upstream') : undefined));
    await t.clock.advance(100_000);
    isOut = false;
    await t.clock.advance(5_000);
    expect(await t.ended()).toEqual({
      statuses: { completed: 5, queued: 0, running: 0, failed: 0 },
      attempts: new Set([1]),
      letters: [],
    });
  });

  it('OPS-2: a call that never answers is given up while the lease can still be renewed, logged, and made again', async () => {
    const t = await jobsOn(3, (_settlements, call) => (call === 1 ? 'hangs' : undefined));
    await t.clock.advance(60_000);
    const { statuses, attempts } = await t.ended();
    expect([statuses.completed, attempts]).toEqual([3, new Set([1])]);
    expect(t.lines(outageLine).map(({ fields }) => fields['code'])).toEqual(['STORE_TIMEOUT']);
  });

  it.each<[string, FailureCategory]>([
    ['PG_DATA', 'validation'],
    ['PG_CONSTRAINT', 'conflict'],
    ['ARTIFACT_NOT_PENDING', 'conflict'],
  ])(
    'OPS-2: %s is the fault of the one settlement that causes it, and the others of its call are settled',
    async (code, category) => {
      const t = await jobsOn(20, (settlements) => (ofJob(settlements, 7) ? storeError(code, category) : undefined));
      await t.clock.advance(600_000);
      const { statuses, letters } = await t.ended();
      expect([statuses, letters]).toEqual([{ completed: 19, queued: 0, running: 0, failed: 1 }, [code]]);
      expect(t.lines(outageLine)).toEqual([]);
    },
  );

  it('OPS-2: an unclear cause that stays with one settlement while others go through is its own', async () => {
    const t = await jobsOn(40, (settlements) => (ofJob(settlements, 7) ? storeError('PG_ERROR', 'bug') : undefined));
    await t.clock.advance(60_000);
    const { statuses, letters } = await t.ended();
    expect([statuses, letters]).toEqual([{ completed: 39, queued: 0, running: 0, failed: 1 }, ['PG_ERROR']]);
  });

  it('OPS-2: a stop in an outage ends, and leaves the jobs to their leases', async () => {
    const t = await jobsOn(5, () => storeError('PG_CONNECTION', 'network'));
    await t.clock.advance(1_000);
    const { statuses, letters } = await t.ended();
    expect([statuses, letters]).toEqual([{ completed: 0, queued: 0, running: 5, failed: 0 }, []]);
  });
});

describe('a store that does not answer', () => {
  it('OPS-2: a claim that never answers is given up after a lease, logged, and made again', async () => {
    const h = queueHarness();
    const id = await h.enqueue('report', 1);
    let claims = 0;
    const claim: typeof h.stores.jobs.claim = (request) =>
      ++claims === 1 ? new Promise(() => undefined) : h.stores.jobs.claim(request);
    const worker = h.worker([kind], {
      stores: { ...h.stores, jobs: { ...h.stores.jobs, claim } },
      settings: { worker: { leaseMs: 30_000 } },
    });
    await worker.start();
    await h.clock.advance(40_000);
    expect((await h.job(id))?.status).toBe('completed');
    expect(h.lines('claim failed; trying again later').map(({ fields }) => fields['code'])).toEqual(['STORE_TIMEOUT']);
    await worker.stop();
  });

  it('OPS-2: a heartbeat that never answers is given up when the next is due, logged, and no lease is lost', async () => {
    const h = queueHarness();
    let go: () => void = () => undefined;
    const slow: JobKind<unknown> = {
      ...kind,
      stages: [stageOf('make', () => new Promise((resolve) => (go = () => resolve({ kind: 'done', result: {} }))))],
    };
    const id = await h.enqueue('report', 1);
    let beats = 0;
    const heartbeat: typeof h.stores.jobs.heartbeat = (leases, ms) =>
      ++beats === 1 ? new Promise(() => undefined) : h.stores.jobs.heartbeat(leases, ms);
    const worker = h.worker([slow], {
      stores: { ...h.stores, jobs: { ...h.stores.jobs, heartbeat } },
      settings: { worker: { leaseMs: 30_000 } },
    });
    await worker.start();
    await h.clock.advance(90_000);
    go();
    await h.clock.advance(1_000);
    expect(await h.job(id)).toMatchObject({ status: 'completed', attempts: { make: 1 }, lostLeases: 0 });
    expect(h.lines('a heartbeat gave no answer; the next one is sent')).toHaveLength(1);
    await worker.stop();
  });

  it('OPS-2: a sweep that never answers is given up after a lease, logged, and the next one comes', async () => {
    const h = queueHarness();
    let sweeps = 0;
    const requeueExpired: typeof h.stores.jobs.requeueExpired = () =>
      ++sweeps === 1 ? new Promise(() => undefined) : h.stores.jobs.requeueExpired();
    const worker = h.worker([kind], {
      stores: { ...h.stores, jobs: { ...h.stores.jobs, requeueExpired } },
      settings: { worker: { leaseMs: 30_000, sweepEveryMs: 10_000 } },
    });
    await worker.start();
    await h.clock.advance(60_000);
    expect(sweeps).toBeGreaterThan(1);
    expect(h.lines('a sweep failed; the next one tries again').map(({ fields }) => fields['code'])).toEqual([
      'STORE_TIMEOUT',
    ]);
    await worker.stop();
  });
});
