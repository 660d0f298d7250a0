import assert from 'node:assert/strict';
import type { AuditEvent, AuditPruning } from '../../../stores/audit-store.js';
import type { Stores } from '../../../stores/stores.js';
import { newAuditEvent, one, person, rolledBack } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';
import { auditClaim, claimedDelivery, deadLettered } from './audit-samples.js';

const day = 86_400_000;

function pruning(over: Partial<AuditPruning> = {}): AuditPruning {
  return { olderThanMs: day, includeDeadLetters: false, limit: 100, after: null, ...over };
}

const nothing = { events: 0, deliveries: 0, deadLetters: 0, occurredFrom: null, occurredUntil: null, next: null };

/** Records one event that happened so long ago. */
async function recordOld<Tx>(stores: Stores<Tx>, ageMs: number, to: readonly string[] = []): Promise<AuditEvent> {
  const occurredAt = new Date((await stores.now()).getTime() - ageMs);
  return stores.audit.record(newAuditEvent({ occurredAt }), to);
}

async function idsOf<Tx>(stores: Stores<Tx>): Promise<string[]> {
  return (await stores.audit.list({})).map(({ id }) => id);
}

/** What may go of the trail, and what never does (ruling R18). */
export function auditPruningCases<Tx>(it: ContractCase<Tx>): void {
  it('AUD-1: pruning deletes events older than the age with what was delivered of them, oldest first', async ({
    stores,
  }) => {
    const oldest = await recordOld(stores, 3 * day, ['siem']);
    const { lease } = await claimedDelivery(stores);
    await stores.audit.settle([{ lease, kind: 'delivered' }]);
    const old = await recordOld(stores, day + 1);
    const young = await recordOld(stores, day);
    assert.deepEqual(await stores.audit.prune(pruning()), {
      ...nothing,
      ...{ events: 2, deliveries: 1, occurredFrom: oldest.occurredAt, occurredUntil: old.occurredAt },
    });
    assert.deepEqual(await idsOf(stores), [young.id]);
    assert.deepEqual(await stores.audit.listDeliveries({}), []);
    assert.deepEqual(await stores.audit.prune(pruning()), nothing);
  });

  it('AUD-1: pruning keeps an event while a delivery of it waits, is under way or is tried again (R18)', async ({
    stores,
  }) => {
    const event = await recordOld(stores, 3 * day, ['siem', 'lake']);
    const { lease } = await claimedDelivery(stores, { destinations: ['lake'] });
    await stores.audit.settle([{ lease, kind: 'delivered' }]);
    const prune = async (): Promise<number> => (await stores.audit.prune(pruning({ includeDeadLetters: true }))).events;
    assert.equal(await prune(), 0);
    const held = await claimedDelivery(stores);
    assert.equal(await prune(), 0);
    const failure = { kind: 'retry', delayMs: 0, errorCode: 'E', errorMessage: 'm' } as const;
    await stores.audit.settle([{ lease: held.lease, ...failure }]);
    assert.equal(await prune(), 0);
    assert.deepEqual([await idsOf(stores), (await stores.audit.listDeliveries({})).length], [[event.id], 2]);
    const last = await claimedDelivery(stores);
    await stores.audit.settle([{ lease: last.lease, kind: 'delivered' }]);
    assert.equal(await prune(), 1);
  });

  it('AUD-1: pruning keeps an event with a dead letter, unless asked for ended ones; an open one always (R18)', async ({
    stores,
  }) => {
    const event = await recordOld(stores, 3 * day, ['siem']);
    const letter = await deadLettered(stores);
    assert.equal((await stores.audit.prune(pruning({ includeDeadLetters: true }))).events, 0);
    await stores.audit.requeue(letter.id, { actor: person('op'), note: 'n' });
    const { lease } = await claimedDelivery(stores);
    await stores.audit.settle([{ lease, kind: 'delivered' }]);
    assert.equal((await stores.audit.prune(pruning())).events, 0);
    assert.equal((await stores.audit.listDeadLetters({})).length, 1);
    assert.deepEqual(await stores.audit.prune(pruning({ includeDeadLetters: true })), {
      ...{ events: 1, deliveries: 2, deadLetters: 1, next: null },
      ...{ occurredFrom: event.occurredAt, occurredUntil: event.occurredAt },
    });
    assert.deepEqual([await stores.audit.listDeadLetters({}), await stores.audit.listDeliveries({})], [[], []]);
  });

  it('AUD-1: pruning goes on page by page behind what it keeps', async ({ stores }) => {
    const kept = await recordOld(stores, 5 * day, ['siem']);
    for (const age of [4 * day, 4 * day, 2 * day]) await recordOld(stores, age);
    const young = await recordOld(stores, 0);
    const counts: number[] = [];
    let after: string | null = null;
    do {
      const page: { events: number; next: string | null } = await stores.audit.prune(pruning({ limit: 1, after }));
      counts.push(page.events);
      after = page.next;
    } while (after !== null && counts.length < 10);
    assert.deepEqual(counts, [0, 1, 1, 1, 0]);
    assert.deepEqual(await idsOf(stores), [young.id, kept.id]);
    assert.equal((await stores.audit.claim(auditClaim())).length, 1);
  });

  it('AUD-1: pruning rolls back with the caller’s transaction', async ({ stores }) => {
    const event = await recordOld(stores, 3 * day);
    await rolledBack(stores, async (tx) => {
      assert.equal((await stores.audit.prune(pruning(), { tx })).events, 1);
    });
    assert.deepEqual(one(await stores.audit.list({})), event);
  });

  it('AUD-1: pruning without an age or a limit, or from no place, is a TypeError', async ({ stores }) => {
    await recordOld(stores, 3 * day);
    for (const over of [
      { olderThanMs: -1 },
      { olderThanMs: Number.NaN },
      { limit: 0 },
      { after: 'x' },
      { after: '[]' },
    ])
      await assert.rejects(stores.audit.prune(pruning(over)), TypeError);
    assert.equal((await stores.audit.list({})).length, 1);
  });
}
