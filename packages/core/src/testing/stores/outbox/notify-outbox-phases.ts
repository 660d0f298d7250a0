import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { OutboxLease, OutboxRow } from '../../../stores/notify-outbox.js';
import type { Stores } from '../../../stores/stores.js';
import { claimedRow, leaseMs, newOutboxRow, one, sampleDeliveryFailure } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

async function rowNow<Tx>(stores: Stores<Tx>): Promise<OutboxRow> {
  return one(await stores.outbox.list({}));
}

/** `recordPhase`: what a crash must leave behind (NOT-6, ruling R6). */
export function outboxPhaseCases<Tx>(it: ContractCase<Tx>): void {
  it('NOT-6: phases are recorded at once, with the provider, its key window and the instant of the data', async ({
    stores,
    clock,
  }) => {
    await stores.outbox.add([newOutboxRow()]);
    const { lease } = await claimedRow(stores);
    assert.equal(await stores.outbox.recordPhase(lease, 'envelope', { provider: 'smtp' }), 'recorded');
    const envelope = await rowNow(stores);
    assert.deepEqual(
      [envelope.phase, envelope.dataAt, envelope.provider, envelope.providerKeyExpiresAt],
      ['envelope', null, 'smtp', null],
    );
    await clock.advance(1000);
    const dataAt = await stores.now();
    assert.equal(
      await stores.outbox.recordPhase(lease, 'data', { provider: 'api', providerKeyTtlMs: 60_000 }),
      'recorded',
    );
    const data = await rowNow(stores);
    assert.deepEqual([data.phase, data.dataAt, data.provider], ['data', dataAt, 'api']);
    assert.deepEqual(data.providerKeyExpiresAt, new Date(dataAt.getTime() + 60_000));
    await clock.advance(1000);
    await stores.outbox.recordPhase(lease, 'data');
    assert.deepEqual((await rowNow(stores)).dataAt, dataAt);
  });

  it('NOT-7: a flagged data phase stays flagged, whatever is recorded or settled later', async ({ stores, clock }) => {
    await stores.outbox.add([newOutboxRow()]);
    const first = await claimedRow(stores);
    await stores.outbox.recordPhase(first.lease, 'data');
    assert.equal((await rowNow(stores)).possibleDuplicate, false);
    await stores.outbox.recordPhase(first.lease, 'data', { possibleDuplicate: true });
    assert.equal((await rowNow(stores)).possibleDuplicate, true);
    await clock.advance(leaseMs);
    const second = await claimedRow(stores);
    assert.equal(second.row.possibleDuplicate, true);
    await stores.outbox.recordPhase(second.lease, 'data', { possibleDuplicate: false });
    await stores.outbox.settle([
      {
        ...{ lease: second.lease, kind: 'sent', notificationId: 'n-1', provider: 'smtp', recovered: true },
        possibleDuplicate: false,
      },
    ]);
    assert.equal((await rowNow(stores)).possibleDuplicate, true);
  });

  it('NOT-6: an envelope recorded after the data does not lower the phase', async ({ stores, clock }) => {
    await stores.outbox.add([newOutboxRow()]);
    const first = await claimedRow(stores);
    await stores.outbox.recordPhase(first.lease, 'data', { provider: 'smtp' });
    const { dataAt } = await rowNow(stores);
    await clock.advance(1000);
    assert.equal(await stores.outbox.recordPhase(first.lease, 'envelope', { provider: 'api' }), 'recorded');
    const same = await rowNow(stores);
    assert.deepEqual([same.phase, same.dataAt, same.provider], ['data', dataAt, 'api']);
    // A later attempt may have left the data too, whatever it records first.
    await clock.advance(leaseMs);
    const second = await claimedRow(stores);
    assert.equal(await stores.outbox.recordPhase(second.lease, 'envelope'), 'recorded');
    const later = await rowNow(stores);
    assert.deepEqual([later.phase, later.dataAt], ['data', dataAt]);
  });

  it('NOT-6: a phase is recorded only by the holder of a claimed row', async ({ stores, clock }) => {
    await stores.outbox.add([newOutboxRow()]);
    const { lease } = await claimedRow(stores);
    const thieves: OutboxLease[] = [
      { ...lease, owner: 'other' },
      { ...lease, token: randomUUID() },
      { ...lease, rowId: randomUUID() },
    ];
    for (const thief of thieves) assert.equal(await stores.outbox.recordPhase(thief, 'data'), 'lease-lost');
    assert.equal((await rowNow(stores)).phase, 'none');
    await clock.advance(leaseMs);
    await stores.outbox.requeueExpired();
    assert.equal(await stores.outbox.recordPhase(lease, 'data'), 'lease-lost');
    const again = await claimedRow(stores);
    await stores.outbox.settle([
      { lease: again.lease, kind: 'sent', notificationId: 'n-1', provider: 'smtp', recovered: false },
    ]);
    assert.equal(await stores.outbox.recordPhase(again.lease, 'data'), 'lease-lost');
    assert.equal((await rowNow(stores)).phase, 'none');
  });

  it('NOT-6: a crash after the data phase is seen by the next claim, by sweep and inline', async ({
    stores,
    clock,
  }) => {
    await stores.outbox.add([newOutboxRow()]);
    const first = await claimedRow(stores);
    await stores.outbox.recordPhase(first.lease, 'data');
    const { dataAt } = await rowNow(stores);
    await clock.advance(leaseMs);
    const inline = await claimedRow(stores);
    assert.deepEqual([inline.row.phase, inline.row.dataAt], ['data', dataAt]);
    await clock.advance(leaseMs);
    assert.equal(await stores.outbox.requeueExpired(), 1);
    const swept = await rowNow(stores);
    assert.deepEqual([swept.status, swept.phase, swept.dataAt], ['pending', 'data', dataAt]);
    assert.equal(await stores.outbox.requeueExpired(), 0);
    assert.equal((await claimedRow(stores)).row.phase, 'data');
  });

  it('NOT-6: an attempt that reaches the data phase anew has its own instant', async ({ stores, clock }) => {
    await stores.outbox.add([newOutboxRow()]);
    const first = await claimedRow(stores);
    await stores.outbox.recordPhase(first.lease, 'data');
    await stores.outbox.settle([
      { lease: first.lease, kind: 'retry', delayMs: 1000, failure: sampleDeliveryFailure(), phase: 'none' },
    ]);
    await clock.advance(1000);
    const second = await claimedRow(stores);
    assert.equal(second.row.phase, 'none');
    await stores.outbox.recordPhase(second.lease, 'data');
    assert.deepEqual((await rowNow(stores)).dataAt, await stores.now());
  });
}
