import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../foundation/errors.js';
import type { JsonValue } from '../foundation/json.js';
import type { PayloadRedactor } from '../foundation/redactor.js';
import type { AuditStore, NewAuditEvent } from '../stores/audit-store.js';
import { type Logger, silentLogger } from '../telemetry/logger.js';
import { createSeededRandom } from '../testing/support/seeded-random.js';
import type { AuditEntry } from './audit-entry.js';
import { createAuditTrail } from './audit-trail.js';

const meta = { rule_version: '1', fields_redacted_count: 1, patterns_redacted_count: 0, redacted_paths: ['$.hidden'] };
const redactor: PayloadRedactor = {
  ruleVersion: '1',
  redact: () => ({ value: { shown: 1, _redaction_meta: { ...meta } }, meta }),
};
const entry: AuditEntry = {
  actorType: 'admin_user',
  actorId: 'ada',
  action: 'admin.user.update',
  resultStatus: 'success',
  payload: { hidden: 'x' },
};

/** Fails the first `failures` inserts, then stores. */
function harness(
  failures: number,
  error: Error = new CriticizerError('STORE_CONTENTION', 'x', { category: 'conflict' }),
) {
  const stored: { event: NewAuditEvent; destinations: readonly string[]; tx: unknown }[] = [];
  let left = failures;
  let tries = 0;
  const store: Pick<AuditStore<string>, 'record'> = {
    async record(event, destinations, options) {
      tries++;
      if (left-- > 0) throw error;
      stored.push({ event, destinations, tx: options?.tx });
      return { ...event, occurredAt: new Date(0), createdAt: new Date(0) };
    },
  };
  const logged: object[] = [];
  const logger: Logger = { ...silentLogger, error: (fields) => void logged.push(fields) };
  const options = {
    store: store as AuditStore<string>,
    redactor,
    destinations: ['siem'],
    random: createSeededRandom(1),
    logger,
  };
  return { trail: createAuditTrail(options), options, stored, logged, tries: () => tries };
}

describe('audit trail', () => {
  it('AUD-2: stores the redacted payload with its hash, for every destination, in the caller transaction', async () => {
    const t = harness(0);
    const recorded = await t.trail.record(entry, { tx: 'the host transaction' });
    expect(recorded.degraded).toBe(false);
    expect(t.stored).toHaveLength(1);
    expect(t.stored[0]).toMatchObject({
      destinations: ['siem'],
      tx: 'the host transaction',
      event: { payload: { shown: 1 }, action: 'admin.user.update' },
    });
    expect(t.stored[0]?.event.payloadSha256).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(t.stored[0]?.event.payload)).not.toContain('"x"');
  });

  it.each(['targetId', 'httpStatus', 'sourceIp', 'payload'] as const)(
    'AUD-3: a %s whose getter throws is left out, with a note',
    async (field) => {
      const t = harness(0);
      const plain: PayloadRedactor = { ruleVersion: '1', redact: (value) => ({ value: value as JsonValue, meta }) };
      const hostile = Object.defineProperty({ ...entry }, field, {
        enumerable: true,
        get: () => {
          throw new Error('gone');
        },
      });
      const recorded = await createAuditTrail({ ...t.options, redactor: plain }).record(hostile);
      expect(recorded.degraded).toBe(false);
      expect(t.stored[0]?.event.payload).toMatchObject({ _audit_meta: { columns: { [field]: 'not_readable' } } });
    },
  );

  it('AUD-3: contention is retried at most twice, then the admin write goes on and the fallback waits for the commit', async () => {
    const twice = harness(2);
    expect((await twice.trail.record(entry)).degraded).toBe(false);
    const thrice = harness(3);
    const recorded = await thrice.trail.record(entry);
    expect(thrice.tries()).toBe(3);
    expect(recorded).toMatchObject({ degraded: true, errorCode: 'STORE_CONTENTION' });
    expect(thrice.logged).toEqual([]);
    if (recorded.degraded) recorded.logFallback();
    expect(thrice.logged).toMatchObject([{ errorCode: 'STORE_CONTENTION', action: 'admin.user.update' }]);
  });

  it('AUD-3: any other failure degrades at once', async () => {
    const t = harness(1, new Error('disk'));
    expect((await t.trail.record(entry)).degraded).toBe(true);
    expect(t.tries()).toBe(1);
  });

  it('AUD-3: `throw` rejects with what the log would have said, and with the category of the failure', async () => {
    const t = harness(3);
    await expect(t.trail.record(entry, { onFailure: 'throw' })).rejects.toMatchObject({
      code: 'AUDIT_NOT_STORED',
      category: 'conflict',
      details: { errorCode: 'STORE_CONTENTION', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect([t.tries(), t.logged]).toEqual([3, []]);
  });

  it('rethrows a serialization failure: the caller transaction is doomed and must know', async () => {
    const t = harness(
      1,
      new CriticizerError('STORE_CONTENTION', 'x', { category: 'conflict', details: { sqlState: '40001' } }),
    );
    await expect(t.trail.record(entry)).rejects.toMatchObject({ code: 'STORE_CONTENTION' });
  });

  it('refuses an action, an actor type and a result that are none, before anything is written', async () => {
    const t = harness(0);
    for (const wrong of [{ action: 'Update user' }, { action: 7 }, { actorType: 'robot' }, { resultStatus: undefined }])
      await expect(t.trail.record({ ...entry, ...wrong } as AuditEntry)).rejects.toBeInstanceOf(TypeError);
    expect(t.tries()).toBe(0);
  });

  it('refuses destinations that are no names when it is made, not inside the transaction of a host', () => {
    for (const destinations of [['siem', 'siem'], [''], 'siem', [7]])
      expect(() => createAuditTrail({ ...harness(0).options, destinations: destinations as string[] })).toThrow(
        TypeError,
      );
  });

  it('AUD-3: what a store throws never reaches the host, a TypeError neither, and a broken log neither', async () => {
    const t = harness(1, new TypeError('of a driver'));
    const recorded = await t.trail.record(entry);
    expect(recorded.degraded).toBe(true);
    const broken = createAuditTrail({
      ...harness(9).options,
      logger: {
        ...silentLogger,
        error: () => {
          throw new Error('no log');
        },
      },
    });
    const unlogged = await broken.record(entry);
    if (unlogged.degraded) unlogged.logFallback();
    expect(unlogged.degraded).toBe(true);
  });

  it('AUD-3: a payload of many MiB reaches the redactor with at most some 1 MiB of text, whatever holds it', async () => {
    let characters = 0;
    const counting: PayloadRedactor = {
      ruleVersion: '1',
      redact(value) {
        characters += JSON.stringify(value).length;
        return { value: value as JsonValue, meta };
      },
    };
    const t = harness(0);
    const trail = createAuditTrail({ ...t.options, redactor: counting });
    const mebibyte = 1024 * 1024;
    await trail.record({ ...entry, payload: { text: 'x'.repeat(10 * mebibyte) } });
    expect(characters).toBeLessThan(62 * 1024);
    expect(t.stored[0]?.event.payload['_audit_meta']).toEqual({
      cut_count: 1,
      cuts: [{ path: '$.text', bytes_original: 10 * mebibyte, bytes_kept: 60 * 1024 }],
    });
    characters = 0;
    await trail.record({ ...entry, payload: Array.from({ length: 300 }, () => 'x'.repeat(60 * 1024)) });
    expect(characters).toBeLessThan(1.2 * mebibyte);
  });

  it('AUD-3: the notes on a payload pass the redactor, and a redactor that throws withholds the payload', async () => {
    const seen: unknown[] = [];
    const hiding: PayloadRedactor = {
      ruleVersion: '1',
      redact(value) {
        seen.push(value);
        return { value: JSON.parse(JSON.stringify(value).replaceAll('secret-word', '[REDACTED]')) as JsonValue, meta };
      },
    };
    const t = harness(0);
    const trail = createAuditTrail({ ...t.options, redactor: hiding });
    await trail.record({
      ...entry,
      sourceIp: 'secret-word',
      payload: { _audit_meta: 1, 'secret-word': 'x'.repeat(100_000) },
    });
    expect(JSON.stringify(t.stored[0]?.event)).not.toContain('secret-word');
    expect(t.stored[0]?.event.payload).toMatchObject({
      _audit_meta_given: 1,
      _audit_meta: { source_ip_received: '[REDACTED]', cut_count: 1 },
    });
    const throwing: PayloadRedactor = {
      ruleVersion: '1',
      redact: () => {
        throw new Error('quotes secret-word');
      },
    };
    await createAuditTrail({ ...t.options, redactor: throwing }).record({ ...entry, payload: { a: 'secret-word' } });
    expect(t.stored.at(-1)?.event.payload).toEqual({
      withheld: 'redaction failed',
      _redaction_meta: { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] },
      _truncation_meta: expect.objectContaining({ applied: false, bytes_original: 19 }),
    });
  });
});
