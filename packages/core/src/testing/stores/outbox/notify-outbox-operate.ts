import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  claimedRow,
  newOutboxRow,
  one,
  outboxClaim,
  rolledBack,
  sampleDeliveryFailure,
  sentRow,
} from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';
import { closedRow } from './notify-outbox-reopen.js';

const failure = sampleDeliveryFailure('SMTP_550');
const confirmation = { notificationId: 'provider-7' };

function holds<Tx>(it: ContractCase<Tx>): void {
  it('NOT-9: a held mail is claimed by nobody until it is released, and is due then', async ({ stores, clock }) => {
    const { row } = one(await stores.outbox.add([newOutboxRow()]));
    assert.equal(await stores.outbox.hold(row.id), 'held');
    await clock.advance(60_000);
    assert.deepEqual(await stores.outbox.claim(outboxClaim()), []);
    assert.deepEqual(
      [(await stores.outbox.stats()).held, (await stores.outbox.list({ status: 'held' })).length],
      [1, 1],
    );
    assert.equal(await stores.outbox.release(row.id), 'released');
    const now = await stores.now();
    const due = one(await stores.outbox.list({}));
    assert.deepEqual([due.status, due.attempts, due.nextAttemptAt], ['pending', 0, now]);
    assert.equal((await claimedRow(stores)).row.id, row.id);
  });

  it('NOT-9: of ten holds one takes, and one release of ten', async ({ stores }) => {
    const { row } = one(await stores.outbox.add([newOutboxRow()]));
    const times = Array.from({ length: 10 });
    const held = await Promise.all(times.map(() => stores.outbox.hold(row.id)));
    assert.deepEqual(held.filter((outcome) => outcome === 'held').length, 1);
    const released = await Promise.all(times.map(() => stores.outbox.release(row.id)));
    assert.deepEqual(released.filter((outcome) => outcome === 'released').length, 1);
  });

  it('NOT-9: a mail that is being sent, sent or unknown is not held, and no id is not found', async ({ stores }) => {
    const sent = await sentRow(stores);
    const unknown = await closedRow(stores, (lease) => ({ lease, kind: 'unknown', failure }), { reviewVersion: 2 });
    await stores.outbox.add([newOutboxRow({ reviewVersion: 3 })]);
    const sending = await claimedRow(stores);
    const before = await stores.outbox.list({});
    for (const id of [sent, unknown.id, sending.row.id]) {
      assert.equal(await stores.outbox.hold(id), 'not-pending');
      assert.equal(await stores.outbox.release(id), 'not-held');
    }
    for (const id of [randomUUID(), 'no id at all']) {
      assert.equal(await stores.outbox.hold(id), 'not-found');
      assert.equal(await stores.outbox.release(id), 'not-found');
    }
    assert.deepEqual(await stores.outbox.list({}), before);
  });

  it('NOT-2: a newer version cancels a held mail, too', async ({ stores }) => {
    const { row } = one(await stores.outbox.add([newOutboxRow()]));
    await stores.outbox.hold(row.id);
    assert.equal(await stores.outbox.cancelOlder(row.changelistId, 2), 1);
    assert.equal(one(await stores.outbox.list({})).status, 'cancelled');
  });
}

function confirms<Tx>(it: ContractCase<Tx>): void {
  it('NOT-8: a confirmed mail is sent and notified, and reconciliation leaves it out', async ({ stores, clock }) => {
    const before = await closedRow(stores, (lease) => ({ lease, kind: 'unknown', failure }));
    await clock.advance(1_000);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => stores.outbox.confirm(before.id, confirmation)),
    );
    assert.equal(outcomes.filter((outcome) => outcome === 'confirmed').length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === 'not-unknown').length, 9);
    const now = await stores.now();
    const at = { notifiedAt: now, verifiedAt: now, updatedAt: now };
    assert.deepEqual(await stores.outbox.list({}), [{ ...before, ...confirmation, ...at, status: 'sent' }]);
    await clock.advance(3_600_000);
    assert.deepEqual(await stores.outbox.claim(outboxClaim({ purpose: { reconcile: { olderThanMs: 1 } } })), []);
    assert.deepEqual(await stores.outbox.reopen([before.id]), ['not-closed']);
  });

  it('NOT-8: only an unknown mail is confirmed, by a name of 1 to 1,024 characters', async ({ stores }) => {
    const row = await closedRow(stores, (lease) => ({ lease, kind: 'failed', failure }));
    assert.equal(await stores.outbox.confirm(row.id, confirmation), 'not-unknown');
    assert.equal(await stores.outbox.confirm(randomUUID(), confirmation), 'not-found');
    const unknown = await closedRow(stores, (lease) => ({ lease, kind: 'unknown', failure }), { reviewVersion: 2 });
    await assert.rejects(stores.outbox.confirm(unknown.id, { notificationId: '' }), TypeError);
    await rolledBack(stores, async (tx) => {
      assert.equal(await stores.outbox.confirm(unknown.id, confirmation, { tx }), 'confirmed');
    });
    assert.deepEqual(await stores.outbox.list({}), [unknown, row]);
  });
}

/** What an operator does with mails besides reopening them: hold, release, confirm (ruling R23). */
export function outboxOperateCases<Tx>(it: ContractCase<Tx>): void {
  holds(it);
  confirms(it);
}
