import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { claimed, claimRequest, enqueued, jobNow, leaseMs, newJob, one, running, settled } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

function heartbeats<Tx>(it: ContractCase<Tx>): void {
  it('WQ-5: a heartbeat moves the expiry to now plus the lease', async ({ stores, clock }) => {
    const { job, lease } = await running(stores);
    await clock.advance(10_000);
    assert.deepEqual(await stores.jobs.heartbeat([lease], leaseMs), ['renewed']);
    const renewed = await jobNow(stores, job.id);
    assert.deepEqual(renewed.leaseExpiresAt, new Date((await stores.now()).getTime() + leaseMs));
    assert.deepEqual([renewed.status, renewed.claimedBy, renewed.attempts], ['running', lease.owner, { fetch: 1 }]);
    await clock.advance(leaseMs - 1);
    assert.deepEqual(await stores.jobs.requeueExpired(), []);
  });

  it('WQ-5: wrong owner, wrong token, unknown job, queued job: lease lost and nothing written', async ({
    stores,
    clock,
  }) => {
    const { job, lease } = await running(stores);
    const queued = await enqueued(stores);
    await clock.advance(1000);
    const outcomes = await stores.jobs.heartbeat(
      [
        { ...lease, owner: 'another' },
        { ...lease, token: randomUUID() },
        { ...lease, jobId: randomUUID() },
        { ...lease, jobId: queued.id },
      ],
      leaseMs,
    );
    assert.deepEqual(outcomes, ['lease-lost', 'lease-lost', 'lease-lost', 'lease-lost']);
    assert.deepEqual(await jobNow(stores, job.id), job);
    assert.deepEqual(await jobNow(stores, queued.id), queued);
  });

  it('WQ-6: one call answers for each lease in order', async ({ stores }) => {
    await stores.jobs.enqueue([newJob(), newJob(), newJob()]);
    const taken = await stores.jobs.claim(claimRequest({ limit: 3 }));
    const [first, second, third] = taken.map(({ lease }) => lease);
    assert.ok(first && second && third);
    await settled(stores, { lease: second, kind: 'release' });
    assert.deepEqual(await stores.jobs.heartbeat([first, second, third], leaseMs), [
      'renewed',
      'lease-lost',
      'renewed',
    ]);
  });

  it('WQ-5: an expired lease that nobody took is still the owner’s to renew and to settle', async ({
    stores,
    clock,
  }) => {
    const { job, lease } = await running(stores);
    await clock.advance(leaseMs + 5000);
    assert.deepEqual(await stores.jobs.heartbeat([lease], leaseMs), ['renewed']);
    assert.deepEqual(await stores.jobs.requeueExpired(), []);
    await clock.advance(leaseMs + 5000);
    await settled(stores, { lease, kind: 'done', result: {}, requireNotified: false });
    assert.equal((await jobNow(stores, job.id)).status, 'completed');
  });

  it('WQ-6: after a requeue the old lease is lost', async ({ stores, clock }) => {
    const { job, lease } = await running(stores);
    await clock.advance(leaseMs);
    assert.equal(one(await stores.jobs.requeueExpired()).id, job.id);
    assert.deepEqual(await stores.jobs.heartbeat([lease], leaseMs), ['lease-lost']);
    assert.equal((await jobNow(stores, job.id)).status, 'queued');
  });

  it('INV-3: the same owner under a new token does not revive its old lease', async ({ stores, clock }) => {
    const owner = 'one-process';
    await enqueued(stores);
    const old = await claimed(stores, { owner });
    await clock.advance(leaseMs);
    const current = await claimed(stores, { owner });
    assert.deepEqual(await stores.jobs.heartbeat([old.lease], 10 * leaseMs), ['lease-lost']);
    // Plain ends, with and without their row, may take a shorter way through a store than the rest.
    const done = { lease: old.lease, kind: 'done', result: {}, requireNotified: false } as const;
    for (const late of [{ lease: old.lease, kind: 'release' }, done, { ...done, deleteRow: true }] as const)
      assert.deepEqual(await stores.jobs.settle([late]), ['lease-lost']);
    assert.deepEqual(await jobNow(stores, current.job.id), current.job);
  });

  it('WQ-5: a malformed lease length is a TypeError', async ({ stores }) => {
    const { lease } = await running(stores);
    await assert.rejects(stores.jobs.heartbeat([lease], 0), TypeError);
    await assert.rejects(stores.jobs.heartbeat([lease], Number.NaN), TypeError);
  });
}

function sweeps<Tx>(it: ContractCase<Tx>): void {
  it('WQ-8: a sweep requeues what expired, clears the lease and counts it', async ({ stores, clock }) => {
    const { job } = await running(stores);
    assert.deepEqual(await stores.jobs.requeueExpired(), []);
    await clock.advance(leaseMs);
    assert.deepEqual(await stores.jobs.requeueExpired(), [{ id: job.id, kind: 'review', lostLeases: 1 }]);
    const back = await jobNow(stores, job.id);
    assert.deepEqual([back.status, back.claimedBy, back.leaseExpiresAt, back.lostLeases], ['queued', null, null, 1]);
    assert.deepEqual(back.attempts, { fetch: 1 });
    assert.deepEqual(back.updatedAt, await stores.now());
    assert.ok(back.transitionNo > job.transitionNo);
    assert.deepEqual(await stores.jobs.requeueExpired(), []);
    assert.deepEqual(await jobNow(stores, job.id), back);
    assert.equal((await claimed(stores)).job.id, job.id);
  });

  it('WQ-8: ten sweeps at once requeue each job once', async ({ stores, clock }) => {
    await stores.jobs.enqueue(Array.from({ length: 12 }, () => newJob()));
    await stores.jobs.claim(claimRequest({ limit: 12 }));
    await clock.advance(leaseMs);
    const swept = (await Promise.all(Array.from({ length: 10 }, () => stores.jobs.requeueExpired()))).flat();
    assert.equal(new Set(swept.map(({ id }) => id)).size, 12);
    assert.equal(swept.length, 12);
    assert.ok((await stores.jobs.list({})).every((job) => job.lostLeases === 1));
  });

  it('WQ-8: a sweep touches no job that is completed, failed, queued or alive', async ({ stores, clock }) => {
    const done = await running(stores);
    await settled(stores, { lease: done.lease, kind: 'done', result: { ok: true }, requireNotified: false });
    const cancelled = await enqueued(stores);
    await stores.jobs.cancel([cancelled.id], 'not wanted');
    const queued = await enqueued(stores, { kind: 'other' });
    await clock.advance(10 * leaseMs);
    const alive = await running(stores);
    const ids = [done.job.id, cancelled.id, queued.id, alive.job.id];
    const before = await stores.jobs.get(ids);
    assert.deepEqual(await stores.jobs.requeueExpired(), []);
    assert.deepEqual(await stores.jobs.get(ids), before);
  });

  it('WQ-8: a sweep takes at most its limit', async ({ stores, clock }) => {
    await stores.jobs.enqueue(Array.from({ length: 5 }, () => newJob()));
    await stores.jobs.claim(claimRequest({ limit: 5 }));
    await clock.advance(leaseMs);
    assert.equal((await stores.jobs.requeueExpired({ limit: 2 })).length, 2);
    assert.equal((await stores.jobs.requeueExpired()).length, 3);
    await assert.rejects(stores.jobs.requeueExpired({ limit: 0 }), TypeError);
  });

  it('WQ-9: lost leases add up over crashes and a stage that ends well forgets them', async ({ stores, clock }) => {
    await enqueued(stores);
    for (const lost of [1, 2, 3]) {
      await claimed(stores);
      await clock.advance(leaseMs);
      assert.equal(one(await stores.jobs.requeueExpired()).lostLeases, lost);
    }
    const { job, lease } = await claimed(stores);
    assert.deepEqual([job.lostLeases, job.attempts], [3, { fetch: 4 }]);
    await settled(stores, { lease, kind: 'advance', stage: 'llm', leaseMs });
    assert.equal((await jobNow(stores, job.id)).lostLeases, 0);
  });
}

/** `heartbeat` and `requeueExpired`. */
export function leaseCases<Tx>(it: ContractCase<Tx>): void {
  heartbeats(it);
  sweeps(it);
}
