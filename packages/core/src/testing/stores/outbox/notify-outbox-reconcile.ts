import assert from 'node:assert/strict';
import { leaseMs, newOutboxRow, one, outboxClaim, sentRow } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

const hourMs = 3_600_000;
const reconcile = { purpose: { reconcile: { olderThanMs: hourMs } } } as const;

/** The audit of rows marked sent (NOT-8). */
export function outboxReconcileCases<Tx>(it: ContractCase<Tx>): void {
  it('NOT-8: a reconcile claim takes sent, unverified rows older than asked, and they stay sent', async ({
    stores,
    clock,
  }) => {
    const id = await sentRow(stores);
    await stores.outbox.add([newOutboxRow({ reviewVersion: 2 })]);
    assert.deepEqual(await stores.outbox.claim(outboxClaim(reconcile)), []);
    await clock.advance(hourMs + 1);
    const { row } = one(await stores.outbox.claim(outboxClaim(reconcile)));
    assert.deepEqual([row.id, row.status, row.attempts], [id, 'sent', 1]);
    assert.notEqual(row.notifiedAt, null);
    assert.deepEqual(await stores.outbox.claim(outboxClaim(reconcile)), []);
  });

  it('NOT-8: a reconcile claim leaves rows of other mailers', async ({ stores, clock }) => {
    await sentRow(stores);
    await clock.advance(hourMs + 1);
    assert.deepEqual(await stores.outbox.claim(outboxClaim({ ...reconcile, via: ['chat'] })), []);
    assert.equal((await stores.outbox.claim(outboxClaim({ ...reconcile, via: ['chat', 'smtp'] }))).length, 1);
  });

  it('NOT-8: verified is recorded and not looked at again', async ({ stores, clock }) => {
    await sentRow(stores);
    await clock.advance(hourMs + 1);
    const { lease } = one(await stores.outbox.claim(outboxClaim(reconcile)));
    assert.deepEqual(await stores.outbox.settle([{ lease, kind: 'verified' }]), ['settled']);
    const row = one(await stores.outbox.list({}));
    assert.deepEqual([row.status, row.verifiedAt], ['sent', await stores.now()]);
    await clock.advance(10 * hourMs);
    assert.deepEqual(await stores.outbox.claim(outboxClaim(reconcile)), []);
  });

  it('NOT-8: unverified stays sent and is looked at again later, not at once', async ({ stores, clock }) => {
    await sentRow(stores);
    await clock.advance(hourMs + 1);
    const { lease } = one(await stores.outbox.claim(outboxClaim(reconcile)));
    assert.deepEqual(await stores.outbox.settle([{ lease, kind: 'unverified' }]), ['settled']);
    const row = one(await stores.outbox.list({}));
    assert.deepEqual([row.status, row.verifiedAt], ['sent', null]);
    assert.notEqual(row.notifiedAt, null);
    assert.deepEqual(await stores.outbox.claim(outboxClaim(reconcile)), []);
    await clock.advance(hourMs + 1);
    assert.equal((await stores.outbox.claim(outboxClaim(reconcile))).length, 1);
  });

  it('NOT-8: reopen clears the markers and makes the row due', async ({ stores, clock }) => {
    await sentRow(stores);
    await clock.advance(hourMs + 1);
    const { lease } = one(await stores.outbox.claim(outboxClaim(reconcile)));
    assert.deepEqual(await stores.outbox.settle([{ lease, kind: 'reopen' }]), ['settled']);
    const row = one(await stores.outbox.list({}));
    assert.deepEqual(
      [row.status, row.notificationId, row.notifiedAt, row.verifiedAt, row.phase],
      ['pending', null, null, null, 'none'],
    );
    assert.equal(one(await stores.outbox.claim(outboxClaim())).row.id, row.id);
  });

  it('NOT-4: a reconciler that died leaves its row sent: no sweep and no delivery claim takes it', async ({
    stores,
    clock,
  }) => {
    await sentRow(stores);
    await clock.advance(hourMs + 1);
    const dead = one(await stores.outbox.claim(outboxClaim(reconcile)));
    await clock.advance(leaseMs);
    await stores.outbox.requeueExpired();
    assert.deepEqual(await stores.outbox.claim(outboxClaim()), []);
    assert.equal(one(await stores.outbox.list({})).status, 'sent');
    const next = one(await stores.outbox.claim(outboxClaim(reconcile)));
    assert.deepEqual(await stores.outbox.settle([{ lease: dead.lease, kind: 'reopen' }]), ['lease-lost']);
    assert.deepEqual(await stores.outbox.heartbeat([dead.lease, next.lease], leaseMs), ['lease-lost', 'renewed']);
    assert.equal(one(await stores.outbox.list({})).status, 'sent');
  });

  it('NOT-8: verified, unverified and reopen are for sent rows, the other settlements for rows under way', async ({
    stores,
    clock,
  }) => {
    await sentRow(stores);
    await clock.advance(hourMs + 1);
    const looking = one(await stores.outbox.claim(outboxClaim(reconcile)));
    await stores.outbox.add([newOutboxRow({ reviewVersion: 2 })]);
    const sending = one(await stores.outbox.claim(outboxClaim()));
    const before = await stores.outbox.list({});
    const wrong = await stores.outbox.settle([
      { lease: sending.lease, kind: 'verified' },
      { lease: sending.lease, kind: 'unverified' },
      { lease: sending.lease, kind: 'reopen' },
      { lease: looking.lease, kind: 'cancelled' },
      { lease: looking.lease, kind: 'wait', delayMs: 0, reason: 'none', phase: 'none' },
    ]);
    assert.deepEqual(wrong, Array(5).fill('lease-lost'));
    assert.deepEqual(await stores.outbox.list({}), before);
    assert.deepEqual(await stores.outbox.heartbeat([sending.lease, looking.lease], leaseMs), ['renewed', 'renewed']);
  });
}
