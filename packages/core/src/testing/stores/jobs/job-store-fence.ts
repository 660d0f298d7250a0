import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../foundation/json.js';
import type { NewDeadLetter } from '../../../stores/dead-letter-store.js';
import type { Lease } from '../../../stores/job.js';
import type { Settlement } from '../../../stores/job-store.js';
import {
  claimed,
  claimRequest,
  halfPair,
  jobNow,
  leaseMs,
  newJob,
  nul,
  one,
  rolledBack,
  running,
  sampleDeadLetter,
  sampleFailure,
  settled,
} from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

/** The fence of `JobStore.settle`, batches, the caller's transaction. */
export function fenceCases<Tx>(it: ContractCase<Tx>): void {
  it('WQ-6: every kind of settlement is refused to wrong owners and tokens, and writes nothing', async ({ stores }) => {
    const { job, lease } = await running(stores);
    const kinds: ((stolen: Settlement['lease']) => Settlement)[] = [
      (stolen) => ({ lease: stolen, kind: 'advance', stage: 'llm', leaseMs }),
      (stolen) => ({ lease: stolen, kind: 'checkpoint', leaseMs }),
      (stolen) => ({ lease: stolen, kind: 'done', result: {}, requireNotified: false }),
      (stolen) => ({ lease: stolen, kind: 'retry', delayMs: 0, failure: sampleFailure() }),
      (stolen) => ({ lease: stolen, kind: 'wait', delayMs: 0, reason: 'r' }),
      (stolen) => ({ lease: stolen, kind: 'release' }),
      (stolen) => ({ lease: stolen, kind: 'dead-letter', deadLetter: sampleDeadLetter() }),
      (stolen) => ({ lease: stolen, kind: 'fail', failure: sampleFailure() }),
    ];
    const stolen = [
      { ...lease, owner: 'another' },
      { ...lease, token: randomUUID() },
      { ...lease, jobId: randomUUID() },
    ];
    for (const settlement of kinds) {
      const outcomes = await stores.jobs.settle(stolen.map(settlement));
      assert.deepEqual(outcomes, ['lease-lost', 'lease-lost', 'lease-lost']);
    }
    assert.deepEqual(await jobNow(stores, job.id), job);
    assert.deepEqual(await stores.deadLetters.list({}), []);
  });

  it('WQ-7: what no store could hold is refused by all, names the option and writes nothing', async ({ stores }) => {
    const { job, lease } = await running(stores);
    for (const odd of [nul, halfPair]) {
      const letter = (over: Partial<NewDeadLetter>): Settlement => ({
        lease,
        kind: 'dead-letter',
        deadLetter: sampleDeadLetter(over),
      });
      const settlements: Settlement[] = [
        { lease, kind: 'advance', stage: `s${odd}`, leaseMs },
        { lease, kind: 'checkpoint', leaseMs, effects: { outputs: { [`n${odd}`]: 'a' } } },
        { lease, kind: 'checkpoint', leaseMs, effects: { outputs: { n: `a${odd}` } } },
        { lease, kind: 'done', result: { text: odd }, requireNotified: false },
        { lease, kind: 'done', result: { [odd]: 1 }, requireNotified: false },
        { lease, kind: 'retry', delayMs: 0, failure: { ...sampleFailure(), message: odd } },
        { lease, kind: 'fail', failure: { ...sampleFailure(), message: odd } },
        { lease, kind: 'fail', failure: sampleFailure(), result: { text: odd } },
        { lease, kind: 'wait', delayMs: 0, reason: `r${odd}` },
        letter({ errorClass: `E${odd}` }),
        letter({ lastStack: `Error: ${odd}` }),
        letter({ sanitizedContext: { text: odd } }),
      ];
      for (const [n, settlement] of settlements.entries())
        await assert.rejects(stores.jobs.settle([settlement]), TypeError, `settlement ${n}`);
    }
    assert.deepEqual(await jobNow(stores, job.id), job);
    assert.deepEqual(await stores.deadLetters.list({}), []);
    await settled(stores, { lease, kind: 'done', result: {}, requireNotified: false });
  });

  it('WQ-7: one call settles a mixture, each by its own lease, answers in order', async ({ stores }) => {
    await stores.jobs.enqueue(Array.from({ length: 6 }, () => newJob()));
    const leases = (await stores.jobs.claim(claimRequest({ limit: 6 }))).map(({ lease }) => lease);
    const [a, b, c, d, e, f] = leases;
    assert.ok(a && b && c && d && e && f);
    const outcomes = await stores.jobs.settle([
      { lease: f, kind: 'dead-letter', deadLetter: sampleDeadLetter() },
      { lease: { ...a, token: randomUUID() }, kind: 'done', result: {}, requireNotified: false },
      { lease: b, kind: 'done', result: { b: 1 }, requireNotified: false },
      { lease: c, kind: 'retry', delayMs: 60_000, failure: sampleFailure() },
      { lease: d, kind: 'advance', stage: 'llm', leaseMs },
      { lease: e, kind: 'release' },
    ]);
    assert.deepEqual(outcomes, ['settled', 'lease-lost', 'settled', 'settled', 'settled', 'settled']);
    const jobs = await stores.jobs.get([a, b, c, d, e, f].map((lease) => lease.jobId));
    assert.deepEqual(
      jobs.map((job) => [job?.status, job?.stage]),
      [
        ['running', 'fetch'],
        ['completed', 'fetch'],
        ['queued', 'fetch'],
        ['running', 'llm'],
        ['queued', 'fetch'],
        ['failed', 'fetch'],
      ],
    );
    assert.equal(one(await stores.deadLetters.list({})).jobId, f.jobId);
  });

  it('WQ-7: a lease settled twice in one call settles once', async ({ stores }) => {
    const { job, lease } = await running(stores);
    const outcomes = await stores.jobs.settle([
      { lease, kind: 'done', result: { first: true }, requireNotified: false },
      { lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() },
    ]);
    assert.deepEqual(outcomes, ['settled', 'lease-lost']);
    assert.deepEqual((await jobNow(stores, job.id)).result, { first: true });
    assert.deepEqual(await stores.deadLetters.list({}), []);
  });

  it('INV-3 WQ-7: in one call an old lease of a job fares as it does alone', async ({ stores, clock }) => {
    const { job, lease: old } = await running(stores);
    await clock.advance(leaseMs);
    const { lease } = await claimed(stores);
    assert.deepEqual(await stores.jobs.heartbeat([old, lease], leaseMs), ['lease-lost', 'renewed']);
    const done = (own: Lease, result: JsonObject) =>
      ({ lease: own, kind: 'done', result, requireNotified: false }) as const;
    const outcomes = await stores.jobs.settle([done(old, { n: 1 }), done(lease, { n: 2 }), done(lease, { n: 3 })]);
    assert.deepEqual(outcomes, ['lease-lost', 'settled', 'lease-lost']);
    assert.deepEqual((await jobNow(stores, job.id)).result, { n: 2 });
  });

  it('INV-3: a settlement that keeps its lease takes once under its id, however often it is repeated', async ({
    stores,
  }) => {
    const { job, lease } = await running(stores);
    const advance = { lease, kind: 'advance', stage: 'llm', leaseMs, id: randomUUID() } as const;
    const checkpoint = { lease, kind: 'checkpoint', leaseMs, id: randomUUID() } as const;
    const repeat = (settlement: Settlement) => stores.jobs.settle([settlement]);
    assert.deepEqual(await stores.jobs.settle([advance, advance]), ['settled', 'settled-before']);
    const after = await jobNow(stores, job.id);
    assert.deepEqual([after.stage, after.attempts['llm']], ['llm', 1]);
    assert.deepEqual(await stores.jobs.heartbeat([lease], leaseMs), ['renewed']);
    assert.deepEqual(await stores.transaction((tx) => stores.jobs.settle([advance], { tx })), ['settled-before']);
    assert.deepEqual(await repeat({ ...advance, id: randomUUID(), stage: 'notify' }), ['settled']);
    assert.deepEqual(await repeat(checkpoint), ['settled']);
    assert.deepEqual(await repeat({ ...checkpoint, effects: { outputs: { late: 'x' } } }), ['settled-before']);
    assert.deepEqual(await repeat({ ...checkpoint, lease: { ...lease, token: randomUUID() } }), ['lease-lost']);
    const last = await jobNow(stores, job.id);
    assert.deepEqual([last.stage, last.attempts['llm'], last.outputs], ['notify', 1, {}]);
    assert.equal(last.transitionNo, after.transitionNo + 1);
    await assert.rejects(repeat({ ...checkpoint, id: 'x' }), TypeError);
  });

  it('WQ-7: twenty concurrent settlements of one lease take once', async ({ stores }) => {
    const { lease } = await running(stores);
    const calls = Array.from({ length: 20 }, (_, n) =>
      stores.jobs.settle([{ lease, kind: 'done', result: { n }, requireNotified: false }]),
    );
    const outcomes = (await Promise.all(calls)).flat();
    assert.equal(outcomes.filter((outcome) => outcome === 'settled').length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === 'lease-lost').length, 19);
  });

  it('AUD-2: a settlement in the caller’s transaction commits and rolls back with it', async ({ stores }) => {
    const { job, lease } = await running(stores);
    await rolledBack(stores, async (tx) => {
      const settlement: Settlement = { lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() };
      assert.deepEqual(await stores.jobs.settle([settlement], { tx }), ['settled']);
    });
    assert.deepEqual(await jobNow(stores, job.id), job);
    assert.deepEqual(await stores.deadLetters.list({}), []);
    await stores.transaction((tx) =>
      stores.jobs.settle([{ lease, kind: 'done', result: {}, requireNotified: false }], { tx }),
    );
    assert.equal((await jobNow(stores, job.id)).status, 'completed');
  });

  it('INV-1: transitionNo strictly grows and updatedAt never falls over a job’s whole life', async ({
    stores,
    clock,
  }) => {
    const { job, lease } = await running(stores);
    const seen = [job];
    const look = async (): Promise<void> => {
      seen.push(await jobNow(stores, job.id));
      await clock.advance(500);
    };
    await settled(stores, { lease, kind: 'advance', stage: 'llm', leaseMs });
    await look();
    await settled(stores, { lease, kind: 'retry', delayMs: 0, failure: sampleFailure() });
    await look();
    const second = await claimed(stores);
    await look();
    await settled(stores, { lease: second.lease, kind: 'wait', delayMs: 0, reason: 'r' });
    await look();
    await claimed(stores);
    await clock.advance(leaseMs);
    await stores.jobs.requeueExpired();
    await look();
    const last = await claimed(stores);
    await settled(stores, { lease: last.lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() });
    await look();
    for (const [n, state] of seen.entries()) {
      const before = seen[n - 1];
      if (before === undefined) continue;
      assert.ok(state.transitionNo > before.transitionNo, `step ${n}`);
      assert.ok(state.updatedAt.getTime() >= before.updatedAt.getTime(), `step ${n}`);
    }
  });
}
