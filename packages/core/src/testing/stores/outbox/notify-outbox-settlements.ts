import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { OutboxLease, OutboxRow, OutboxSettlement } from '../../../stores/notify-outbox.js';
import type { Stores } from '../../../stores/stores.js';
import { claimedRow, leaseMs, newOutboxRow, one, outboxClaim, sampleDeliveryFailure } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

const sent = { kind: 'sent', notificationId: 'n-1', provider: 'smtp', recovered: false } as const;

async function rowNow<Tx>(stores: Stores<Tx>): Promise<OutboxRow> {
  return one(await stores.outbox.list({}));
}

/** Settlements of a delivery (NOT-5, NOT-9, NOT-11). */
export function outboxSettlementCases<Tx>(it: ContractCase<Tx>): void {
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
