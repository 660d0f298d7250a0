import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { newAuditEvent, newJob, one, rolledBack } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';
import { auditClaim, claimedDelivery, recorded } from './audit-samples.js';

/** `record`, `get`, `list`. */
export function auditRecordCases<Tx>(it: ContractCase<Tx>): void {
  it('AUD-2: record writes the event and one pending delivery per destination', async ({ stores }) => {
    const wanted = newAuditEvent({
      tenantId: 't',
      traceId: 'tr',
      requestId: 'r',
      httpStatus: 200,
      sourceIp: '192.0.2.7',
      userAgent: 'ua',
      schemaVersion: 2,
    });
    const now = await stores.now();
    const event = await stores.audit.record(wanted, ['siem', 'lake']);
    assert.deepEqual(event, { ...wanted, occurredAt: now, createdAt: now });
    assert.deepEqual(await stores.audit.get(event.id), event);
    const claimed = await stores.audit.claim(auditClaim({ destinations: ['siem', 'lake'] }));
    assert.deepEqual(claimed.map(({ delivery }) => delivery.idempotencyKey).sort(), [
      `lake:${event.id}:v2`,
      `siem:${event.id}:v2`,
    ]);
    assert.ok(claimed.every(({ event: carried }) => carried.id === event.id && carried.action === wanted.action));
  });

  it('AUD-2: occurredAt is kept where it is given; no destination means no delivery', async ({ stores }) => {
    const occurredAt = new Date(Date.UTC(2025, 5, 1, 12, 0, 0, 123));
    const event = await stores.audit.record(newAuditEvent({ occurredAt }), []);
    assert.deepEqual([event.occurredAt, event.createdAt], [occurredAt, await stores.now()]);
    assert.deepEqual(await stores.audit.claim(auditClaim()), []);
  });

  it('AUD-2: record commits and rolls back with the caller’s transaction, deliveries included', async ({ stores }) => {
    const event = newAuditEvent();
    await rolledBack(stores, async (tx) => {
      await stores.audit.record(event, ['siem'], { tx });
      await stores.jobs.enqueue([newJob()], { tx });
    });
    assert.equal(await stores.audit.get(event.id), null);
    assert.deepEqual(await stores.audit.claim(auditClaim()), []);
    await stores.transaction((tx) => stores.audit.record(event, ['siem'], { tx }));
    assert.equal((await claimedDelivery(stores)).event.id, event.id);
  });

  it('AUD-3: a record that fails leaves the caller’s transaction usable (R12)', async ({ stores }) => {
    const event = await recorded(stores, []);
    const key = await stores.transaction(async (tx) => {
      const before = one(await stores.jobs.enqueue([newJob()], { tx }));
      await assert.rejects(stores.audit.record(newAuditEvent({ id: event.id }), ['siem'], { tx }));
      const after = one(await stores.jobs.enqueue([newJob()], { tx }));
      return [before.job.id, after.job.id];
    });
    assert.ok((await stores.jobs.get(key)).every((job) => job !== null));
    assert.deepEqual(await stores.audit.claim(auditClaim()), []);
    assert.deepEqual(await stores.audit.get(event.id), event);
  });

  it('AUD-1: a malformed event is a TypeError', async ({ stores }) => {
    await assert.rejects(stores.audit.record(newAuditEvent({ action: '' }), ['siem']), TypeError);
    await assert.rejects(stores.audit.record(newAuditEvent({ schemaVersion: 0 }), ['siem']), TypeError);
    await assert.rejects(stores.audit.record(newAuditEvent({ occurredAt: new Date(Number.NaN) }), ['siem']), TypeError);
    await assert.rejects(stores.audit.record(newAuditEvent(), ['siem', 'siem']), TypeError);
    assert.deepEqual(await stores.audit.list({}), []);
  });

  it('AUD-1: list filters, newest first', async ({ stores, clock }) => {
    const ids: string[] = [];
    for (const [action, actorId, tenantId] of [
      ['a.read', 'one', 'red'],
      ['a.write', 'one', null],
      ['a.read', 'two', 'red'],
    ] as const) {
      ids.unshift((await stores.audit.record(newAuditEvent({ action, actorId, tenantId }), [])).id);
      await clock.advance(1000);
    }
    const listed = async (filter: Parameters<typeof stores.audit.list>[0]): Promise<string[]> =>
      (await stores.audit.list(filter)).map(({ id }) => id);
    assert.deepEqual(await listed({}), ids);
    assert.deepEqual(await listed({ limit: 1 }), ids.slice(0, 1));
    assert.deepEqual(await listed({ action: 'a.read' }), [ids[0], ids[2]]);
    assert.deepEqual(await listed({ actorId: 'one' }), [ids[1], ids[2]]);
    assert.deepEqual(await listed({ action: 'a.write', actorId: 'two' }), []);
    assert.deepEqual(await listed({ tenantId: 'red' }), [ids[0], ids[2]]);
    assert.deepEqual(await listed({ tenantId: 'red', actorId: 'one' }), [ids[2]]);
    assert.equal(await stores.audit.get(randomUUID()), null);
    await assert.rejects(stores.audit.list({ limit: 1001 }), TypeError);
  });
}
