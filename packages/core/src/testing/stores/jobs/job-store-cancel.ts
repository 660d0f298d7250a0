import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Job, Lease } from '../../../stores/job.js';
import type { Stores } from '../../../stores/stores.js';
import {
  claimed,
  claimRequest,
  enqueued,
  jobNow,
  leaseMs,
  running,
  sampleDeadLetter,
  sampleFailure,
  settled,
} from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

/** A running job that an operator asked to cancel. */
async function flagged<Tx>(stores: Stores<Tx>): Promise<{ job: Job; lease: Lease }> {
  const { job, lease } = await running(stores);
  assert.deepEqual(await stores.jobs.cancel([job.id], 'not wanted'), ['cancel-requested']);
  return { job, lease };
}

/** What a cancelled job looks like, however it came to it. */
const cancelledEnd = {
  ...{ status: 'failed', claimedBy: null, leaseExpiresAt: null, cancelReason: null },
  result: { cancelled: true, reason: 'not wanted' },
};
const endOf = ({ status, claimedBy, leaseExpiresAt, cancelReason, result }: Job) => ({
  ...{ status, claimedBy, leaseExpiresAt, cancelReason },
  result,
});

const priorities = async <Tx>(stores: Stores<Tx>): Promise<string[]> => {
  const order: string[] = [];
  for (const { job } of await stores.jobs.claim(claimRequest({ limit: 10 }))) order.push(job.id);
  return order;
};

/** `cancel` of a running job, and `setPriority`. */
// long: one case after the other
export function cancelCases<Tx>(it: ContractCase<Tx>): void {
  it('WQ-1 OPS-1: a heartbeat renews a lease whose job is to be cancelled, and tells its owner', async ({
    stores,
    clock,
  }) => {
    const { job, lease } = await flagged(stores);
    await clock.advance(1000);
    assert.deepEqual(await stores.jobs.heartbeat([lease], leaseMs), ['cancel-requested']);
    const now = await jobNow(stores, job.id);
    assert.deepEqual([now.status, now.cancelReason], ['running', 'not wanted']);
    assert.deepEqual(now.leaseExpiresAt, new Date((await stores.now()).getTime() + leaseMs));
    await settled(stores, { lease, kind: 'checkpoint', leaseMs });
    await settled(stores, { lease, kind: 'advance', stage: 'llm', leaseMs });
    assert.deepEqual(await stores.jobs.heartbeat([lease], leaseMs), ['cancel-requested']);
    assert.deepEqual(await stores.jobs.heartbeat([{ ...lease, token: randomUUID() }], leaseMs), ['lease-lost']);
  });

  const backs = [
    { kind: 'release' },
    { kind: 'retry', delayMs: 0, failure: sampleFailure() },
    { kind: 'wait', delayMs: 0, reason: 'busy' },
  ] as const;
  for (const back of backs) {
    const { kind } = back;
    it(`WQ-1 OPS-1: a job to be cancelled that its owner gives back by ${kind} ends without a dead letter`, async ({
      stores,
    }) => {
      const { job, lease } = await flagged(stores);
      await settled(stores, { lease, ...back });
      const ended = await jobNow(stores, job.id);
      assert.deepEqual(endOf(ended), cancelledEnd);
      assert.deepEqual(ended.finishedAt, await stores.now());
      assert.equal(ended.transitionNo, job.transitionNo + 2); // back to queued, and failed (ruling R1)
      assert.deepEqual(await stores.jobs.claim(claimRequest()), []);
      assert.deepEqual(await stores.deadLetters.list({}), []);
    });
  }

  it('WQ-1 OPS-1: a job to be cancelled whose owner died ends at the sweep, and at the claim', async ({
    stores,
    clock,
  }) => {
    const [one, other] = [await flagged(stores), await flagged(stores)];
    await clock.advance(leaseMs);
    assert.equal((await stores.jobs.requeueExpired({ limit: 1 })).length, 1);
    assert.deepEqual(await stores.jobs.claim(claimRequest({ limit: 10 })), []);
    for (const { job, lease } of [one, other]) {
      const ended = await jobNow(stores, job.id);
      assert.deepEqual(endOf(ended), cancelledEnd);
      assert.deepEqual([ended.lostLeases, ended.transitionNo], [1, job.transitionNo + 2]);
      assert.deepEqual(ended.finishedAt, await stores.now());
      assert.deepEqual(await stores.jobs.settle([{ lease, kind: 'release' }]), ['lease-lost']);
    }
  });

  it('WQ-1 OPS-1: an end that its owner writes before stands, and the job can be replayed', async ({ stores }) => {
    const done = await flagged(stores);
    await settled(stores, { lease: done.lease, kind: 'done', result: { ok: true }, requireNotified: false });
    const completed = await jobNow(stores, done.job.id);
    assert.deepEqual([completed.status, completed.result, completed.cancelReason], ['completed', { ok: true }, null]);
    const notified = await flagged(stores);
    await settled(stores, { lease: notified.lease, kind: 'done', result: {}, requireNotified: true });
    assert.equal((await jobNow(stores, notified.job.id)).cancelReason, null);
    const dead = await flagged(stores);
    await settled(stores, { lease: dead.lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() });
    const [letter] = await stores.deadLetters.list({});
    const request = { deadLetterId: letter?.id ?? '', stage: 'fetch', fromStart: false, evidence: 'e' };
    const actor = { type: 'admin_user', id: 'ada' } as const;
    assert.equal(await stores.deadLetters.replay({ ...request, actor }), 'replayed');
    assert.equal((await claimed(stores)).job.id, dead.job.id);
    assert.equal((await jobNow(stores, dead.job.id)).cancelReason, null);
  });

  it('WQ-3 OPS-1: setPriority moves a queued job in the order of claims, by compare-and-set', async ({ stores }) => {
    const [first, second, third] = [await enqueued(stores), await enqueued(stores), await enqueued(stores)];
    assert.equal(await stores.jobs.setPriority(third.id, { expected: 0, next: 5 }), 'set');
    assert.equal(await stores.jobs.setPriority(third.id, { expected: 0, next: 9 }), 'conflict');
    assert.equal(await stores.jobs.setPriority(first.id, { expected: 0, next: -1 }), 'set');
    assert.deepEqual([(await jobNow(stores, third.id)).priority, (await jobNow(stores, first.id)).priority], [5, -1]);
    assert.deepEqual(await priorities(stores), [third.id, second.id, first.id]);
    assert.equal(await stores.jobs.setPriority(third.id, { expected: 5, next: 0 }), 'not-queued');
    assert.equal(await stores.jobs.setPriority(randomUUID(), { expected: 0, next: 1 }), 'not-found');
    await assert.rejects(stores.jobs.setPriority(first.id, { expected: 0, next: 0.5 }), TypeError);
  });
}
