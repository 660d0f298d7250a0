import { describe, expect, it } from 'vitest';
import type { PayloadRedactor } from '../egress/redactor.js';
import { CriticizerError } from '../errors.js';
import { type Logger, silentLogger } from '../telemetry/logger.js';
import { createSeededRandom } from '../testing/seeded-random.js';
import type { AuditStore, NewAuditEvent } from './audit-store.js';
import { type AuditEntry, createAuditTrail } from './audit-trail.js';

const meta = { rule_version: '1', fields_redacted_count: 1, patterns_redacted_count: 0, redacted_paths: ['$.hidden'] };
const redactor: PayloadRedactor = { ruleVersion: '1', redact: () => ({ value: { shown: 1, _redaction_meta: { ...meta } }, meta }) };
const entry: AuditEntry = {
  actorType: 'admin_user',
  actorId: 'ada',
  action: 'admin.user.update',
  resultStatus: 'success',
  payload: { hidden: 'x' },
};

/** Fails the first `failures` inserts, then stores. */
function harness(failures: number, error: Error = new CriticizerError('STORE_CONTENTION', 'x', { category: 'conflict' })) {
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
  const trail = createAuditTrail({
    store: store as AuditStore<string>,
    redactor,
    destinations: ['siem'],
    random: createSeededRandom(1),
    logger,
  });
  return { trail, stored, logged, tries: () => tries };
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

  it('rethrows a serialization failure: the caller transaction is doomed and must know', async () => {
    const t = harness(1, new CriticizerError('STORE_CONTENTION', 'x', { category: 'conflict', details: { sqlState: '40001' } }));
    await expect(t.trail.record(entry)).rejects.toMatchObject({ code: 'STORE_CONTENTION' });
  });

  it('refuses an action that is no verb and object', async () => {
    await expect(harness(0).trail.record({ ...entry, action: 'Update user' })).rejects.toBeInstanceOf(TypeError);
  });
});
