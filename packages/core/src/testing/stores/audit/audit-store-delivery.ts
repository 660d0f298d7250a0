import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { leaseMs } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';
import { auditClaim, claimedDelivery, recorded } from './audit-samples.js';

/** Claims and settlements of deliveries. */
export function auditDeliveryCases<Tx>(it: ContractCase<Tx>): void {
  it('AUD-12: a claim leases due deliveries of its destinations and counts the attempt', async ({ stores, clock }) => {
    await recorded(stores, ['siem', 'lake']);
    const { delivery, lease } = await claimedDelivery(stores);
    assert.deepEqual(
      [delivery.destination, delivery.state, delivery.attemptCount, delivery.firstFailedAt],
      ['siem', 'in_progress', 1, null],
    );
    assert.equal(lease.deliveryId, delivery.id);
    assert.deepEqual(await stores.audit.claim(auditClaim()), []);
    await clock.advance(leaseMs - 1);
    assert.deepEqual(await stores.audit.heartbeat([lease, { ...lease, token: randomUUID() }], leaseMs), [
      'renewed',
      'lease-lost',
    ]);
    await clock.advance(leaseMs - 1);
    assert.equal(await stores.audit.requeueExpired(), 0);
    assert.deepEqual(await stores.audit.claim(auditClaim()), []);
  });

  it('AUD-12: concurrent claims take every delivery once', async ({ stores }) => {
    for (let n = 0; n < 20; n++) await recorded(stores);
    const taken = (
      await Promise.all(Array.from({ length: 15 }, () => stores.audit.claim(auditClaim({ limit: 2 }))))
    ).flat();
    assert.equal(taken.length, 20);
    assert.equal(new Set(taken.map(({ delivery }) => delivery.id)).size, 20);
    await assert.rejects(stores.audit.claim(auditClaim({ limit: 0 })), TypeError);
  });

  it('AUD-12: retry comes back after its delay with its error, the first failure kept', async ({ stores, clock }) => {
    await recorded(stores);
    const firstFailedAt = await stores.now();
    const first = await claimedDelivery(stores);
    await stores.audit.settle([
      { lease: first.lease, kind: 'retry', delayMs: 5000, errorCode: 'HTTP_503', errorMessage: 'busy' },
    ]);
    await clock.advance(4999);
    assert.deepEqual(await stores.audit.claim(auditClaim()), []);
    await clock.advance(1);
    const second = await claimedDelivery(stores);
    const { attemptCount, lastErrorCode } = second.delivery;
    assert.deepEqual([attemptCount, lastErrorCode, second.delivery.firstFailedAt], [2, 'HTTP_503', firstFailedAt]);
    assert.equal(second.delivery.idempotencyKey, first.delivery.idempotencyKey);
    await stores.audit.settle([
      { lease: second.lease, kind: 'retry', delayMs: 0, errorCode: 'ECONNRESET', errorMessage: 'cut' },
    ]);
    const third = await claimedDelivery(stores);
    assert.deepEqual([third.delivery.lastErrorCode, third.delivery.firstFailedAt], ['ECONNRESET', firstFailedAt]);
  });

  it('AUD-12: wait gives the attempt back and is no failure (R9)', async ({ stores, clock }) => {
    await recorded(stores);
    const { lease } = await claimedDelivery(stores);
    await stores.audit.settle([{ lease, kind: 'wait', delayMs: 60_000, reason: 'breaker open' }]);
    assert.deepEqual(await stores.audit.claim(auditClaim()), []);
    await clock.advance(60_000);
    const { delivery } = await claimedDelivery(stores);
    assert.deepEqual([delivery.attemptCount, delivery.firstFailedAt], [1, null]);
  });

  it('AUD-15: a receipt is kept until it is confirmed; a claim that asks for it counts no attempt', async ({
    stores,
    clock,
  }) => {
    await recorded(stores);
    const receipt = { channel: 'c', ackId: 7, unicode: 'ö\u{1f600}' };
    const first = await claimedDelivery(stores);
    assert.equal(first.delivery.receipt, null);
    await stores.audit.settle([{ lease: first.lease, kind: 'accepted', delayMs: 2000, receipt }]);
    assert.deepEqual(await stores.audit.claim(auditClaim()), []);
    await clock.advance(2000);
    const second = await claimedDelivery(stores);
    assert.deepEqual([second.delivery.receipt, second.delivery.attemptCount], [receipt, 1]);
    await stores.audit.settle([{ lease: second.lease, kind: 'wait', delayMs: 0, reason: 'not yet' }]);
    const third = await claimedDelivery(stores);
    assert.deepEqual([third.delivery.receipt, third.delivery.attemptCount], [receipt, 1]);
    await clock.advance(leaseMs);
    assert.equal(await stores.audit.requeueExpired(), 1);
    const fourth = await claimedDelivery(stores);
    assert.deepEqual([fourth.delivery.receipt, fourth.delivery.attemptCount], [receipt, 1]);
    const lost = { kind: 'retry', delayMs: 0, errorCode: 'X', errorMessage: 'never confirmed' } as const;
    await stores.audit.settle([{ lease: fourth.lease, ...lost }]);
    const again = await claimedDelivery(stores);
    assert.deepEqual([again.delivery.receipt, again.delivery.attemptCount], [null, 2]);
    await stores.audit.settle([{ lease: again.lease, kind: 'accepted', delayMs: 0, receipt }]);
    const { lease } = await claimedDelivery(stores);
    await stores.audit.settle([{ lease, kind: 'delivered' }]);
    const [ended] = await stores.audit.listDeliveries({});
    assert.deepEqual([ended?.state, ended?.receipt, ended?.attemptCount], ['delivered', null, 2]);
    await assert.rejects(
      stores.audit.settle([{ lease, kind: 'accepted', delayMs: 0, receipt: 'text' as never }]),
      TypeError,
    );
  });

  it('AUD-12: a claim takes the oldest due of its destinations, whatever their states', async ({ stores, clock }) => {
    const ids: string[] = [];
    for (const destination of ['siem', 'lake', 'siem', 'dead']) {
      ids.push((await recorded(stores, [destination])).id);
      await clock.advance(1000);
    }
    const { lease } = await claimedDelivery(stores, { limit: 1 });
    await stores.audit.settle([{ lease, kind: 'retry', delayMs: 0, errorCode: 'X', errorMessage: 'm' }]);
    const claimed = await stores.audit.claim(auditClaim({ destinations: ['siem', 'lake'], limit: 2 }));
    assert.deepEqual(
      claimed.map(({ event }) => event.id),
      [ids[1], ids[2]],
    );
    assert.equal((await claimedDelivery(stores, { destinations: ['siem', 'lake'] })).event.id, ids[0]);
  });

  it('AUD-12: delivered ends the delivery', async ({ stores, clock }) => {
    await recorded(stores);
    const { lease } = await claimedDelivery(stores);
    assert.deepEqual(await stores.audit.settle([{ lease, kind: 'delivered' }]), ['settled']);
    assert.deepEqual(await stores.audit.settle([{ lease, kind: 'delivered' }]), ['lease-lost']);
    await clock.advance(10 * leaseMs);
    assert.equal(await stores.audit.requeueExpired(), 0);
    assert.deepEqual(await stores.audit.claim(auditClaim()), []);
    assert.equal((await stores.audit.stats()).find(({ destination }) => destination === 'siem')?.pending ?? 0, 0);
  });

  it('INV-3: settlements are fenced by owner and token, and answer in order', async ({ stores, clock }) => {
    await recorded(stores);
    await recorded(stores);
    const [a, b] = await stores.audit.claim(auditClaim());
    assert.ok(a && b);
    const stolen = { ...b.lease, token: randomUUID() };
    const outcomes = await stores.audit.settle([
      { lease: stolen, kind: 'dead-letter', errorCode: 'X', errorSummary: 's', errorDetails: null },
      { lease: a.lease, kind: 'delivered' },
      { lease: { ...b.lease, owner: 'other' }, kind: 'delivered' },
    ]);
    assert.deepEqual(outcomes, ['lease-lost', 'settled', 'lease-lost']);
    assert.deepEqual(await stores.audit.listDeadLetters({}), []);
    await clock.advance(leaseMs);
    assert.equal(await stores.audit.requeueExpired(), 1);
    assert.equal(await stores.audit.requeueExpired(), 0);
    assert.deepEqual(await stores.audit.settle([{ lease: b.lease, kind: 'delivered' }]), ['lease-lost']);
    assert.equal((await claimedDelivery(stores)).delivery.attemptCount, 2);
  });

  it('AUD-12: deliveries are listed by state, destination and event, newest first', async ({ stores, clock }) => {
    const { id: first } = await recorded(stores, ['siem', 'lake']);
    await clock.advance(1000);
    const { id: second } = await recorded(stores);
    const { lease, delivery } = await claimedDelivery(stores, { limit: 1, destinations: ['lake'] });
    const listed = async (filter: Parameters<typeof stores.audit.listDeliveries>[0]) =>
      (await stores.audit.listDeliveries(filter)).map((found) => `${found.auditEventId} ${found.destination}`).sort();
    assert.equal((await stores.audit.listDeliveries({}))[0]?.auditEventId, second);
    assert.deepEqual(await listed({ auditEventId: first }), [`${first} lake`, `${first} siem`]);
    assert.deepEqual(await listed({ destination: 'siem' }), [`${first} siem`, `${second} siem`].sort());
    assert.deepEqual(await stores.audit.listDeliveries({ state: 'in_progress' }), [delivery]);
    assert.deepEqual(await listed({ state: 'pending', destination: 'lake' }), []);
    await stores.audit.settle([{ lease, kind: 'delivered' }]);
    assert.deepEqual(await listed({ state: 'delivered' }), [`${first} lake`]);
    assert.deepEqual(await listed({ state: 'pending' }), [`${first} siem`, `${second} siem`].sort());
    assert.deepEqual(await listed({ auditEventId: 'no-such-event' }), []);
  });

  it('AUD-18: stats count the backlog and its age by destination', async ({ stores, clock }) => {
    await recorded(stores, ['siem', 'lake']);
    await clock.advance(3000);
    await recorded(stores);
    const before = new Map((await stores.audit.stats()).map((count) => [count.destination, count]));
    assert.deepEqual(before.get('siem'), {
      destination: 'siem',
      pending: 2,
      deadLettersOpen: 0,
      oldestPendingMs: 3000,
      oldestDeadLetterMs: 0,
    });
    assert.deepEqual(before.get('lake'), {
      destination: 'lake',
      pending: 1,
      deadLettersOpen: 0,
      oldestPendingMs: 3000,
      oldestDeadLetterMs: 0,
    });
    const { lease } = await claimedDelivery(stores, { destinations: ['lake'] });
    await stores.audit.settle([{ lease, kind: 'dead-letter', errorCode: 'X', errorSummary: 's', errorDetails: null }]);
    await clock.advance(7000);
    await recorded(stores, ['lake']);
    const { lease: later } = await claimedDelivery(stores, { destinations: ['lake'] });
    const letter = { kind: 'dead-letter', errorCode: 'X', errorSummary: 's', errorDetails: null } as const;
    await stores.audit.settle([{ lease: later, ...letter }]);
    const after = (await stores.audit.stats()).find(({ destination }) => destination === 'lake');
    const lake = { destination: 'lake', pending: 0, deadLettersOpen: 2, oldestPendingMs: 0, oldestDeadLetterMs: 7000 };
    assert.deepEqual(after, lake);
  });
}
