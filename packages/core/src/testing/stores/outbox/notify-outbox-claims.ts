import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ClaimedOutboxRow, OutboxClaimRequest } from '../../../stores/notify-outbox.js';
import { claimedRow, leaseMs, newOutboxRow, one, outboxClaim } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

/** Claims and their leases (NOT-6, NOT-11). */
export function outboxClaimCases<Tx>(it: ContractCase<Tx>): void {
  it('NOT-6: a claim counts the attempt, marks the row sending and gives it as it is stored', async ({ stores }) => {
    await stores.outbox.add([newOutboxRow()]);
    const { row, lease } = await claimedRow(stores, { owner: 'o', token: 't' });
    assert.deepEqual(lease, { rowId: row.id, owner: 'o', token: 't' });
    assert.deepEqual(
      [row.status, row.attempts, row.phase, row.notifiedAt, row.notificationId],
      ['sending', 1, 'none', null, null],
    );
    assert.deepEqual(one(await stores.outbox.list({})), row);
  });

  it('NOT-11: a leased row is claimed by nobody else until its lease ends', async ({ stores, clock }) => {
    await stores.outbox.add([newOutboxRow()]);
    await claimedRow(stores);
    assert.deepEqual(await stores.outbox.claim(outboxClaim()), []);
    await clock.advance(leaseMs - 1);
    assert.deepEqual(await stores.outbox.claim(outboxClaim()), []);
    await clock.advance(1);
    assert.equal((await claimedRow(stores)).row.attempts, 2);
  });

  it('NOT-11: twenty concurrent claims take every row once', async ({ stores }) => {
    await stores.outbox.add(Array.from({ length: 30 }, (_, n) => newOutboxRow({ reviewVersion: n + 1 })));
    const taken = (
      await Promise.all(Array.from({ length: 20 }, () => stores.outbox.claim(outboxClaim({ limit: 2 }))))
    ).flat();
    assert.equal(taken.length, 30);
    assert.equal(new Set(taken.map(({ row }) => row.id)).size, 30);
    assert.deepEqual(await stores.outbox.claim(outboxClaim()), []);
  });

  it('NOT-6: a claim by ids takes those of them that are due and of its mailers, and no other row', async ({
    stores,
    clock,
  }) => {
    const added = await stores.outbox.add([
      newOutboxRow(),
      newOutboxRow({ reviewVersion: 2 }),
      newOutboxRow({ reviewVersion: 3, via: 'chat' }),
      newOutboxRow({ reviewVersion: 4 }),
    ]);
    const [first, second, chat, fourth] = added.map(({ row }) => row.id);
    assert.ok(first && second && chat && fourth);
    const versions = (claimed: readonly ClaimedOutboxRow[]): number[] => claimed.map(({ row }) => row.reviewVersion);
    const ids = [fourth, chat, 'no-such-row', second, second, randomUUID()];
    assert.deepEqual(versions(await stores.outbox.claim(outboxClaim({ ids, limit: 1 }))), [2]);
    assert.deepEqual(versions(await stores.outbox.claim(outboxClaim({ ids }))), [4]);
    assert.deepEqual(versions(await stores.outbox.claim(outboxClaim({ ids }))), []);
    await clock.advance(leaseMs); // expired leases are due again
    const again = await stores.outbox.claim(outboxClaim({ ids: [second] }));
    assert.deepEqual(versions(again), [2]);
    await stores.outbox.settle([
      { lease: one(again).lease, kind: 'sent', notificationId: 'n-1', provider: 'smtp', recovered: false },
    ]);
    const reconcile = { purpose: { reconcile: { olderThanMs: 0 } } };
    await clock.advance(1);
    assert.deepEqual(await stores.outbox.claim(outboxClaim({ ...reconcile, ids: [first, fourth] })), []);
    assert.deepEqual(versions(await stores.outbox.claim(outboxClaim({ ...reconcile, ids: [first, second] }))), [2]);
    assert.deepEqual(versions(await stores.outbox.claim(outboxClaim())), [1, 4]);
    for (const bad of [[], [''], Array.from({ length: 1001 }, () => first)])
      await assert.rejects(stores.outbox.claim(outboxClaim({ ids: bad })), TypeError);
  });

  it('NOT-6: a claim takes rows of the mailers it names and leaves the others, due as they are', async ({
    stores,
    clock,
  }) => {
    await stores.outbox.add([
      newOutboxRow({ via: 'chat' }),
      newOutboxRow({ reviewVersion: 2 }),
      newOutboxRow({ reviewVersion: 3, via: 'webhook' }),
    ]);
    const vias = (claimed: readonly ClaimedOutboxRow[]): string[] => claimed.map(({ row }) => row.via).sort();
    assert.deepEqual(vias(await stores.outbox.claim(outboxClaim({ via: ['pager'] }))), []);
    // The oldest row is another mailer's: it must not take the place of a row of this one.
    assert.deepEqual(vias(await stores.outbox.claim(outboxClaim({ limit: 1 }))), ['smtp']);
    const others = outboxClaim({ via: ['chat', 'webhook'] });
    assert.deepEqual(vias(await stores.outbox.claim(others)), ['chat', 'webhook']);
    await clock.advance(leaseMs); // an expired lease does not make a row anybody's
    assert.deepEqual(vias(await stores.outbox.claim(outboxClaim())), ['smtp']);
    assert.deepEqual(vias(await stores.outbox.claim(outboxClaim({ via: ['chat'] }))), ['chat']);
  });

  it('NOT-2: a claim says of each row whether a higher version of the review has rows', async ({ stores, clock }) => {
    const change = { changelistId: 'p4main/1003' };
    await stores.outbox.add([newOutboxRow(change), newOutboxRow({ changelistId: 'p4main/1004', reviewVersion: 9 })]);
    const supersededOf = async (over: Partial<OutboxClaimRequest> = {}): Promise<unknown[]> =>
      (await stores.outbox.claim(outboxClaim(over)))
        .map(({ row, superseded }) => [row.changelistId, row.reviewVersion, superseded])
        .sort();
    assert.deepEqual(await supersededOf(), [
      ['p4main/1003', 1, false],
      ['p4main/1004', 9, false],
    ]);
    await clock.advance(leaseMs);
    await stores.outbox.add([newOutboxRow({ ...change, reviewVersion: 2, recipient: 'other@example.com' })]);
    assert.deepEqual(await supersededOf(), [
      ['p4main/1003', 1, true],
      ['p4main/1003', 2, false],
      ['p4main/1004', 9, false],
    ]);
  });

  it('NOT-11: a claim takes at most its limit; a malformed one is a TypeError', async ({ stores }) => {
    await stores.outbox.add(Array.from({ length: 3 }, (_, n) => newOutboxRow({ reviewVersion: n + 1 })));
    for (const over of [{ limit: 0 }, { leaseMs: 0 }, { owner: '' }, { token: '' }, { via: [] }, { via: [''] }]) {
      await assert.rejects(stores.outbox.claim(outboxClaim(over)), TypeError);
    }
    assert.equal((await stores.outbox.claim(outboxClaim({ limit: 2 }))).length, 2);
  });

  it('NOT-11: heartbeats keep the row, by owner and token', async ({ stores, clock }) => {
    await stores.outbox.add([newOutboxRow()]);
    const { lease } = await claimedRow(stores);
    await clock.advance(leaseMs - 1);
    const leases = [
      { ...lease, owner: 'other' },
      lease,
      { ...lease, token: randomUUID() },
      { ...lease, rowId: randomUUID() },
    ];
    assert.deepEqual(await stores.outbox.heartbeat(leases, leaseMs), [
      'lease-lost',
      'renewed',
      'lease-lost',
      'lease-lost',
    ]);
    await clock.advance(leaseMs - 1);
    assert.deepEqual(await stores.outbox.claim(outboxClaim()), []);
    await clock.advance(1);
    await claimedRow(stores);
    assert.deepEqual(await stores.outbox.heartbeat([lease], leaseMs), ['lease-lost']);
  });
}
