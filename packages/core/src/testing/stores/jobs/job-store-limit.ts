import assert from 'node:assert/strict';
import type { Stores } from '../../../stores/stores.js';
import { claimed, claimRequest, enqueued, leaseMs, newJob, running, settled } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

/** Jobs that run under a lease that has not expired: what W bounds. */
async function active<Tx>(stores: Stores<Tx>): Promise<number> {
  const now = (await stores.now()).getTime();
  const jobs = await stores.jobs.list({ status: 'running', limit: 1000 });
  return jobs.filter((job) => (job.leaseExpiresAt?.getTime() ?? 0) > now).length;
}

/** The limit named `running` (WQ-10). */
export function limitCases<Tx>(it: ContractCase<Tx>): void {
  it('WQ-10: one claim never takes more than the limit leaves', async ({ stores }) => {
    await stores.limits.set('running', 3);
    await stores.jobs.enqueue(Array.from({ length: 10 }, () => newJob()));
    assert.equal((await stores.jobs.claim(claimRequest({ limit: 2 }))).length, 2);
    assert.equal((await stores.jobs.claim(claimRequest({ limit: 10 }))).length, 1);
    assert.deepEqual(await stores.jobs.claim(claimRequest({ limit: 10 })), []);
    assert.equal(await active(stores), 3);
  });

  it('WQ-10: concurrent claims together stay within the limit', async ({ stores }) => {
    await stores.limits.set('running', 4);
    await stores.jobs.enqueue(Array.from({ length: 40 }, () => newJob()));
    const taken = (
      await Promise.all(Array.from({ length: 20 }, () => stores.jobs.claim(claimRequest({ limit: 2 }))))
    ).flat();
    assert.ok(taken.length <= 4, `${taken.length} claimed`);
    assert.equal(await active(stores), taken.length);
    // Callers that found the limit busy may have left with nothing; nobody may be starved by it.
    await stores.jobs.claim(claimRequest({ limit: 10 }));
    assert.equal(await active(stores), 4);
  });

  it('WQ-10: the limit counts every kind', async ({ stores }) => {
    await stores.limits.set('running', 1);
    await running(stores, { kind: 'mail' });
    await enqueued(stores, { kind: 'review' });
    assert.deepEqual(await stores.jobs.claim(claimRequest()), []);
  });

  it('WQ-10: every way to end a run frees its place', async ({ stores }) => {
    await stores.limits.set('running', 1);
    const ends = [
      { kind: 'done', result: {}, requireNotified: false },
      { kind: 'retry', delayMs: 3_600_000, failure: { code: 'X', category: 'network', message: 'm' } },
      { kind: 'wait', delayMs: 3_600_000, reason: 'breaker' },
    ] as const;
    for (const end of ends) {
      const { lease } = await running(stores);
      await enqueued(stores, { kind: 'probe' });
      assert.deepEqual(await stores.jobs.claim(claimRequest({ kinds: ['probe'] })), []);
      await settled(stores, { lease, ...end });
      const probe = await claimed(stores, { kinds: ['probe'] });
      await settled(stores, { lease: probe.lease, kind: 'done', result: {}, requireNotified: false });
    }
  });

  it('WQ-10: expired leases do not count', async ({ stores, clock }) => {
    await stores.limits.set('running', 2);
    await stores.jobs.enqueue(Array.from({ length: 6 }, () => newJob()));
    assert.equal((await stores.jobs.claim(claimRequest({ limit: 6 }))).length, 2);
    await clock.advance(leaseMs);
    assert.equal((await stores.jobs.claim(claimRequest({ limit: 6 }))).length, 2);
    assert.equal(await active(stores), 2);
  });

  it('WQ-10: a lease whose place was given away after its expiry cannot be renewed', async ({ stores, clock }) => {
    await stores.limits.set('running', 1);
    const late = await running(stores, { priority: -1 });
    const other = await enqueued(stores, { kind: 'other' });
    await clock.advance(leaseMs);
    assert.equal((await claimed(stores, { kinds: ['other'] })).job.id, other.id);
    await stores.jobs.heartbeat([late.lease], leaseMs);
    await stores.jobs.settle([{ lease: late.lease, kind: 'checkpoint', leaseMs }]);
    assert.equal(await active(stores), 1);
  });

  it('WQ-10: a limit set, raised or removed binds the next claim', async ({ stores }) => {
    await stores.jobs.enqueue(Array.from({ length: 10 }, () => newJob()));
    await stores.limits.set('running', 1);
    assert.equal((await stores.jobs.claim(claimRequest({ limit: 10 }))).length, 1);
    await stores.limits.set('running', 3);
    assert.equal((await stores.jobs.claim(claimRequest({ limit: 10 }))).length, 2);
    await stores.limits.set('running', 2);
    assert.deepEqual(await stores.jobs.claim(claimRequest({ limit: 10 })), []);
    await stores.limits.set('running', null);
    assert.equal((await stores.jobs.claim(claimRequest({ limit: 10 }))).length, 7);
  });
}
