import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../foundation/time/system-clock.js';
import { createMemorySecurityEvents } from '../telemetry/memory-security-events.js';
import { createMemoryTelemetry } from '../telemetry/memory-telemetry.js';
import { metric } from '../telemetry/names.js';
import { createExpiringSecrets, type ExpiringSecretsOptions } from './expiring-secrets.js';
import { Secret } from './secret.js';
import type { SecretSource } from './secret-source.js';

const day = 86_400_000;
const startMs = Date.UTC(2026, 0, 1);

/** One credential, made `ageMs` ago; null: the source does not say. */
function watched(ageMs: number | null, more: Partial<ExpiringSecretsOptions> = {}) {
  let version = 1;
  let createdAt = ageMs === null ? undefined : new Date(startMs - ageMs);
  let nowMs = startMs;
  const source: SecretSource = {
    contract: 1,
    read: async () => ({ current: { secret: new Secret(`value of ${version}`), version: String(version), createdAt } }),
  };
  const securityEvents = createMemorySecurityEvents();
  const telemetry = createMemoryTelemetry();
  const clock = { ...systemClock, nowMs: () => nowMs };
  const secrets = createExpiringSecrets({ source, securityEvents, telemetry, clock, ...more });
  return {
    secrets,
    telemetry,
    events: () => securityEvents.events.map(({ type, details }) => `${type} ${details['secret']} ${details['days']}`),
    pass(ms: number) {
      nowMs += ms;
    },
    rotate() {
      version += 1;
      createdAt = new Date(nowMs);
    },
  };
}

describe('createExpiringSecrets', () => {
  it('SEC-5: warns from 80 days and alerts at 90, once each, and again for the next version', async () => {
    const t = watched(79 * day);
    await t.secrets.read('LLM_KEY');
    expect(t.events()).toEqual([]);
    for (let passed = 0; passed < 12; passed++) {
      t.pass(day);
      await t.secrets.read('LLM_KEY');
      await t.secrets.readAge('LLM_KEY');
    }
    expect(t.events()).toEqual(['secret.ageing LLM_KEY 80', 'secret.expired LLM_KEY 90']);
    t.rotate();
    expect(await t.secrets.readAge('LLM_KEY')).toEqual({ state: 'fresh', days: 0 });
    t.pass(85 * day);
    expect(await t.secrets.readAge('LLM_KEY')).toEqual({ state: 'ageing', days: 85 });
    expect(t.events().slice(2)).toEqual(['secret.ageing LLM_KEY 85']);
  });

  it('SEC-5: an expired one is used with a warning, or by choice parks; a fresh version ends that', async () => {
    await watched(91 * day).secrets.read('LLM_KEY');
    const t = watched(91 * day, { onExpiry: 'park', label: () => 'model key' });
    await expect(t.secrets.read('LLM_KEY')).rejects.toMatchObject({
      ...{ code: 'SECRET_EXPIRED', category: 'auth', parks: true },
      details: { secret: 'model key', days: 91, maxAgeDays: 90 },
    });
    expect(await t.secrets.readAge('LLM_KEY')).toEqual({ state: 'expired', days: 91 });
    t.rotate();
    expect((await t.secrets.read('LLM_KEY')).current.version).toBe('2');
  });

  it('SEC-5 SEC-3: the gauge has the name and the age in seconds, and nothing of the value', async () => {
    const t = watched(10 * day);
    await t.secrets.read('LLM_KEY');
    const points = t.telemetry.measurements.filter(({ name }) => name === metric.secretAge);
    expect(points).toMatchObject([{ kind: 'gauge', value: 864_000, attributes: { 'criticizer.secret': 'LLM_KEY' } }]);
    expect(JSON.stringify(points)).not.toContain('value of');
  });

  it('SEC-5: without a date nothing is claimed, and nothing parks', async () => {
    const t = watched(null, { onExpiry: 'park' });
    await t.secrets.read('LLM_KEY');
    expect(await t.secrets.readAge('LLM_KEY')).toEqual({ state: 'unknown', days: null });
    expect([t.events(), t.telemetry.measurements]).toEqual([[], []]);
  });

  it('SEC-5: the state follows whole days, whatever the limits, and a clock that is behind makes none older', async () => {
    const limits = fc.tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 0, max: 100 }));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: -day, max: 600 * day }), limits, async (ageMs, [warnAfterDays, more]) => {
        const maxAgeDays = warnAfterDays + more;
        const { state, days } = await watched(ageMs, { warnAfterDays, maxAgeDays }).secrets.readAge('LLM_KEY');
        expect(days).toBe(ageMs < 0 ? 0 : Math.floor(ageMs / day));
        expect(state).toBe(days === null || days < warnAfterDays ? 'fresh' : days < maxAgeDays ? 'ageing' : 'expired');
      }),
      { numRuns: 100 },
    );
  });

  it('refuses limits in the wrong order, and passes a signal on', async () => {
    expect(() => watched(0, { warnAfterDays: 91 })).toThrow(/warnAfterDays must not be above maxAgeDays/);
    expect(() => watched(0, { maxAgeDays: 0 })).toThrow(TypeError);
    const source: SecretSource = {
      contract: 1,
      async read(_name, { signal } = {}) {
        signal?.throwIfAborted();
        return { current: { secret: new Secret('x'), version: '1' } };
      },
    };
    await expect(createExpiringSecrets({ source }).read('K', { signal: AbortSignal.abort() })).rejects.toThrow();
  });
});
