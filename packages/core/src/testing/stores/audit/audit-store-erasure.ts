import assert from 'node:assert/strict';
import type { AuditErasure, AuditEvent, NewAuditEvent } from '../../../stores/audit-store.js';
import type { Stores } from '../../../stores/stores.js';
import { newAuditEvent, one, person, rolledBack } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';
import { auditClaim, claimedDelivery, deadLettered } from './audit-samples.js';

const blank = { payload: { _erasure_meta: { erased: true } }, payloadSha256: 'e'.repeat(64) };

/** A page of the erasure of `ada`. */
function erasure(over: Partial<AuditErasure> = {}): AuditErasure {
  return { subjectId: 'ada', targetTypes: null, ...blank, limit: 100, ...over };
}

const from = { tenantId: 't', traceId: 'tr', requestId: 'r', httpStatus: 200, sourceIp: '192.0.2.7', userAgent: 'ua' };

function record<Tx>(stores: Stores<Tx>, over: Partial<NewAuditEvent>, to: readonly string[] = []): Promise<AuditEvent> {
  return stores.audit.record(newAuditEvent({ ...from, targetType: 'user', targetId: 'bob', ...over }), to);
}

/** How a person is blanked in the trail. */
export function auditErasureCases<Tx>(it: ContractCase<Tx>): void {
  it('AUD-1: an erasure blanks the fields of a person, and nothing else of any event', async ({ stores, clock }) => {
    const acted = await record(stores, { actorId: 'ada' });
    const suffered = await record(stores, { actorId: 'admin', targetId: 'ada' });
    const both = await record(stores, { actorId: 'ada', targetId: 'ada' });
    const other = await record(stores, { actorId: 'ad', targetId: 'adam' });
    await clock.advance(1000);
    const erased = await stores.audit.eraseSubject(erasure());
    assert.deepEqual([...erased.eventIds].sort(), [acted.id, suffered.id, both.id].sort());
    const { eventIds: _, ...rest } = erased;
    assert.deepEqual(rest, { sent: [], deadLetters: 0, hasMore: false });
    const noActor = { actorId: null, sourceIp: null, userAgent: null };
    assert.deepEqual(await stores.audit.get(acted.id), { ...acted, ...noActor, ...blank });
    assert.deepEqual(await stores.audit.get(suffered.id), { ...suffered, targetId: null, ...blank });
    assert.deepEqual(await stores.audit.get(both.id), { ...both, ...noActor, targetId: null, ...blank });
    assert.deepEqual(await stores.audit.get(other.id), other);
    assert.deepEqual(await stores.audit.list({ actorId: 'ada' }), []);
  });

  it('AUD-1: a delivery that was not sent yet carries the blank form; keys that were sent are given', async ({
    stores,
    clock,
  }) => {
    const event = await record(stores, { actorId: 'ada' }, ['siem', 'lake', 'file']);
    const { lease } = await claimedDelivery(stores);
    await stores.audit.settle([{ lease, kind: 'delivered' }]);
    const held = await claimedDelivery(stores, { destinations: ['file'] });
    const failure = { kind: 'retry', delayMs: 1000, errorCode: 'HTTP_400', errorMessage: 'unknown user ada' } as const;
    await stores.audit.settle([{ lease: held.lease, ...failure }]);
    const { sent } = await stores.audit.eraseSubject(erasure());
    assert.deepEqual(
      [...sent].sort((a, b) => (a.destination < b.destination ? -1 : 1)),
      [
        { destination: 'file', idempotencyKey: `file:${event.id}:v1` },
        { destination: 'siem', idempotencyKey: `siem:${event.id}:v1` },
      ],
    );
    await clock.advance(1000);
    const claimed = await stores.audit.claim(auditClaim({ destinations: ['lake', 'file'] }));
    assert.deepEqual(
      claimed.map(({ event: carried }) => [carried.actorId, carried.payload, carried.payloadSha256]),
      [0, 1].map(() => [null, blank.payload, blank.payloadSha256]),
    );
  });

  it('AUD-1: an erasure goes on page by page, and finds nothing a second time', async ({ stores }) => {
    const ids: string[] = [];
    for (const over of [{ actorId: 'ada' }, { actorId: 'ada' }, { targetId: 'ada' }])
      ids.push((await record(stores, over)).id);
    const found: string[] = [];
    for (const hasMore of [true, true, true, false]) {
      const page = await stores.audit.eraseSubject(erasure({ limit: 1 }));
      assert.equal(page.hasMore, hasMore);
      found.push(...page.eventIds);
    }
    assert.deepEqual(found.sort(), ids.sort());
  });

  it('AUD-1: an erasure has more to do where events of a person on themselves fill a page', async ({ stores }) => {
    const own = { actorId: 'ada', targetId: 'ada' };
    for (const over of [own, own, { targetId: 'ada' }, { targetId: 'ada' }]) await record(stores, over);
    for (let pages = 0; pages < 10; pages++)
      if (!(await stores.audit.eraseSubject(erasure({ limit: 3 }))).hasMore) break;
    for (const { actorId, targetId } of await stores.audit.list({}))
      assert.ok(actorId !== 'ada' && targetId !== 'ada', 'a page that ended early leaves the person');
  });

  it('AUD-1: an erasure that names target types leaves targets of another type', async ({ stores }) => {
    const user = await record(stores, { actorId: 'x', targetType: 'user', targetId: 'ada' });
    const build = await record(stores, { actorId: 'x', targetType: 'build', targetId: 'ada' });
    const own = await record(stores, { actorId: 'ada', targetType: 'build', targetId: 'ada' });
    const { eventIds } = await stores.audit.eraseSubject(erasure({ targetTypes: ['user', 'account'] }));
    assert.deepEqual([...eventIds].sort(), [user.id, own.id].sort());
    assert.deepEqual(await stores.audit.get(build.id), build);
    const event = await stores.audit.get(own.id);
    assert.deepEqual([event?.actorId, event?.targetId, event?.payload], [null, 'ada', blank.payload]);
  });

  it('AUD-16: a dead letter that the person ended loses its operator, and nothing else', async ({ stores }) => {
    await record(stores, { actorId: 'x' }, ['siem']);
    const { id } = await deadLettered(stores);
    await stores.audit.close(id, { status: 'resolved', actor: person('ada'), note: 'n' });
    const before = one(await stores.audit.listDeadLetters({}));
    assert.equal((await stores.audit.eraseSubject(erasure())).deadLetters, 1);
    assert.deepEqual(one(await stores.audit.listDeadLetters({})), { ...before, operatorId: null });
  });

  it('AUD-1: an erasure rolls back with the caller’s transaction', async ({ stores }) => {
    const event = await record(stores, { actorId: 'ada' });
    await rolledBack(stores, async (tx) => {
      assert.deepEqual((await stores.audit.eraseSubject(erasure(), { tx })).eventIds, [event.id]);
    });
    assert.deepEqual(await stores.audit.get(event.id), event);
  });

  it('AUD-1: an erasure without a subject, a limit or its mark is a TypeError', async ({ stores }) => {
    const event = await record(stores, { actorId: 'ada' });
    for (const over of [
      { subjectId: '' },
      { limit: 0 },
      { payload: {} },
      { payloadSha256: 'e' },
      { targetTypes: ['user', ''] },
    ])
      await assert.rejects(stores.audit.eraseSubject(erasure(over)), TypeError);
    assert.deepEqual(await stores.audit.get(event.id), event);
  });
}
