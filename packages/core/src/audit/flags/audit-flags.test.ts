import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeCohort } from '../../foundation/cohort.js';
import { createMemoryStores } from '../../memory/memory-stores.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import { type AuditFlagProvider, auditFlagNames, createAuditFlags } from './audit-flags.js';
import { auditFlagsDocument, createPercentageFlags, createStoredFlags, matchesRule } from './flag-rules.js';

const { write, worker } = auditFlagNames;
const tenants = Array.from({ length: 4_000 }, (_, at) => `tenant-${at}`);

/** Flags over a provider that tests change, on a clock that they move. */
function harness(answer: () => Promise<boolean>) {
  const clock = createManualClock();
  const lines: string[] = [];
  const asked: unknown[] = [];
  const provider: AuditFlagProvider = {
    getBooleanValue: (...call) => {
      asked.push(call);
      return answer();
    },
  };
  const log = (_fields: object, line?: string): void => void lines.push(line ?? '');
  const flags = createAuditFlags({
    provider,
    defaults: { write: true, worker: false },
    deadlineMs: 20,
    clock,
    logger: { warn: log, info: log },
  });
  return { flags, clock, lines, asked };
}

describe('flags of the audit’s rollout', () => {
  it('AUD-17: a percentage takes its share of the tenants, and a larger one only adds to them', () => {
    for (const percentage of [1, 10, 50]) {
      const share = (100 * tenants.filter((tenant) => matchesRule({ percentage }, tenant)).length) / tenants.length;
      expect(Math.abs(share - percentage)).toBeLessThan(2.5);
    }
    const percent = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(fc.string(), percent, percent, (tenant, a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(computeCohort(tenant)).toBe(computeCohort(tenant));
        if (matchesRule({ percentage: low }, tenant)) expect(matchesRule({ percentage: high }, tenant)).toBe(true);
        expect([matchesRule({ percentage: 0 }, tenant), matchesRule({ percentage: 100 }, tenant)]).toEqual([
          false,
          true,
        ]);
      }),
      { numRuns: 100 },
    );
  });

  it('AUD-17: named tenants are in or out whatever the percentage, and a flag without a rule is off', async () => {
    const flags = createAuditFlags({
      provider: createPercentageFlags({ [write]: { percentage: 0, tenants: ['a', 'b'], excludedTenants: ['b'] } }),
      defaults: { write: true, worker: true },
    });
    const on = await Promise.all(['a', 'b', 'c', null].map((tenant) => flags.isWriteEnabled(tenant)));
    expect(on).toEqual([true, false, false, false]);
    expect(await flags.isWorkerEnabled('a')).toBe(false);
  });

  it('AUD-17: the provider is asked by flag, default and tenant', async () => {
    const { flags, asked } = harness(async () => true);
    await flags.isWorkerEnabled('acme');
    await flags.isWriteEnabled(null);
    expect(asked).toEqual([
      [worker, false, { targetingKey: 'acme', tenantId: 'acme' }],
      [write, true, { targetingKey: '(none)', tenantId: '' }],
    ]);
  });

  it('AUD-17: a provider that fails, hangs or gives no boolean gives the default, and is left alone for 5 seconds', async () => {
    for (const answer of [
      async () => {
        throw new Error('down');
      },
      () => new Promise<boolean>(() => undefined),
      async () => 'yes' as never,
    ]) {
      let isUp = false;
      const { flags, clock, lines, asked } = harness(() => (isUp ? Promise.resolve(false) : answer()));
      expect([await flags.isWriteEnabled('a'), await flags.isWorkerEnabled('a')]).toEqual([true, false]);
      expect(asked).toHaveLength(1);
      isUp = true;
      await clock.advance(4_999);
      expect(await flags.isWriteEnabled('a')).toBe(true);
      await clock.advance(1);
      expect(await flags.isWriteEnabled('a')).toBe(false);
      expect(lines).toEqual(['the flag provider gives no answer', 'the flag provider answers again']);
    }
  });

  it('AUD-17: a flip is seen once, for each flag and tenant, and not at the first look', async () => {
    let value = true;
    const { flags } = harness(async () => value);
    await flags.isWriteEnabled('a');
    await flags.isWorkerEnabled('a');
    expect(flags.takeFlips()).toEqual([]);
    value = false;
    await flags.isWriteEnabled('a');
    await flags.isWriteEnabled('b');
    expect(flags.takeFlips()).toEqual([{ flag: write, tenantId: 'a', from: true, to: false }]);
    expect(flags.takeFlips()).toEqual([]);
  });

  it('AUD-17: stored rules are read again once they are older than the cache, and malformed ones give the default', async () => {
    const { documents } = createMemoryStores();
    const clock = createManualClock();
    const provider = createStoredFlags({ documents, cacheMs: 1_000, clock });
    const flags = createAuditFlags({ provider, defaults: { write: true, worker: true }, clock });
    expect(await flags.isWriteEnabled('a')).toBe(false);
    await documents.write(auditFlagsDocument, 0, { [write]: { percentage: 100 } });
    await clock.advance(999);
    expect(await flags.isWriteEnabled('a')).toBe(false);
    await clock.advance(1);
    expect(await flags.isWriteEnabled('a')).toBe(true);
    await documents.write(auditFlagsDocument, 1, { [worker]: { percentage: 'all' } });
    await clock.advance(1_000);
    expect([await flags.isWriteEnabled('a'), await flags.isWorkerEnabled('a')]).toEqual([true, true]);
  });

  it('AUD-17: rules and options that are none are TypeErrors', () => {
    for (const rules of [{ [write]: { percentage: 101 } }, { [write]: { percentage: 1, tenants: 'a' } }, { other: {} }])
      expect(() => createPercentageFlags(rules as never)).toThrow(TypeError);
    const provider = createPercentageFlags({});
    for (const options of [
      { provider },
      { provider, defaults: { write: true } },
      { defaults: { write: true, worker: true } },
    ])
      expect(() => createAuditFlags(options as never)).toThrow(TypeError);
    expect(() => createStoredFlags({ documents: createMemoryStores().documents, cacheMs: 60_001 })).toThrow(TypeError);
  });
});
