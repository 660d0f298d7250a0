import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../../foundation/errors.js';
import { createMemoryStores } from '../../memory/memory-stores.js';
import { silentLogger } from '../../telemetry/logger.js';
import { createMemoryTelemetry } from '../../telemetry/memory-telemetry.js';
import { newAuditEvent } from '../../testing/stores/sample-rows.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import { createSeededRandom } from '../../testing/support/seeded-random.js';
import { createAuditTrail } from '../audit-trail.js';
import type { AuditSink, SinkAnswer, SinkContext, SinkFailure } from '../sinks/audit-sink.js';
import { type AuditDeliveryOptions, createAuditDelivery } from './audit-delivery.js';

type Say = (attempt: number, context: SinkContext) => SinkAnswer | Promise<SinkAnswer>;

const no = (code: string, about: SinkFailure['about'] = 'destination'): SinkFailure => ({ code, message: 'no', about });
const retry = (code = 'UPSTREAM_ERROR', retryAfterMs?: number): SinkAnswer => ({
  kind: 'retry',
  failure: no(code),
  retryAfterMs,
});
const refused: SinkAnswer = { kind: 'confirm', failure: no('HTTP_REJECTED', 'event') };
const denied: SinkAnswer = { kind: 'confirm', failure: no('AUTH_DENIED') };
const delivered: SinkAnswer = { kind: 'delivered' };

type MemoryTx = Parameters<Parameters<ReturnType<typeof createMemoryStores>['transaction']>[0]>[0];

function harness(say: Say, over: Partial<AuditDeliveryOptions<MemoryTx>> & { isPlain?: boolean } = {}) {
  const { isPlain = false, ...options } = over;
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const sent: { key: string; atMs: number }[] = [];
  const logged: string[] = [];
  const log = (_fields: object, message?: string): void => void logged.push(message ?? '');
  const sink: AuditSink = {
    contract: 1,
    id: 'siem',
    async send(_event, context) {
      sent.push({ key: context.idempotencyKey, atMs: clock.monotonicMs() });
      return say(sent.length, context);
    },
  };
  const delivery = createAuditDelivery({
    store: stores.audit,
    sinks: [sink],
    settings: { audit: isPlain ? { breaker: { outageAfter: null } } : {} },
    logger: { debug: log, info: log, warn: log, error: log },
    clock,
    random: createSeededRandom(1),
    ...options,
  });
  return {
    ...{ clock, stores, sent, logged, delivery, sink },
    record: async (count = 1) => {
      for (let n = 0; n < count; n++) await stores.audit.record(newAuditEvent(), ['siem']);
    },
    /** Runs what is due each `stepMs` until `ms` have passed. */
    async pass(ms: number, stepMs = ms) {
      for (let left = ms; left > 0; left -= stepMs) {
        await clock.advance(Math.min(stepMs, left));
        await delivery.runDue();
      }
    },
    row: async () => (await stores.audit.listDeliveries({ destination: 'siem' }))[0],
    letters: () => stores.audit.listDeadLetters({}),
  };
}

describe('audit delivery: destinations', () => {
  it('AUD-4: names that differ by case only are refused, at the sinks, at the trail and at the store', async () => {
    const clash = /"a" and "A" differ by case only; rename one of them/;
    const { stores, sink } = harness(() => delivered);
    const sinks = ['a', 'A'].map((id) => ({ ...sink, id }));
    expect(() => createAuditDelivery({ store: stores.audit, sinks })).toThrow(clash);
    const redactor = { ruleVersion: '1', redact: () => expect.unreachable('nothing is recorded') };
    const trail = { store: stores.audit, redactor, random: createSeededRandom(1), logger: silentLogger };
    expect(() => createAuditTrail({ ...trail, destinations: ['a', 'A'] })).toThrow(clash);
    await expect(stores.audit.record(newAuditEvent(), ['a', 'A'])).rejects.toThrow(clash);
    expect(() => createAuditTrail({ ...trail, destinations: ['a', 'a'] })).toThrow('each name once');
    expect(() => createAuditTrail({ ...trail, destinations: ['a', 'b'] })).not.toThrow();
  });
});

describe('audit delivery: the plain schedule', () => {
  it('AUD-12: an outage is tried 12 times by the schedule, each time under the same key, then is a dead letter', async () => {
    const t = harness(() => retry(), { isPlain: true });
    await t.record();
    await t.delivery.runDue();
    for (let n = 1; n < 12; n++) {
      const dueInMs = ((await t.row())?.nextAttemptAt.getTime() ?? 0) - t.clock.nowMs();
      await t.pass(dueInMs - 1);
      expect(t.sent).toHaveLength(n);
      await t.pass(1);
    }
    await t.pass(24 * 3_600_000);
    expect(t.sent).toHaveLength(12);
    expect(new Set(t.sent.map(({ key }) => key)).size).toBe(1);
    const waits = t.sent.slice(1).map(({ atMs }, i) => (atMs - (t.sent[i]?.atMs ?? 0)) / 1_000);
    for (const [i, seconds] of [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600].entries()) {
      expect(waits[i]).toBeGreaterThanOrEqual(seconds);
      expect(waits[i]).toBeLessThanOrEqual(seconds + 3);
    }
    const [letter] = await t.letters();
    expect(letter).toMatchObject({ destination: 'siem', finalAttemptCount: 12, operatorStatus: 'open' });
    expect(letter?.errorDetails).toMatchObject({ code: 'UPSTREAM_ERROR', about: 'destination' });
    expect(t.logged).toContain('an audit event could not be delivered and waits for an operator as a dead letter');
  });

  it('AUD-13: a refusal is confirmed by one further attempt, then is a dead letter', async () => {
    for (const answer of [refused, denied]) {
      const t = harness(() => answer, { isPlain: true });
      await t.record();
      await t.delivery.runDue();
      expect(await t.row()).toMatchObject({ state: 'retry_wait', attemptCount: 1 });
      await t.pass(8_000);
      expect(await t.row()).toMatchObject({ state: 'dead_lettered', attemptCount: 2 });
      await t.pass(3_600_000);
      expect(t.sent).toHaveLength(2);
    }
  });

  it('AUD-13: a refusal that another failure came between is confirmed anew; 403 confirms 401', async () => {
    const answers = [refused, retry(), refused, retry('NETWORK_RESET'), denied];
    const t = harness((n) => answers[n - 1] ?? refused, { isPlain: true });
    await t.record();
    for (let n = 1; n <= 5; n++) {
      await t.delivery.runDue();
      expect(await t.row()).toMatchObject({ state: 'retry_wait', attemptCount: n });
      await t.clock.advance(3_600_000);
    }
    await t.delivery.runDue();
    expect(await t.row()).toMatchObject({ state: 'dead_lettered', attemptCount: 6 });
  });

  it('AUD-13: Retry-After puts the next attempt off', async () => {
    const t = harness((n) => (n === 1 ? retry('RATE_LIMITED', 600_000) : delivered), { isPlain: true });
    await t.record();
    await t.delivery.runDue();
    await t.pass(599_000);
    expect(t.sent).toHaveLength(1);
    await t.pass(5_000);
    expect(await t.row()).toMatchObject({ state: 'delivered', attemptCount: 2 });
  });

  it('AUD-13: what a sink throws is classified: outages are retried, refusals confirmed, faults retried', async () => {
    const thrown = [
      new CriticizerError('NETWORK_RESET', 'cut', { category: 'network' }),
      new CriticizerError('SECRET_MISSING', 'none', { category: 'auth' }),
      new RangeError('a bug that quotes the event'),
    ];
    for (const [i, error] of thrown.entries()) {
      const t = harness(() => Promise.reject(error), { isPlain: true });
      await t.record();
      await t.delivery.runDue();
      await t.pass(8_000);
      const code = ['NETWORK_RESET', 'SECRET_MISSING', 'UNEXPECTED'][i];
      expect(await t.row()).toMatchObject({
        lastErrorCode: code,
        state: code === 'SECRET_MISSING' ? 'dead_lettered' : 'retry_wait',
      });
      expect(JSON.stringify(await t.letters())).not.toContain('quotes');
    }
  });

  it('AUD-13: a sink that gives no answer in time is a failed attempt, and is told so', async () => {
    let told = false;
    const hangs: Say = (_n, { signal }) =>
      new Promise(() => signal.addEventListener('abort', () => (told = true), { once: true }));
    const t = harness(hangs, { isPlain: true });
    await t.record();
    const run = t.delivery.runDue();
    await t.clock.advance(20_000);
    await run;
    expect(await t.row()).toMatchObject({ state: 'retry_wait', lastErrorCode: 'NETWORK_TIMEOUT', attemptCount: 1 });
    expect(told).toBe(true);
  });

  it('R11: workers that died do not spend an event, until there were 48; a first failure after them is retried', async () => {
    const t = harness(() => retry(), { isPlain: true });
    await t.record();
    const die = async (): Promise<void> => {
      await t.stores.audit.claim({
        ...{ owner: 'dies', token: randomUUID(), leaseMs: 1_000, limit: 1 },
        destinations: ['siem'],
      });
      await t.clock.advance(1_000);
    };
    for (let n = 0; n < 20; n++) await die();
    await t.delivery.runDue();
    expect(await t.row()).toMatchObject({ state: 'retry_wait', attemptCount: 21 });
    await t.pass(3_603_000);
    expect(await t.row()).toMatchObject({ state: 'dead_lettered', attemptCount: 22 });
  });

  it('R11: an event of which 48 workers died is a dead letter before another send', async () => {
    const t = harness(() => delivered);
    await t.record();
    for (let n = 0; n < 48; n++) {
      await t.stores.audit.claim({
        owner: 'dies',
        token: randomUUID(),
        leaseMs: 1_000,
        limit: 1,
        destinations: ['siem'],
      });
      await t.clock.advance(1_000);
    }
    await t.delivery.runDue();
    expect(t.sent).toEqual([]);
    expect((await t.letters())[0]?.errorDetails).toMatchObject({ code: 'WORKER_LOST' });
  });
});

describe('audit delivery: success', () => {
  it('AUD-15: accepted and already known both count as delivered', async () => {
    const t = harness((n) => (n === 1 ? delivered : { kind: 'delivered', duplicate: true }));
    await t.record(2);
    const outcomes = await t.delivery.runDue();
    expect(outcomes.map(({ outcome, duplicate }) => [outcome, duplicate])).toEqual([
      ['delivered', undefined],
      ['delivered', true],
    ]);
  });

  it('AUD-15: the key is the row’s, and a repeat after a lost answer has the same', async () => {
    const t = harness((n) => (n === 1 ? retry('NETWORK_RESET') : delivered), { isPlain: true });
    await t.record();
    await t.delivery.runDue();
    await t.pass(8_000);
    const key = (await t.row())?.idempotencyKey;
    expect(t.sent.map((one) => one.key)).toEqual([key, key]);
    expect(key).toMatch(/^siem:[0-9a-f-]{36}:v1$/);
  });

  it('AUD-15: an event that is confirmed later is polled by its receipt, without an attempt, and not sent again', async () => {
    const polls: unknown[] = [];
    const t = harness(() => ({ kind: 'accepted', receipt: { ackId: 7 }, pollAfterMs: 2_000 }));
    t.sink.poll = async (receipt) => {
      polls.push(receipt);
      return polls.length < 3 ? { kind: 'accepted', receipt: { ackId: 7 }, pollAfterMs: 2_000 } : delivered;
    };
    await t.record();
    await t.delivery.runDue();
    expect(await t.row()).toMatchObject({ state: 'retry_wait', attemptCount: 1 });
    await t.pass(10_000, 1_000);
    expect(polls).toEqual(Array(3).fill({ ackId: 7 }));
    expect(t.sent).toHaveLength(1);
    expect(await t.row()).toMatchObject({ state: 'delivered', attemptCount: 1 });
  });

  it('AUD-4: one destination that is out holds no other up', async () => {
    const t = harness(() => new Promise(() => undefined));
    const got: string[] = [];
    const lake: AuditSink = {
      contract: 1,
      id: 'lake',
      async send(event) {
        got.push(event.id);
        return delivered;
      },
    };
    const both = createAuditDelivery({ store: t.stores.audit, sinks: [t.sink, lake], clock: t.clock });
    for (let n = 0; n < 20; n++) await t.stores.audit.record(newAuditEvent(), ['siem', 'lake']);
    await both.start();
    await t.clock.advance(5_000);
    expect(got).toHaveLength(20);
    const stopped = both.stop({ graceMs: 0 });
    await t.clock.advance(1);
    await stopped;
    expect((await t.stores.audit.listDeliveries({ destination: 'siem' })).every((r) => r.attemptCount === 0)).toBe(
      true,
    );
  });

  it('AUD-18: each send is measured by destination', async () => {
    const telemetry = createMemoryTelemetry();
    const t = harness(() => delivered, { telemetry });
    await t.record();
    await t.delivery.runDue();
    const points = telemetry.measurements.filter(({ name }) => name === 'messaging.client.operation.duration');
    expect(points.map(({ attributes }) => attributes?.['messaging.destination.name'])).toEqual(['siem']);
  });
});

describe('audit delivery: outages', () => {
  it('R9: an outage of 72 hours spends no attempt, dead-letters nothing, and drains at its pace', async () => {
    let isOut = true;
    const t = harness(() => (isOut ? retry('NETWORK_REFUSED') : delivered), {
      settings: { audit: { breaker: { drainPerSecond: 10 } } },
    });
    await t.record(40);
    await t.pass(72 * 3_600_000, 300_000);
    const rows = await t.stores.audit.listDeliveries({ destination: 'siem', limit: 1_000 });
    expect(rows.every(({ attemptCount, lastErrorCode }) => attemptCount === 0 && lastErrorCode === null)).toBe(true);
    expect(await t.letters()).toEqual([]);
    expect(t.sent.length).toBeLessThan(72 * 12 + 20); // a probe each 5 minutes
    expect(t.logged.filter((line) => line.startsWith('an outage parks this work'))).toHaveLength(1);
    isOut = false;
    t.sent.length = 0;
    await t.pass(300_000);
    await t.pass(6_000, 500);
    expect(t.sent).toHaveLength(40);
    const [first, last] = [t.sent[0]?.atMs ?? 0, t.sent.at(-1)?.atMs ?? 0];
    expect(last - first).toBeGreaterThanOrEqual(3_500); // 40 at 10 a second
    expect((await t.stores.audit.stats())[0]?.pending ?? 0).toBe(0);
    expect(t.logged).toContain('work goes through again after an outage');
  });

  it('R9: a rejected credential makes one dead letter, not one for each event', async () => {
    let isDenied = true;
    const t = harness(() => (isDenied ? denied : delivered));
    await t.record(20);
    await t.delivery.runDue();
    await t.pass(4 * 3_600_000, 300_000);
    expect(await t.letters()).toHaveLength(1);
    isDenied = false;
    await t.pass(300_000);
    await t.pass(3_000, 500);
    expect(await t.stores.audit.listDeliveries({ state: 'delivered' })).toHaveLength(19);
  });

  it('EGR-4: while the kill switch is on, no event leaves and none is claimed', async () => {
    let isKilled = true;
    const asked: unknown[] = [];
    const check = async (destination: unknown): Promise<void> => {
      asked.push(destination);
      if (isKilled) throw new CriticizerError('EGRESS_KILLED', 'no', { category: 'policy', parks: true });
    };
    const t = harness(() => delivered, { outbound: { check } });
    await t.record();
    await t.pass(3_600_000, 60_000);
    expect(t.sent).toEqual([]);
    expect(await t.row()).toMatchObject({ state: 'pending', attemptCount: 0 });
    isKilled = false;
    await t.delivery.runDue();
    expect(await t.row()).toMatchObject({ state: 'delivered' });
    expect(asked[0]).toEqual({ kind: 'sink', id: 'siem' });
  });

  it('AUD-17: a flag that never answers holds an event back, and no slot for good', async () => {
    const t = harness(() => delivered, { mayDeliver: () => new Promise<boolean>(() => undefined) });
    await t.record();
    const run = t.delivery.runDue();
    await t.clock.advance(20_000);
    await run;
    expect(t.sent).toEqual([]);
    expect(await t.row()).toMatchObject({ state: 'retry_wait', attemptCount: 0 });
  });

  it('AUD-17: an event that may not be delivered now waits without an attempt', async () => {
    let says: boolean | Error = false;
    const mayDeliver = async (): Promise<boolean> => {
      if (says instanceof Error) throw says;
      return says;
    };
    const t = harness(() => delivered, { mayDeliver });
    await t.record();
    await t.delivery.runDue();
    says = new Error('the flag provider is down');
    await t.pass(120_000, 30_000);
    expect(t.sent).toEqual([]);
    expect(await t.row()).toMatchObject({ state: 'retry_wait', attemptCount: 0 });
    says = true;
    await t.pass(30_000);
    expect(await t.row()).toMatchObject({ state: 'delivered', attemptCount: 1 });
  });
});

describe('audit delivery: the close of a sink', () => {
  it('AUD-4: one that throws or never ends holds up neither the stop nor the close of the others', async () => {
    const clock = createManualClock();
    const closed: string[] = [];
    const sinkOf = (id: string, close: () => Promise<void>): AuditSink => ({
      ...{ contract: 1, id, close },
      send: async () => delivered,
    });
    const delivery = createAuditDelivery({
      store: createMemoryStores({ clock }).audit,
      sinks: [
        sinkOf('throws', () => {
          throw new Error('no');
        }),
        sinkOf('hangs', () => new Promise(() => undefined)),
        sinkOf('ends', async () => void closed.push('ends')),
      ],
      clock,
    });
    let isStopped = false;
    const stopping = delivery.stop().then(() => {
      isStopped = true;
    });
    await clock.advance(10_000);
    await clock.advance(10_000);
    expect(closed).toEqual(['ends']);
    expect(isStopped).toBe(true);
    await stopping;
  });
});

describe('audit delivery: answers that are not of the port', () => {
  const failure = { ...no('X_Y', 'event') };
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  it.each<[string, unknown]>([
    ['no failure', { kind: 'retry' }],
    ['no failure of a dead letter', { kind: 'dead-letter' }],
    ['a pause that is no number', { kind: 'accepted', receipt: {}, pollAfterMs: Number.NaN }],
    ['no receipt', { kind: 'accepted', pollAfterMs: 1 }],
    ['details that are no JSON', { kind: 'dead-letter', failure: { ...failure, details: cycle } }],
    ['a message that is no text', { kind: 'dead-letter', failure: { ...failure, message: 5 } }],
    ['no code', { kind: 'retry', failure: { message: 'x', about: 'event' } }],
    ['a Retry-After that is no number', { kind: 'retry', failure, retryAfterMs: Number.NaN }],
  ])('AUD-13: %s is a failed attempt that is settled at once', async (_name, answer) => {
    const t = harness(() => answer as SinkAnswer);
    await t.record();
    await t.delivery.runDue();
    expect(await t.row()).toMatchObject({ state: 'retry_wait', attemptCount: 1, lastErrorCode: 'UNEXPECTED' });
  });

  it('R9: an answer that is too long blames the destination', async () => {
    const t = harness(() => {
      const details = { maxResponseBytes: 8 };
      throw new CriticizerError('HTTP_TOO_LARGE', 'HTTP response is larger than allowed', {
        category: 'upstream',
        details,
      });
    });
    await t.record(4);
    await t.delivery.runDue();
    expect(t.sent.length).toBeLessThanOrEqual(4);
    await t.pass(1_000);
    expect(await t.row()).not.toMatchObject({ state: 'dead_lettered' });
    await t.pass(24 * 3_600_000, 60_000);
    expect(await t.letters()).toEqual([]);
  });
});
