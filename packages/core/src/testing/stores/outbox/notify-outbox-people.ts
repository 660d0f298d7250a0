import assert from 'node:assert/strict';
import { claimedRow, newOutboxRow, one, outboxClaim, rolledBack, sentRow } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

/** When a mail is due at the earliest, and what becomes of the mails of one who wants none. */
export function outboxPeopleCases<Tx>(it: ContractCase<Tx>): void {
  it('NOT-3: a mail with sendAt is due then and not before; a past instant is now', async ({ stores, clock }) => {
    const now = await stores.now();
    const sendAt = new Date(now.getTime() + 60_000);
    const later = one(await stores.outbox.add([newOutboxRow({ sendAt })])).row;
    const past = new Date(now.getTime() - 60_000);
    const soon = one(await stores.outbox.add([newOutboxRow({ reviewVersion: 2, sendAt: past })])).row;
    assert.deepEqual([later.nextAttemptAt, soon.nextAttemptAt], [sendAt, now]);
    assert.deepEqual([later.createdAt, later.status], [now, 'pending']);
    assert.equal((await claimedRow(stores)).row.id, soon.id);
    await clock.advance(59_999);
    assert.deepEqual((await stores.outbox.claim(outboxClaim())).map(({ row }) => row.id).includes(later.id), false);
    await clock.advance(1);
    assert.equal(
      (await stores.outbox.claim(outboxClaim())).some(({ row }) => row.id === later.id),
      true,
    );
    const wrong = newOutboxRow({ reviewVersion: 3, sendAt: new Date(Number.NaN) });
    await assert.rejects(stores.outbox.add([wrong]), TypeError);
  });

  it('NOT-10: withdraw cancels the waiting review mails of one person, and none is required then', async ({
    stores,
  }) => {
    await sentRow(stores, { reviewVersion: 1 });
    await stores.outbox.add([newOutboxRow({ reviewVersion: 2 })]);
    const { row: sending } = await claimedRow(stores);
    const [pending, held, host, other] = (
      await stores.outbox.add([
        newOutboxRow({ reviewVersion: 3 }),
        newOutboxRow({ reviewVersion: 4 }),
        newOutboxRow({ changelistId: 'mail:invoice%2F42' }),
        newOutboxRow({ recipient: 'other@example.com' }),
      ])
    ).map(({ row }) => row.id);
    await stores.outbox.hold(String(held));
    const before = await stores.outbox.list({});
    await rolledBack(stores, async (tx) => {
      assert.equal(await stores.outbox.withdraw('dev@example.com', { tx }), 3);
    });
    assert.deepEqual(await stores.outbox.list({}), before);
    assert.equal(await stores.outbox.withdraw('dev@example.com'), 3);
    const after = new Map((await stores.outbox.list({})).map((row) => [row.id, [row.status, row.required]]));
    assert.deepEqual(
      [sending.id, pending, held, host, other].map((id) => after.get(String(id))),
      [
        ['sending', false],
        ['cancelled', false],
        ['cancelled', false],
        ['pending', true],
        ['pending', true],
      ],
    );
    assert.equal([...after.values()].filter(([status, required]) => status === 'sent' && required).length, 1);
    assert.equal(await stores.outbox.withdraw('dev@example.com'), 0);
    await assert.rejects(stores.outbox.withdraw(''), TypeError);
  });
}
