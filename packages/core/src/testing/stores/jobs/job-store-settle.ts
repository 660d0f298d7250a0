import assert from 'node:assert/strict';
import type { Lease } from '../../../stores/job.js';
import {
  claimed,
  claimRequest,
  enqueued,
  jobNow,
  leaseMs,
  one,
  person,
  running,
  sampleDeadLetter,
  sampleFailure,
  settled,
} from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

function progress<Tx>(it: ContractCase<Tx>): void {
  it('ERR-5: advance keeps the lease, counts the next stage’s attempt and clears the failure window', async ({
    stores,
    clock,
  }) => {
    const first = await running(stores);
    await settled(stores, { lease: first.lease, kind: 'retry', delayMs: 0, failure: sampleFailure() });
    const { job, lease } = await claimed(stores);
    assert.notEqual(job.firstFailureAt, null);
    await clock.advance(7000);
    await settled(stores, {
      lease,
      kind: 'advance',
      stage: 'llm',
      leaseMs,
      effects: { outputs: { 'fetch.redacted': 'a-1' } },
    });
    const next = await jobNow(stores, job.id);
    assert.deepEqual(
      [next.status, next.claimedBy, next.stage, next.attempts, next.outputs],
      ['running', lease.owner, 'llm', { fetch: 2, llm: 1 }, { 'fetch.redacted': 'a-1' }],
    );
    assert.deepEqual(
      [next.firstFailureAt, next.lastFailureAt, next.lastFailure, next.lostLeases],
      [null, null, null, 0],
    );
    assert.deepEqual(next.leaseExpiresAt, new Date((await stores.now()).getTime() + leaseMs));
    assert.deepEqual(await stores.jobs.heartbeat([lease], leaseMs), ['renewed']);
  });

  it('WQ-5: checkpoint merges outputs, renews the lease and spends nothing', async ({ stores, clock }) => {
    const { job, lease } = await running(stores);
    await clock.advance(20_000);
    await settled(stores, {
      lease,
      kind: 'checkpoint',
      leaseMs,
      effects: { outputs: { 'llm.reply.1': 'a-1', keep: 'k' } },
    });
    await settled(stores, {
      lease,
      kind: 'checkpoint',
      leaseMs,
      effects: { outputs: { 'llm.reply.1': 'a-2', 'llm.reply.2': 'a-3' } },
    });
    const next = await jobNow(stores, job.id);
    assert.deepEqual(next.outputs, { 'llm.reply.1': 'a-2', 'llm.reply.2': 'a-3', keep: 'k' });
    assert.deepEqual([next.status, next.stage, next.attempts], ['running', 'fetch', { fetch: 1 }]);
    assert.deepEqual(next.leaseExpiresAt, new Date((await stores.now()).getTime() + leaseMs));
  });

  it('WQ-9 INV-2: a reclaimed job still has the outputs of its checkpoints', async ({ stores, clock }) => {
    const { lease } = await running(stores);
    await settled(stores, { lease, kind: 'checkpoint', leaseMs, effects: { outputs: { 'llm.reply.1': 'a-1' } } });
    await clock.advance(leaseMs);
    assert.deepEqual((await claimed(stores)).job.outputs, { 'llm.reply.1': 'a-1' });
  });
}

function ends<Tx>(it: ContractCase<Tx>): void {
  it('WQ-7: done completes, clears the lease and keeps the result', async ({ stores, clock }) => {
    const { job, lease } = await running(stores);
    await clock.advance(3000);
    await settled(stores, {
      lease,
      kind: 'done',
      result: { findings: 3 },
      requireNotified: false,
      effects: { outputs: { r: 'a-1' } },
    });
    const done = await jobNow(stores, job.id);
    assert.deepEqual(
      [done.status, done.claimedBy, done.leaseExpiresAt, done.result, done.outputs],
      ['completed', null, null, { findings: 3 }, { r: 'a-1' }],
    );
    assert.deepEqual([done.finishedAt, done.updatedAt], [await stores.now(), await stores.now()]);
    assert.ok(done.transitionNo > job.transitionNo);
    assert.deepEqual(
      await stores.jobs.settle([{ lease, kind: 'done', result: { late: true }, requireNotified: false }]),
      ['lease-lost'],
    );
    assert.deepEqual(await stores.jobs.heartbeat([lease], leaseMs), ['lease-lost']);
    assert.deepEqual(await jobNow(stores, job.id), done);
  });

  it('WQ-7: done with deleteRow leaves no row, frees the key and is fenced like any other', async ({
    stores,
    clock,
  }) => {
    const { job, lease } = await running(stores, { idempotencyKey: 'again' });
    const deleteRow = { kind: 'done', result: {}, requireNotified: false, deleteRow: true } as const;
    assert.deepEqual(await stores.jobs.settle([{ ...deleteRow, lease: { ...lease, token: 'another' } }]), [
      'lease-lost',
    ]);
    const kept = await running(stores, { idempotencyKey: 'kept' });
    const both = [
      { ...deleteRow, lease },
      { lease: kept.lease, kind: 'done', result: { kept: true }, requireNotified: false },
    ] as const;
    assert.deepEqual(await stores.jobs.settle(both), ['settled', 'settled']);
    assert.deepEqual(await stores.jobs.settle([{ ...deleteRow, lease }]), ['lease-lost']);
    assert.deepEqual(await stores.jobs.get([job.id]), [null]);
    assert.equal((await jobNow(stores, kept.job.id)).status, 'completed');
    await clock.advance(leaseMs);
    assert.deepEqual(await stores.jobs.requeueExpired(), []);
    assert.notEqual((await enqueued(stores, { idempotencyKey: 'again' })).id, job.id);
    for (const wrong of [{ requireNotified: true }, { effects: { outputs: { a: 'x' } } }])
      await assert.rejects(stores.jobs.settle([{ ...deleteRow, ...wrong, lease }]), TypeError);
  });

  it('WQ-7 INV-3: of many ends that delete their rows each is fenced by itself', async ({ stores }) => {
    const owner = 'one-process';
    for (const idempotencyKey of ['a', 'b', 'c', 'd']) await enqueued(stores, { idempotencyKey });
    const leases = (await stores.jobs.claim({ ...claimRequest(), owner, limit: 3 })).map(({ lease }) => lease);
    const other = (await claimed(stores, { owner })).lease;
    const end = (lease: Lease) =>
      ({ lease, kind: 'done', result: {}, requireNotified: false, deleteRow: true }) as const;
    const [first, second, third] = leases as [Lease, Lease, Lease];
    const ends = [
      end(first),
      end({ ...second, token: other.token }),
      end(other),
      end(first),
      end({ ...third, owner: 'another' }),
    ];
    assert.deepEqual(await stores.jobs.settle(ends), ['settled', 'lease-lost', 'settled', 'lease-lost', 'lease-lost']);
    const ids = [...leases, other].map(({ jobId }) => jobId);
    const left = async () => (await stores.jobs.get(ids)).map((job) => job?.status ?? null);
    assert.deepEqual(await left(), [null, 'running', 'running', null]);
    assert.deepEqual(await stores.jobs.settle([end(second), end(third)]), ['settled', 'settled']);
    assert.deepEqual(await left(), [null, null, null, null]);
  });

  it('WQ-7 INV-3: of the ends of two claims, many of each, one that is lost takes no other with it', async ({
    stores,
  }) => {
    for (let n = 0; n < 40; n++) await enqueued(stores, { idempotencyKey: `many-${n}` });
    const request = { ...claimRequest(), limit: 20 };
    const first = (await stores.jobs.claim(request)).map(({ lease }) => lease);
    const second = (await stores.jobs.claim({ ...request, token: 'second' })).map(({ lease }) => lease);
    const end = (lease: Lease) =>
      ({ lease, kind: 'done', result: {}, requireNotified: false, deleteRow: true }) as const;
    const stolen = first.map((lease) => end({ ...lease, token: 'second' }));
    const swapped = [...stolen, ...second.map((lease) => end({ ...lease, owner: 'another' }))];
    assert.deepEqual(new Set(await stores.jobs.settle(swapped)), new Set(['lease-lost']));
    assert.deepEqual(await stores.jobs.settle([end(first[9] as Lease)]), ['settled']);
    const outcomes = await stores.jobs.settle([...second, ...first].map(end));
    assert.deepEqual([outcomes.indexOf('lease-lost'), outcomes.lastIndexOf('lease-lost')], [29, 29]);
    assert.deepEqual(new Set(await stores.jobs.get([...first, ...second].map(({ jobId }) => jobId))), new Set([null]));
  });

  it('WQ-7 INV-3: of the ends of one claim, one under another owner is lost and keeps its row, wherever it stands', async ({
    stores,
  }) => {
    const limit = 24;
    for (const place of [0, 9, limit - 1]) {
      for (let n = 0; n < limit; n++) await enqueued(stores, { idempotencyKey: `${place}-${n}` });
      const leases = (await stores.jobs.claim(claimRequest({ limit }))).map(({ lease }) => lease);
      const end = (lease: Lease) =>
        ({ lease, kind: 'done', result: {}, requireNotified: false, deleteRow: true }) as const;
      const ends = leases.map((lease, n) => end(n === place ? { ...lease, owner: 'another' } : lease));
      const expected = (lost: string, others: string | null) =>
        Array.from({ length: limit }, (_, n) => (n === place ? lost : others));
      assert.deepEqual(await stores.jobs.settle(ends), expected('lease-lost', 'settled'));
      const left = (await stores.jobs.get(leases.map(({ jobId }) => jobId))).map((job) => job?.status ?? null);
      assert.deepEqual(left, expected('running', null));
      assert.deepEqual(await stores.jobs.settle([end(leases[place] as Lease)]), ['settled']);
    }
  });

  it('ERR-10: a replay keeps its row whatever deleteRow says: the letter is not closed yet', async ({ stores }) => {
    const first = await running(stores);
    await settled(stores, { lease: first.lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() });
    const { id } = one(await stores.deadLetters.list({}));
    const replay = { deadLetterId: id, stage: 'fetch', fromStart: false, actor: person('op'), evidence: 'fixed' };
    assert.equal(await stores.deadLetters.replay(replay), 'replayed');
    for (let n = 0; n < 20; n++) await enqueued(stores, { idempotencyKey: `fresh-${n}` });
    const leases = (await stores.jobs.claim({ ...claimRequest(), limit: 21 })).map(({ lease }) => lease);
    const end = { kind: 'done', result: { n: 1 }, requireNotified: false, deleteRow: true } as const;
    const outcomes = await stores.jobs.settle(leases.map((lease) => ({ ...end, lease })));
    assert.deepEqual([outcomes.length, new Set(outcomes)], [21, new Set(['settled'])]);
    const left = (await stores.jobs.get(leases.map(({ jobId }) => jobId))).filter((job) => job !== null);
    assert.deepEqual(
      left.map((job) => [job.id, job.status, job.result]),
      [[first.job.id, 'completed', { n: 1 }]],
    );
  });
}

/**
 * `JobStore.settle` of what went on or completed. Other ends are in `job-store-settle-failure.ts`, its
 * fence in `job-store-fence.ts`, what commits with it in `job-store-effects.ts`.
 */
export function settleCases<Tx>(it: ContractCase<Tx>): void {
  progress(it);
  ends(it);
}
