import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { NewOutboxRow, OutboxLease, OutboxRow, OutboxSettlement } from '../../../stores/notify-outbox.js';
import type { Stores } from '../../../stores/stores.js';
import {
  claimedRow,
  leaseMs,
  newOutboxRow,
  one,
  outboxClaim,
  rolledBack,
  sampleDeliveryFailure,
  sentRow,
} from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

const failure = sampleDeliveryFailure('SMTP_550');
const endings: readonly ((lease: OutboxLease) => OutboxSettlement)[] = [
  (lease) => ({ lease, kind: 'failed', failure }),
  (lease) => ({ lease, kind: 'unknown', failure }),
];

/** Adds a row, claims it, brings it to the data phase and ends it. */
export async function closedRow<Tx>(
  stores: Stores<Tx>,
  end: (lease: OutboxLease) => OutboxSettlement,
  over: Partial<NewOutboxRow> = {},
): Promise<OutboxRow> {
  const { row } = one(await stores.outbox.add([newOutboxRow(over)]));
  const { lease } = await claimedRow(stores, { ids: [row.id] });
  await stores.outbox.recordPhase(lease, 'data', { provider: 'smtp' });
  assert.deepEqual(await stores.outbox.settle([end(lease)]), ['settled']);
  return one(await stores.outbox.list({ key: row.key }));
}

/** `reopen`: how an operator puts a closed row back to work (NOT-9). */
export function outboxReopenCases<Tx>(it: ContractCase<Tx>): void {
  it('NOT-9: reopen makes failed and unknown rows due with all their attempts', async ({ stores, clock }) => {
    const rows: OutboxRow[] = [];
    for (const [n, end] of endings.entries())
      rows.push(await closedRow(stores, end, { recipient: `dev${n}@example.com` }));
    await clock.advance(5000);
    const ids = rows.map(({ id }) => id);
    assert.deepEqual(await stores.outbox.reopen(ids), ['reopened', 'reopened']);
    const now = await stores.now();
    const due = rows.map((row) => ({ ...row, status: 'pending', attempts: 0, nextAttemptAt: now, updatedAt: now }));
    assert.deepEqual(await stores.outbox.list({}), due.reverse());
    const taken = await stores.outbox.claim(outboxClaim());
    assert.deepEqual(taken.map(({ row }) => [row.id, row.attempts]).sort(), ids.map((id) => [id, 1]).sort());
  });

  it('NOT-6: a reopened row keeps its phase, so that a look-up comes first, and its last failure', async ({
    stores,
    clock,
  }) => {
    const before = await closedRow(stores, (lease) => ({ lease, kind: 'unknown', failure }));
    await clock.advance(1000);
    await stores.outbox.reopen([before.id]);
    const { row } = await claimedRow(stores);
    assert.deepEqual([row.phase, row.dataAt, row.provider, row.lastFailure], ['data', before.dataAt, 'smtp', failure]);
    assert.notEqual(row.dataAt, null);
  });

  it('NOT-9: what a newer version cancelled is that version’s: not-closed (R23)', async ({ stores }) => {
    const row = await closedRow(stores, (lease) => ({ lease, kind: 'cancelled' }));
    assert.deepEqual(await stores.outbox.reopen([row.id]), ['not-closed']);
    assert.deepEqual(await stores.outbox.list({}), [row]);
  });

  it('NOT-9: what a newer version has rows of, whoever gets them, is cancelled instead: superseded (R23)', async ({
    stores,
    clock,
  }) => {
    const first = await closedRow(stores, (lease) => ({ lease, kind: 'failed', failure }));
    const newer = await closedRow(stores, (lease) => ({ lease, kind: 'unknown', failure }), {
      ...{ reviewVersion: 2, recipient: 'other@example.com' },
    });
    await clock.advance(1000);
    assert.deepEqual(await stores.outbox.reopen([first.id, first.id]), ['superseded', 'not-closed']);
    const cancelled = { ...first, status: 'cancelled', updatedAt: await stores.now() };
    assert.deepEqual(await stores.outbox.list({}), [newer, cancelled]);
    assert.deepEqual(await stores.outbox.reopen([newer.id, first.id]), ['reopened', 'not-closed']);
  });

  it('NOT-9: versions of a host’s own mail do not supersede each other', async ({ stores }) => {
    const mail = await closedRow(stores, (lease) => ({ lease, kind: 'failed', failure }), {
      changelistId: 'invoice-7',
    });
    await stores.outbox.add([newOutboxRow({ changelistId: 'invoice-7', reviewVersion: 2 })]);
    assert.deepEqual(await stores.outbox.reopen([mail.id]), ['reopened']);
    const claimed = await stores.outbox.claim(outboxClaim());
    assert.deepEqual(
      claimed.map(({ superseded }) => superseded),
      [false, false],
    );
  });

  it('NOT-9: a row that is sent, pending or sending is not-closed; a leased one stays its holder’s', async ({
    stores,
  }) => {
    const sent = await sentRow(stores);
    await stores.outbox.add([newOutboxRow({ reviewVersion: 2 })]);
    const sending = await claimedRow(stores);
    await stores.outbox.add([newOutboxRow({ reviewVersion: 3 })]);
    const before = await stores.outbox.list({});
    const pending = before.find(({ status }) => status === 'pending')?.id ?? '';
    const unknownId = randomUUID();
    assert.deepEqual(await stores.outbox.reopen([sent, sending.row.id, unknownId, 'no id at all', pending]), [
      'not-closed',
      'not-closed',
      'not-found',
      'not-found',
      'not-closed',
    ]);
    assert.deepEqual(await stores.outbox.list({}), before);
    assert.deepEqual(await stores.outbox.heartbeat([sending.lease], leaseMs), ['renewed']);
    assert.deepEqual(await stores.outbox.reopen([]), []);
  });

  it('NOT-9: an id given twice is reopened once', async ({ stores }) => {
    const { id } = await closedRow(stores, (lease) => ({ lease, kind: 'failed', failure }));
    assert.deepEqual(await stores.outbox.reopen([id, id]), ['reopened', 'not-closed']);
    assert.deepEqual(await stores.outbox.reopen([id]), ['not-closed']);
  });

  it('NOT-9: reopen rolls back with the caller’s transaction', async ({ stores }) => {
    const row = await closedRow(stores, (lease) => ({ lease, kind: 'failed', failure }));
    await rolledBack(stores, async (tx) => {
      assert.deepEqual(await stores.outbox.reopen([row.id], { tx }), ['reopened']);
    });
    assert.deepEqual(await stores.outbox.list({}), [row]);
    assert.deepEqual(await stores.outbox.claim(outboxClaim()), []);
    await stores.transaction((tx) => stores.outbox.reopen([row.id], { tx }));
    assert.equal((await claimedRow(stores)).row.id, row.id);
  });
}
