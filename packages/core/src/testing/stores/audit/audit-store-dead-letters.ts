import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { enqueued, leaseMs, notActors, one, person, rolledBack } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';
import { auditClaim, claimedDelivery, deadLettered, recorded } from './audit-samples.js';

const unstorable = `a${String.fromCharCode(0)}b`;

/** Dead letters, `requeue`, `close`. */
export function auditDeadLetterCases<Tx>(it: ContractCase<Tx>): void {
  it('AUD-16: a dead letter holds attempts, first failure and error, open', async ({ stores, clock }) => {
    const event = await recorded(stores);
    const firstFailedAt = await stores.now();
    const { lease } = await claimedDelivery(stores);
    await stores.audit.settle([{ lease, kind: 'retry', delayMs: 1000, errorCode: 'HTTP_422', errorMessage: 'm' }]);
    await clock.advance(1000);
    const { id, ...letter } = await deadLettered(stores);
    assert.deepEqual(letter, {
      deliveryId: lease.deliveryId,
      auditEventId: event.id,
      destination: 'siem',
      finalAttemptCount: 2,
      firstFailedAt,
      deadLetteredAt: await stores.now(),
      errorSummary: 'schema refused',
      errorDetails: { field: 'actor' },
      operatorStatus: 'open',
      operatorNote: null,
      operatorId: null,
    });
    assert.notEqual(id, '');
    await clock.advance(10 * leaseMs);
    assert.deepEqual(await stores.audit.claim(auditClaim()), []);
  });

  it('AUD-15: each requeue is a fresh delivery under the next key version (R2, R3)', async ({ stores }) => {
    const event = await recorded(stores);
    for (const version of [2, 3]) {
      const letter = await deadLettered(stores);
      assert.equal(await stores.audit.requeue(letter.id, { actor: person('op'), note: 'fixed mapping' }), 'requeued');
      const { delivery, lease } = await claimedDelivery(stores);
      assert.equal(delivery.idempotencyKey, `siem:${event.id}:v${version}`);
      assert.deepEqual([delivery.attemptCount, delivery.firstFailedAt, delivery.lastErrorCode], [1, null, null]);
      assert.notEqual(delivery.id, letter.deliveryId);
      await stores.audit.settle([{ lease, kind: 'wait', delayMs: 0, reason: 'r' }]);
    }
    assert.equal((await stores.audit.listDeadLetters({})).length, 2);
  });

  it('AUD-16: nothing of a dead letter changes but status, note and operator', async ({ stores, clock }) => {
    await recorded(stores);
    const letter = await deadLettered(stores);
    await clock.advance(5000);
    await stores.audit.requeue(letter.id, { actor: person('op-1'), note: 'OPS-1 rotated key' });
    const requeued = one(await stores.audit.listDeadLetters({}));
    assert.deepEqual(requeued, {
      ...letter,
      operatorStatus: 'requeued',
      operatorNote: 'OPS-1 rotated key',
      operatorId: 'op-1',
    });
    const second = await deadLettered(stores);
    assert.equal(
      await stores.audit.close(second.id, { status: 'ignored', actor: person('op-2'), note: 'OPS-2 accepted' }),
      'closed',
    );
    const ignored = one(await stores.audit.listDeadLetters({ operatorStatus: 'ignored' }));
    assert.deepEqual(ignored, {
      ...second,
      operatorStatus: 'ignored',
      operatorNote: 'OPS-2 accepted',
      operatorId: 'op-2',
    });
  });

  it('AUD-16: only an open letter is requeued or closed, and once', async ({ stores }) => {
    await recorded(stores);
    const letter = await deadLettered(stores);
    const calls = Array.from({ length: 10 }, () => stores.audit.requeue(letter.id, { actor: person('op'), note: 'n' }));
    const outcomes = await Promise.all(calls);
    assert.equal(outcomes.filter((outcome) => outcome === 'requeued').length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === 'not-open').length, 9);
    assert.equal((await stores.audit.claim(auditClaim())).length, 1);
    assert.equal(
      await stores.audit.close(letter.id, { status: 'resolved', actor: person('op'), note: 'n' }),
      'not-open',
    );
    assert.equal(
      await stores.audit.close(randomUUID(), { status: 'resolved', actor: person('op'), note: 'n' }),
      'not-found',
    );
    assert.equal(await stores.audit.requeue(randomUUID(), { actor: person('op'), note: 'n' }), 'not-found');
    for (const by of [
      ...notActors.map((actor) => ({ actor, note: 'n' })),
      { actor: person('op'), note: '' },
      { actor: person('op'), note: unstorable },
    ]) {
      await assert.rejects(stores.audit.requeue(letter.id, by), TypeError);
      await assert.rejects(stores.audit.close(letter.id, { status: 'resolved', ...by }), TypeError);
    }
  });

  it('AUD-16: a failure’s text that not every store could hold is a TypeError in each', async ({ stores }) => {
    await recorded(stores);
    const { lease } = await claimedDelivery(stores);
    const letter = { lease, kind: 'dead-letter', errorCode: 'E', errorSummary: 's', errorDetails: null } as const;
    for (const wrong of [
      { lease, kind: 'retry', delayMs: 0, errorCode: 'E', errorMessage: unstorable } as const,
      { ...letter, errorSummary: unstorable },
      { ...letter, errorDetails: { reply: unstorable } },
    ])
      await assert.rejects(stores.audit.settle([wrong]), TypeError);
    assert.deepEqual(await stores.audit.settle([letter]), ['settled']);
  });

  it('AUD-9: an error message of more than 1,024 bytes is a TypeError; the caller cuts it', async ({ stores }) => {
    await recorded(stores);
    const { lease } = await claimedDelivery(stores);
    const retry = { lease, kind: 'retry', delayMs: 0, errorCode: 'E' } as const;
    const longest = '\u00e9'.repeat(512);
    await assert.rejects(stores.audit.settle([{ ...retry, errorMessage: `${longest}x` }]), TypeError);
    assert.deepEqual(await stores.audit.settle([{ ...retry, errorMessage: longest }]), ['settled']);
  });

  it('AUD-16: requeue and close roll back with the caller’s transaction', async ({ stores }) => {
    await recorded(stores);
    await enqueued(stores);
    const letter = await deadLettered(stores);
    await rolledBack(stores, async (tx) => {
      assert.equal(await stores.audit.requeue(letter.id, { actor: person('op'), note: 'n' }, { tx }), 'requeued');
    });
    await rolledBack(stores, async (tx) => {
      assert.equal(
        await stores.audit.close(letter.id, { status: 'ignored', actor: person('op'), note: 'n' }, { tx }),
        'closed',
      );
    });
    assert.deepEqual(await stores.audit.listDeadLetters({}), [letter]);
    assert.deepEqual(await stores.audit.claim(auditClaim()), []);
  });

  it('AUD-16: dead letters are listed by status and destination, newest first', async ({ stores, clock }) => {
    await recorded(stores);
    const first = await deadLettered(stores);
    await stores.audit.close(first.id, { status: 'resolved', actor: person('op'), note: 'n' });
    await clock.advance(1000);
    await recorded(stores);
    const second = await deadLettered(stores);
    const ids = async (filter: Parameters<typeof stores.audit.listDeadLetters>[0]): Promise<string[]> =>
      (await stores.audit.listDeadLetters(filter)).map(({ id }) => id);
    assert.deepEqual(await ids({}), [second.id, first.id]);
    assert.deepEqual(await ids({ operatorStatus: 'resolved' }), [first.id]);
    assert.deepEqual(await ids({ destination: 'lake' }), []);
    assert.deepEqual(await ids({ destination: 'siem', limit: 1 }), [second.id]);
  });
}
