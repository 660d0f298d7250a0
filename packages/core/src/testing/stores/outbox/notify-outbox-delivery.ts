import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ClaimedOutboxRow, OutboxLease, OutboxRow, OutboxSettlement } from '../../../stores/notify-outbox.js';
import type { Stores } from '../../../stores/stores.js';
import { claimedRow, leaseMs, newOutboxRow, one, outboxClaim, sampleDeliveryFailure } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

const sent = { kind: 'sent', notificationId: 'n-1', provider: 'smtp', recovered: false } as const;

async function rowNow<Tx>(stores: Stores<Tx>): Promise<OutboxRow> {
  return one(await stores.outbox.list({}));
}

function claims<Tx>(it: ContractCase<Tx>): void {
  it('NOT-6: a claim counts the attempt, marks the row sending and gives it as it is stored', async ({ stores }) => {
    await stores.outbox.add([newOutboxRow()]);
    const { row, lease } = await claimedRow(stores, { owner: 'o', token: 't' });
    assert.deepEqual(lease, { rowId: row.id, owner: 'o', token: 't' });
    assert.deepEqual(
      [row.status, row.attempts, row.phase, row.notifiedAt, row.notificationId],
      ['sending', 1, 'none', null, null],
    );
    assert.deepEqual(await rowNow(stores), row);
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
    await stores.outbox.settle([{ lease: one(again).lease, ...sent }]);
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

function settlements<Tx>(it: ContractCase<Tx>): void {
  it('NOT-5: sent sets provider id, notifiedAt and status in one write', async ({ stores, clock }) => {
    await stores.outbox.add([newOutboxRow()]);
    const { lease } = await claimedRow(stores);
    await clock.advance(1500);
    assert.deepEqual(await stores.outbox.settle([{ lease, ...sent, possibleDuplicate: true }]), ['settled']);
    const row = await rowNow(stores);
    assert.deepEqual(
      [row.status, row.notificationId, row.notifiedAt, row.provider, row.possibleDuplicate, row.attempts],
      ['sent', 'n-1', await stores.now(), 'smtp', true, 1],
    );
  });

  it('NOT-4: a sent row is never due again', async ({ stores, clock }) => {
    await stores.outbox.add([newOutboxRow()]);
    const { lease } = await claimedRow(stores);
    await stores.outbox.settle([{ lease, ...sent }]);
    await clock.advance(10 * leaseMs);
    assert.equal(await stores.outbox.requeueExpired(), 0);
    assert.deepEqual(await stores.outbox.claim(outboxClaim()), []);
    assert.deepEqual(await stores.outbox.settle([{ lease, kind: 'failed', failure: sampleDeliveryFailure() }]), [
      'lease-lost',
    ]);
    assert.equal((await rowNow(stores)).status, 'sent');
  });

  it('NOT-9: retry comes back after its delay with the failure, the attempt spent and the phase proven', async ({
    stores,
    clock,
  }) => {
    await stores.outbox.add([newOutboxRow()]);
    const { lease } = await claimedRow(stores);
    await stores.outbox.recordPhase(lease, 'envelope');
    const failure = sampleDeliveryFailure();
    await stores.outbox.settle([{ lease, kind: 'retry', delayMs: 5000, failure, phase: 'data' }]);
    const row = await rowNow(stores);
    assert.deepEqual([row.status, row.attempts, row.phase, row.lastFailure], ['pending', 1, 'data', failure]);
    assert.deepEqual(row.nextAttemptAt, new Date((await stores.now()).getTime() + 5000));
    await clock.advance(4999);
    assert.deepEqual(await stores.outbox.claim(outboxClaim()), []);
    await clock.advance(1);
    assert.equal((await claimedRow(stores)).row.attempts, 2);
  });

  it('NOT-9: wait gives the attempt back (R9)', async ({ stores, clock }) => {
    await stores.outbox.add([newOutboxRow()]);
    const { lease } = await claimedRow(stores);
    await stores.outbox.recordPhase(lease, 'data');
    await stores.outbox.settle([{ lease, kind: 'wait', delayMs: 5000, reason: 'settling', phase: 'data' }]);
    const row = await rowNow(stores);
    assert.deepEqual([row.status, row.attempts, row.phase, row.lastFailure], ['pending', 0, 'data', null]);
    assert.deepEqual(await stores.outbox.claim(outboxClaim()), []);
    await clock.advance(5000);
    assert.equal((await claimedRow(stores)).row.attempts, 1);
  });

  it('NOT-9: a row that waits says for what, until it is claimed again or closed', async ({ stores, clock }) => {
    await stores.outbox.add([newOutboxRow()]);
    const failure = sampleDeliveryFailure();
    const waits = async (): Promise<unknown> => {
      const { waitingFor, lastFailure } = await rowNow(stores);
      return [waitingFor, lastFailure];
    };
    const wait = async (): Promise<void> => {
      const { lease, row } = await claimedRow(stores);
      assert.equal(row.waitingFor, null, 'a claimed row does not wait');
      await stores.outbox.settle([{ lease, kind: 'wait', delayMs: 5000, reason: 'SMTP_DOWN', phase: 'none' }]);
    };
    await wait();
    assert.deepEqual(await waits(), ['SMTP_DOWN', null]);
    await clock.advance(5000);
    const { lease, row } = await claimedRow(stores);
    assert.equal(row.waitingFor, null, 'a claimed row waits no more');
    await stores.outbox.settle([{ lease, kind: 'retry', delayMs: 0, failure, phase: 'none' }]);
    assert.deepEqual(await waits(), [null, failure]);
    await wait();
    assert.deepEqual(await waits(), ['SMTP_DOWN', failure]);
    const { changelistId, reviewVersion } = await rowNow(stores);
    await stores.outbox.cancelOlder(changelistId, reviewVersion + 1);
    assert.deepEqual(await waits(), [null, failure]);
  });

  it('NOT-9: failed, unknown and cancelled rows wait for nobody', async ({ stores, clock }) => {
    const failure = { ...sampleDeliveryFailure('SMTP_550'), scope: 'recipient' } as const;
    const ends: ((lease: OutboxLease) => OutboxSettlement)[] = [
      (lease) => ({ lease, kind: 'failed', failure }),
      (lease) => ({ lease, kind: 'unknown', failure }),
      (lease) => ({ lease, kind: 'cancelled' }),
    ];
    for (const [n, end] of ends.entries()) {
      await stores.outbox.add([newOutboxRow({ reviewVersion: n + 1 })]);
      const { lease } = await claimedRow(stores);
      assert.deepEqual(await stores.outbox.settle([end(lease)]), ['settled']);
    }
    await clock.advance(100 * leaseMs);
    assert.equal(await stores.outbox.requeueExpired(), 0);
    assert.deepEqual(await stores.outbox.claim(outboxClaim()), []);
    const rows = await stores.outbox.list({});
    assert.deepEqual(
      rows.map((row) => [row.status, row.notifiedAt, row.lastFailure?.code]),
      [
        ['cancelled', null, undefined],
        ['unknown', null, 'SMTP_550'],
        ['failed', null, 'SMTP_550'],
      ],
    );
  });

  it('NOT-11: a settlement under a lost lease writes nothing', async ({ stores, clock }) => {
    await stores.outbox.add([newOutboxRow()]);
    const { lease } = await claimedRow(stores);
    const thieves = [
      { ...lease, owner: 'other' },
      { ...lease, token: randomUUID() },
      { ...lease, rowId: randomUUID() },
    ];
    const outcomes = await stores.outbox.settle(thieves.map((thief) => ({ lease: thief, ...sent })));
    assert.deepEqual(outcomes, ['lease-lost', 'lease-lost', 'lease-lost']);
    await clock.advance(leaseMs);
    const current = await claimedRow(stores);
    assert.deepEqual(await stores.outbox.settle([{ lease, ...sent }]), ['lease-lost']);
    assert.deepEqual(await rowNow(stores), current.row);
  });

  it('NOT-11: one call settles a mixture, answers in order', async ({ stores }) => {
    await stores.outbox.add(Array.from({ length: 3 }, (_, n) => newOutboxRow({ reviewVersion: n + 1 })));
    const [a, b, c] = await stores.outbox.claim(outboxClaim());
    assert.ok(a && b && c);
    const outcomes = await stores.outbox.settle([
      { lease: c.lease, kind: 'failed', failure: sampleDeliveryFailure() },
      { lease: { ...b.lease, token: randomUUID() }, ...sent },
      { lease: a.lease, ...sent },
    ]);
    assert.deepEqual(outcomes, ['settled', 'lease-lost', 'settled']);
    assert.deepEqual(
      await stores.outbox.stats().then(({ sent: s, failed, sending }) => [s, failed, sending]),
      [1, 1, 1],
    );
  });

  it('NOT-11: ten sweeps at once requeue each row once', async ({ stores, clock }) => {
    await stores.outbox.add(Array.from({ length: 6 }, (_, n) => newOutboxRow({ reviewVersion: n + 1 })));
    await stores.outbox.claim(outboxClaim());
    assert.equal(await stores.outbox.requeueExpired(), 0);
    await clock.advance(leaseMs);
    assert.equal(await stores.outbox.requeueExpired({ limit: 2 }), 2);
    const counts = await Promise.all(Array.from({ length: 10 }, () => stores.outbox.requeueExpired()));
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      4,
    );
    assert.equal((await stores.outbox.claim(outboxClaim())).length, 6);
  });
}

/** Claims and settlements of a delivery. */
export function outboxDeliveryCases<Tx>(it: ContractCase<Tx>): void {
  claims(it);
  settlements(it);
}
