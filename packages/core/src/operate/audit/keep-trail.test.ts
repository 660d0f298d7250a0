import { describe, expect, it } from 'vitest';
import { type AuditTrail, createAuditTrail } from '../../audit/audit-trail.js';
import { createAuditFlags } from '../../audit/flags/audit-flags.js';
import type { JsonValue } from '../../foundation/json.js';
import { systemRandom } from '../../foundation/time/system-random.js';
import { createMemoryStores } from '../../memory/memory-stores.js';
import { silentLogger } from '../../telemetry/logger.js';
import { claimedDelivery } from '../../testing/stores/audit/audit-samples.js';
import { newAuditEvent, one, person } from '../../testing/stores/sample-rows.js';
import { createOperator, type Operator } from '../operator.js';
import { digestAuditSubject } from './subject-digest.js';

const year = 365 * 86_400_000;
const by = { actor: person('ada'), reason: 'DPO-7: asked for it' };
const meta = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
const redactor = { ruleVersion: '1', redact: (value: unknown) => ({ value: value as JsonValue, meta }) };

function parts(change: (trail: AuditTrail<unknown>) => Partial<AuditTrail<unknown>> = () => ({})) {
  const stores = createMemoryStores();
  const flags = createAuditFlags({
    provider: { getBooleanValue: async () => false },
    defaults: { write: false, worker: false },
  });
  const rest = { redactor, destinations: [], random: systemRandom, logger: silentLogger, flags };
  const trail: AuditTrail<unknown> = createAuditTrail({ store: stores.audit, ...rest }) as AuditTrail<unknown>;
  const operator = createOperator({ stores, audit: { ...trail, ...change(trail) } });
  const addOld = async (actorId = 'bob') => {
    const occurredAt = new Date((await stores.now()).getTime() - 2 * year);
    return stores.audit.record(newAuditEvent({ occurredAt, actorId }), ['siem']);
  };
  return { stores, operator, addOld };
}

const verbs: readonly [string, (operator: Operator) => Promise<unknown>][] = [
  ['pruneAudit', (operator) => operator.pruneAudit({ olderThanMs: year, ...by })],
  ['eraseSubject', (operator) => operator.eraseSubject({ id: 'bob', ...by })],
];

describe.each(verbs)('%s', (_, call) => {
  it('AUD-1: is undone where its event is not stored, whatever the trail answers', async () => {
    const degraded = { outcome: 'degraded', degraded: true, fingerprint: '', errorCode: 'X' } as const;
    for (const record of [
      async () => ({ ...degraded, logFallback: () => undefined }),
      async () => ({ outcome: 'off', degraded: false, event: null }) as const,
      () => Promise.reject(new Error('disk full')),
    ]) {
      const { stores, operator } = parts(() => ({ record }));
      const occurredAt = new Date((await stores.now()).getTime() - 2 * year);
      const event = await stores.audit.record(newAuditEvent({ occurredAt, actorId: 'bob' }), []);
      await expect(call(operator)).rejects.toThrow(/not stored|disk full/);
      expect(await stores.audit.list({})).toEqual([event]);
    }
  });

  it('AUD-1: is refused where the trail lies on another database', async () => {
    const { stores, operator } = parts(() => ({ storeId: 'elsewhere' }));
    const event = await stores.audit.record(newAuditEvent({ actorId: 'bob', occurredAt: new Date(0) }), []);
    await expect(call(operator)).rejects.toMatchObject({ code: 'AUDIT_TRAIL_APART' });
    expect(await stores.audit.list({})).toEqual([event]);
  });

  it('AUD-17: is recorded though the flags of the rollout are off', async () => {
    const { stores, operator } = parts();
    await stores.audit.record(newAuditEvent({ actorId: 'bob', occurredAt: new Date(0) }), []);
    expect(await call(operator)).toMatchObject({ audit: 'recorded' });
    expect((await stores.audit.list({ actorId: 'ada' })).length).toBe(1);
  });
});

describe('pruneAudit', () => {
  it('AUD-1: one event for each page says what went, and a limit ends it', async () => {
    const { stores, operator } = parts();
    const ages = Array.from({ length: 1_101 }, (_, n) => new Date(Date.UTC(2020, 0, 1, 0, 0, n)));
    for (const occurredAt of ages) await stores.audit.record(newAuditEvent({ occurredAt, actorId: 'bob' }), []);
    const first = await operator.pruneAudit({ olderThanMs: year, limit: 100, ...by });
    expect(first).toMatchObject({ outcome: 'pruned', events: 100, occurredFrom: ages[0], occurredUntil: ages[99] });
    const rest = await operator.pruneAudit({ olderThanMs: year, ...by });
    expect(rest).toMatchObject({ events: 1_001, occurredFrom: ages[100], occurredUntil: ages[1_100] });
    const events = await stores.audit.list({ action: 'audit.events.prune' });
    expect(events.map(({ payload }) => payload['events']).sort()).toEqual([1, 100, 1_000]);
    expect(await operator.pruneAudit({ olderThanMs: year, ...by })).toMatchObject({
      outcome: 'nothing',
      audit: 'none',
    });
  });
});

describe('eraseSubject', () => {
  it('AUD-1: no event names the person in clear, the event of the erasure included', async () => {
    const { stores, operator, addOld } = parts();
    const event = await addOld();
    await claimedDelivery(stores);
    const done = await operator.eraseSubject({ id: 'bob', ...by });
    const sent = { siem: [`siem:${event.id}:v1`] };
    expect(done).toEqual({ outcome: 'erased', audit: 'recorded', events: 1, deadLetters: 0, sent, hasMore: false });
    const events = await stores.audit.list({});
    expect(JSON.stringify(events)).not.toMatch(/bob/);
    const own = one(await stores.audit.list({ action: 'audit.subject.erase' }));
    expect([own.targetId, own.payload['eventIds']]).toEqual([
      digestAuditSubject('bob'),
      [event.id.replaceAll('-', '')],
    ]);
    expect(own.targetId).toBe('sha256:275d1501f20ababb5f1ce2fb97596365c172dd33f1556c2cb4003b26fe40a9c0');
  });

  it('AUD-1: 501 events are two pages with an event each; a limit leaves the rest for another call', async () => {
    const { stores, operator, addOld } = parts();
    for (let n = 0; n < 502; n++) await addOld();
    const first = await operator.eraseSubject({ id: 'bob', limit: 1, ...by });
    expect([first.events, first.hasMore]).toEqual([1, true]);
    const rest = await operator.eraseSubject({ id: 'bob', ...by });
    expect([rest.events, rest.hasMore]).toEqual([501, false]);
    const counts = (await stores.audit.list({ action: 'audit.subject.erase' })).map(({ payload }) => payload['events']);
    expect(counts.sort()).toEqual([1, 1, 500]);
    expect(await operator.eraseSubject({ id: 'bob', ...by })).toMatchObject({ outcome: 'nothing', audit: 'none' });
  });

  it('AUD-1: a reason or an actor that names the person is a TypeError', async () => {
    const { stores, operator, addOld } = parts();
    const event = await addOld();
    const dotted = await addOld('b.b');
    for (const request of [
      { id: 'bob', ...by, reason: 'Bob asked' },
      { id: 'bob', ...by, reason: '(bob)' },
      { id: 'bob', ...by, actor: person('bob') },
      { id: 'b.b', ...by, reason: 'of b.b, by mail' },
    ])
      await expect(operator.eraseSubject(request)).rejects.toThrow(TypeError);
    expect(new Set((await stores.audit.list({})).map(({ actorId }) => actorId))).toEqual(new Set(['bob', 'b.b']));
    const done = await operator.eraseSubject({ id: 'b.b', ...by, reason: 'bob and bxb are others' });
    expect(done.events).toBe(1);
    expect([(await stores.audit.get(event.id))?.actorId, (await stores.audit.get(dotted.id))?.actorId]).toEqual([
      'bob',
      null,
    ]);
  });
});
