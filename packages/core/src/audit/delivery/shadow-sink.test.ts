import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../../memory/memory-stores.js';
import { silentLogger } from '../../telemetry/logger.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import { createSeededRandom } from '../../testing/support/seeded-random.js';
import { createAuditTrail } from '../audit-trail.js';
import { auditFlagNames, createAuditFlags } from '../flags/audit-flags.js';
import { type AuditFlagRules, matchesRule } from '../flags/flag-rules.js';
import { toShadowDestination } from '../shadow-destination.js';
import type { AuditSink, SinkAnswer } from '../sinks/audit-sink.js';
import { createAuditDelivery } from './audit-delivery.js';
import { createShadowSink } from './shadow-sink.js';

const { shadow, worker } = auditFlagNames;
const meta = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
const redactor = { ruleVersion: '1', redact: () => ({ value: {}, meta }) };
const entry = { actorType: 'admin_user', actorId: 'ada', action: 'user.update', resultStatus: 'success' } as const;

/** A trail with a destination and its shadow, a far end for each, and rules that a test changes. */
function harness(answer: () => SinkAnswer = () => ({ kind: 'delivered' })) {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const rules: AuditFlagRules = {};
  const flags = createAuditFlags({
    provider: {
      getBooleanValue: async (flag, _default, { targetingKey }) =>
        flag === auditFlagNames.write || matchesRule(rules[flag as typeof shadow], targetingKey),
    },
    defaults: { write: true, worker: false },
    clock,
  });
  const trail = createAuditTrail({
    store: stores.audit,
    redactor,
    destinations: ['siem', toShadowDestination('siem')],
    flags,
    random: createSeededRandom(1),
    logger: silentLogger,
  });
  const sent = { production: [] as string[], staging: [] as string[] };
  const sinkTo = (end: keyof typeof sent): AuditSink => ({
    contract: 1,
    id: 'siem',
    async send(_event, { idempotencyKey }) {
      sent[end].push(idempotencyKey);
      return end === 'staging' ? answer() : { kind: 'delivered' };
    },
  });
  const staging = createShadowSink(sinkTo('staging'));
  const delivery = createAuditDelivery({
    store: stores.audit,
    sinks: [sinkTo('production'), staging],
    mayDeliver: flags.mayDeliver,
    clock,
    random: createSeededRandom(2),
  });
  const rows = async (): Promise<string[]> =>
    (await stores.audit.listDeliveries({})).map(({ destination, state }) => `${destination} ${state}`).sort();
  return { clock, stores, rules, flags, trail, sent, staging, delivery, rows };
}

describe('the shadow of a destination', () => {
  it('AUD-19: gets what production would get, under production’s key, and leaves production’s row waiting', async () => {
    const t = harness();
    t.rules[shadow] = { percentage: 0, tenants: ['acme'] };
    for (const tenantId of ['acme', 'other']) await t.trail.record({ ...entry, tenantId });
    expect(await t.rows()).toEqual(['shadow:siem pending', 'siem pending', 'siem pending']);
    await t.delivery.runDue();
    expect([t.sent.production, t.sent.staging]).toEqual([[], [expect.stringMatching(/^siem:[^:]+:v1$/)]]);
    expect(await t.rows()).toEqual(['shadow:siem delivered', 'siem retry_wait', 'siem retry_wait']);

    t.rules[worker] = { percentage: 100 };
    await t.clock.advance(30_000);
    await t.delivery.runDue();
    expect(await t.rows()).toEqual(['shadow:siem delivered', 'siem delivered', 'siem delivered']);
    expect([t.sent.production.length, t.sent.staging.length]).toEqual([2, 1]);
    expect(t.sent.production).toContain(t.sent.staging[0]);
  });

  it('AUD-19: what the flag let in is delivered after it is off, and nothing new is added', async () => {
    const t = harness();
    t.rules[shadow] = { percentage: 100 };
    await t.trail.record(entry);
    t.rules[shadow] = { percentage: 0 };
    await t.trail.record(entry);
    await t.delivery.runDue();
    expect(t.sent.staging).toHaveLength(1);
    expect(await t.rows()).toEqual(['shadow:siem delivered', 'siem retry_wait', 'siem retry_wait']);
    expect(await t.trail.record(entry)).toMatchObject({ outcome: 'recorded' });
    expect((await t.stores.audit.list({ action: 'audit.flag.flip' })).map(({ targetId }) => targetId)).toEqual([
      shadow,
    ]);
  });

  it('AUD-19: an event whose tenant is not in yet is looked at again after a quarter of its age, 15 minutes at most', async () => {
    const t = harness();
    await t.trail.record(entry);
    const waits: number[] = [];
    for (const ageMs of [0, 400_000, 86_400_000]) {
      await t.clock.advance(ageMs);
      await t.delivery.runDue();
      const [row] = await t.stores.audit.listDeliveries({});
      waits.push((row?.nextAttemptAt.getTime() ?? 0) - t.clock.nowMs());
    }
    expect(waits).toEqual([30_000, 100_000, 900_000]);
    expect(t.sent.production).toEqual([]);
  });

  it('AUD-19: a refusal by the shadow’s endpoint is the shadow’s dead letter, not production’s', async () => {
    const failure = { code: 'HTTP_REJECTED', message: 'no', about: 'event' } as const;
    const t = harness(() => ({ kind: 'dead-letter', failure }));
    t.rules[shadow] = { percentage: 100 };
    await t.trail.record(entry);
    await t.delivery.runDue();
    expect((await t.stores.audit.listDeadLetters({})).map(({ destination }) => destination)).toEqual(['shadow:siem']);
    expect(await t.rows()).toEqual(['shadow:siem dead_lettered', 'siem retry_wait']);
  });

  it('AUD-19: the wrapped sink’s other verbs are its own, under production’s key', async () => {
    const calls: unknown[] = [];
    const signal = new AbortController().signal;
    const shadowed = createShadowSink({
      contract: 1,
      id: 'siem',
      send: async () => ({ kind: 'delivered' }),
      async poll(receipt, { idempotencyKey }) {
        calls.push(receipt, idempotencyKey);
        return { kind: 'delivered' };
      },
      testConnection: async () => ({ ok: true }),
      close: async () => void calls.push('closed'),
    });
    await shadowed.poll?.({ ack: 1 }, { idempotencyKey: 'shadow:siem:1:v1', signal });
    expect(await shadowed.testConnection?.({ signal })).toEqual({ ok: true });
    await shadowed.close?.();
    expect([shadowed.id, ...calls]).toEqual(['shadow:siem', { ack: 1 }, 'siem:1:v1', 'closed']);
    expect(() => createShadowSink(shadowed)).toThrow('a shadow already');
    expect(() => createShadowSink({ ...shadowed, contract: 2 as never, id: 'x' })).toThrow(/contract/);
    expect(() => createShadowSink({} as never)).toThrow(TypeError);
  });
});
