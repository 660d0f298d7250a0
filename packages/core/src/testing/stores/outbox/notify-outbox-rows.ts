import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { OutboxFilter } from '../../../stores/notify-outbox.js';
import { claimedRow, newOutboxRow, one, outboxClaim, rolledBack, sentRow } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

const change = { changelistId: 'p4main/1001' };

/** `add`, `list`, `cancelOlder`, `stats`. */
export function outboxRowCases<Tx>(it: ContractCase<Tx>): void {
  it('NOT-3: a new row is pending, due at once, unsent', async ({ stores }) => {
    const wanted = newOutboxRow({ recipient: 'Dev@example.com', recipientKey: 'Dev@example.com' });
    const now = await stores.now();
    const { outcome, row } = one(await stores.outbox.add([wanted]));
    const { id, ...rest } = row;
    assert.equal(outcome, 'added');
    assert.deepEqual(rest, {
      ...wanted,
      status: 'pending',
      attempts: 0,
      phase: 'none',
      dataAt: null,
      notificationId: null,
      notifiedAt: null,
      provider: null,
      providerKeyExpiresAt: null,
      possibleDuplicate: false,
      lastFailure: null,
      waitingFor: null,
      nextAttemptAt: now,
      verifiedAt: null,
      createdAt: now,
      updatedAt: now,
    });
    assert.deepEqual(await stores.outbox.list({}), [{ id, ...rest }]);
  });

  it('OPS-6: a row keeps the traceparent it was added with, and a claim shows it', async ({ stores }) => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { row } = one(await stores.outbox.add([newOutboxRow({ traceparent })]));
    const existing = one(await stores.outbox.add([newOutboxRow({ traceparent: null })])).row;
    const { row: claimedNow } = one(await stores.outbox.claim(outboxClaim()));
    const listed = one(await stores.outbox.list({}));
    assert.deepEqual(
      [row, existing, claimedNow, listed].map((each) => each.traceparent),
      Array(4).fill(traceparent),
    );
    await assert.rejects(stores.outbox.add([newOutboxRow({ reviewVersion: 9, traceparent: 'x' })]), {
      name: 'TypeError',
      message: /traceparent/,
    });
  });

  it('NOT-3: a row is unique by change, recipient key and version; the existing one comes back as it is', async ({
    stores,
    clock,
  }) => {
    const first = one(await stores.outbox.add([newOutboxRow()])).row;
    await clock.advance(1000);
    const messageSha256 = 'f'.repeat(64); // another text: whoever adds it can tell by the digest that comes back
    const other = newOutboxRow({
      required: false,
      messageArtifactId: randomUUID(),
      messageSha256,
      jobId: randomUUID(),
    });
    assert.deepEqual(one(await stores.outbox.add([other])), { outcome: 'existing', row: first });
    const results = await stores.outbox.add([
      newOutboxRow({ reviewVersion: 2 }),
      newOutboxRow(),
      newOutboxRow({ recipient: 'other@example.com' }),
      newOutboxRow({ changelistId: 'p4main/1002' }),
      newOutboxRow({ reviewVersion: 2 }),
    ]);
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['added', 'existing', 'added', 'added', 'existing'],
    );
    assert.equal((await stores.outbox.list({})).length, 4);
  });

  it('NOT-3: a row that was sent is never made anew', async ({ stores }) => {
    const id = await sentRow(stores);
    const { outcome, row } = one(await stores.outbox.add([newOutboxRow()]));
    assert.deepEqual([outcome, row.id, row.status], ['existing', id, 'sent']);
    assert.deepEqual(await stores.outbox.claim(outboxClaim()), []);
  });

  it('NOT-3: thirty concurrent adds of one key make one row', async ({ stores }) => {
    const results = (await Promise.all(Array.from({ length: 30 }, () => stores.outbox.add([newOutboxRow()])))).map(one);
    assert.equal(results.filter(({ outcome }) => outcome === 'added').length, 1);
    assert.equal(new Set(results.map(({ row }) => row.id)).size, 1);
  });

  it('NOT-3: rows added in a transaction commit and roll back with it', async ({ stores }) => {
    await rolledBack(stores, async (tx) => {
      await stores.outbox.add([newOutboxRow()], { tx });
    });
    assert.deepEqual(await stores.outbox.list({}), []);
    await stores.transaction((tx) => stores.outbox.add([newOutboxRow()], { tx }));
    assert.equal((await stores.outbox.list({})).length, 1);
  });

  it('NOT-3: a malformed row is a TypeError and stores nothing', async ({ stores }) => {
    const bad = [
      { reviewVersion: 0 },
      { key: 'short' },
      { messageSha256: 'zz' },
      { changelistId: '' },
      { via: '' },
      { recipientKey: '' },
    ];
    for (const over of bad)
      await assert.rejects(stores.outbox.add([newOutboxRow(), { ...newOutboxRow(), ...over }]), TypeError);
    assert.deepEqual(await stores.outbox.list({}), []);
  });

  it('NOT-3: list filters, newest first, 100 by default', async ({ stores, clock }) => {
    const jobId = randomUUID();
    await stores.outbox.add([newOutboxRow({ jobId })]);
    await clock.advance(1000);
    await stores.outbox.add([newOutboxRow({ reviewVersion: 2 })]);
    await clock.advance(1000);
    await stores.outbox.add([newOutboxRow({ changelistId: 'p4main/1002' })]);
    const versions = async (filter: OutboxFilter): Promise<string[]> =>
      (await stores.outbox.list(filter)).map((row) => `${row.changelistId}#${row.reviewVersion}`);
    assert.deepEqual(await versions({}), ['p4main/1002#1', 'p4main/1001#2', 'p4main/1001#1']);
    assert.deepEqual(await versions({ limit: 2 }), ['p4main/1002#1', 'p4main/1001#2']);
    assert.deepEqual(await versions({ ...change, reviewVersion: 2 }), ['p4main/1001#2']);
    assert.deepEqual(await versions({ jobId }), ['p4main/1001#1']);
    const [withJob] = await stores.outbox.list({ jobId });
    await claimedRow(stores, { ids: [withJob?.id ?? ''] });
    assert.deepEqual(await versions({ status: 'sending' }), ['p4main/1001#1']);
    await assert.rejects(stores.outbox.list({ limit: 1001 }), TypeError);
    await stores.outbox.add(
      Array.from({ length: 101 }, (_, n) => newOutboxRow({ changelistId: 'p4main/9', reviewVersion: n + 1 })),
    );
    assert.equal((await stores.outbox.list({ changelistId: 'p4main/9' })).length, 100);
  });

  it('NOT-3: list finds rows by key, provider id and recipient, and all filters combine', async ({ stores }) => {
    const sentId = await sentRow(stores, { ...change, recipient: 'a@example.com' });
    const [a2, b1] = await stores.outbox.add([
      newOutboxRow({ ...change, recipient: 'A@Example.com', recipientKey: 'a@example.com', reviewVersion: 2 }),
      newOutboxRow({ ...change, recipient: 'b@example.com' }),
    ]);
    assert.ok(a2 && b1);
    const ids = async (filter: OutboxFilter): Promise<string[]> =>
      (await stores.outbox.list(filter)).map(({ id }) => id);
    assert.deepEqual(await ids({ key: b1.row.key }), [b1.row.id]);
    assert.deepEqual(await ids({ notificationId: `id-${sentId}` }), [sentId]);
    assert.deepEqual(await ids({ recipientKey: 'a@example.com' }), [a2.row.id, sentId]);
    assert.deepEqual(await ids({ recipientKey: 'a@example.com', status: 'sent' }), [sentId]);
    assert.deepEqual(await ids({ recipientKey: 'a@example.com', key: b1.row.key }), []);
    assert.deepEqual(await ids({ notificationId: `id-${sentId}`, status: 'pending' }), []);
    const since = a2.row.createdAt;
    assert.deepEqual(await ids({ ...change, recipientKey: 'a@example.com', since, before: a2.row.id, limit: 1 }), [
      sentId,
    ]);
  });

  it('NOT-2: cancelOlder cancels pending rows of lower versions and nothing else', async ({ stores }) => {
    await sentRow(stores, { ...change, reviewVersion: 1 });
    await stores.outbox.add([newOutboxRow({ ...change, reviewVersion: 2, recipient: 'sending@example.com' })]);
    await claimedRow(stores);
    await stores.outbox.add([
      newOutboxRow({ ...change, reviewVersion: 2 }),
      newOutboxRow({ ...change, reviewVersion: 2, recipient: 'b@example.com' }),
      newOutboxRow({ ...change, reviewVersion: 3 }),
      newOutboxRow({ changelistId: 'p4main/1002', reviewVersion: 1 }),
    ]);
    await rolledBack(stores, async (tx) => {
      assert.equal(await stores.outbox.cancelOlder('p4main/1001', 3, { tx }), 2);
    });
    assert.equal(await stores.outbox.cancelOlder('p4main/1001', 3), 2);
    assert.equal(await stores.outbox.cancelOlder('p4main/1001', 3), 0);
    const due = (await stores.outbox.claim(outboxClaim()))
      .map(({ row }) => `${row.changelistId}#${row.reviewVersion}`)
      .sort();
    assert.deepEqual(due, ['p4main/1001#3', 'p4main/1002#1']);
  });

  it('OPS-6: the backlog counts what is not done with, by status and what it waits for, with its age', async ({
    stores,
    clock,
  }) => {
    assert.deepEqual(await stores.outbox.backlog(), []);
    await sentRow(stores);
    await stores.outbox.add([newOutboxRow({ reviewVersion: 2 })]);
    await clock.advance(5_000);
    await stores.outbox.add([3, 4, 5].map((reviewVersion) => newOutboxRow({ reviewVersion })));
    const claimed = await stores.outbox.claim({ ...outboxClaim(), limit: 2 });
    const [first] = claimed;
    assert.ok(first !== undefined);
    await stores.outbox.settle([{ lease: first.lease, kind: 'wait', delayMs: 60_000, reason: 'paced', phase: 'none' }]);
    await clock.advance(1_000);
    const backlog = await stores.outbox.backlog();
    assert.deepEqual(
      backlog.map(({ status, waitingFor, count }) => [status, waitingFor, count]),
      [
        ['pending', null, 2],
        ['pending', 'paced', 1],
        ['sending', null, 1],
      ],
    );
    for (const { oldestMs, waitingFor } of backlog)
      assert.ok(
        oldestMs >= (waitingFor === 'paced' ? 6_000 : 1_000),
        `expected the age of the oldest, got ${oldestMs}`,
      );
  });

  it('NOT-9: stats name every status', async ({ stores }) => {
    const none = { pending: 0, held: 0, sending: 0, sent: 0, failed: 0, unknown: 0, cancelled: 0 };
    assert.deepEqual(await stores.outbox.stats(), none);
    await sentRow(stores);
    await stores.outbox.add([newOutboxRow({ reviewVersion: 2 }), newOutboxRow({ reviewVersion: 3 })]);
    await claimedRow(stores, { limit: 1 });
    assert.deepEqual(await stores.outbox.stats(), { ...none, pending: 1, sending: 1, sent: 1 });
  });
}
