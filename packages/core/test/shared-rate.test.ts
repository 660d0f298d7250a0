import { describe, expect, it } from 'vitest';
import { createMemoryChangeFetcher } from '../src/changes/memory-change-fetcher.js';
import { CriticizerError } from '../src/foundation/errors.js';
import { createFallback } from '../src/llm/fallback.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import type { SettingsInput } from '../src/settings/settings.js';
import { createMemoryTelemetry } from '../src/telemetry/memory-telemetry.js';
import { metric } from '../src/telemetry/names.js';
import { createManualClock } from '../src/testing/support/manual-clock.js';
import { change, harness, reply, scriptedProvider, sharedArtifacts } from './criticizer-harness.js';

type RateLimit = NonNullable<NonNullable<SettingsInput['llm']>['rateLimit']>;
const minute = 60_000;
const busy = (retryAfterMs: number) =>
  new CriticizerError('RATE_LIMITED', 'slow down', { category: 'rate_limit', retryAfterMs });

/** Processes on one database, each with a worker of its own, and one clock. */
function processes(count: number, rateLimit: RateLimit, script: Parameters<typeof scriptedProvider>[0] = [reply([])]) {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const { provider, sent } = scriptedProvider(script, 'house');
  const telemetry = createMemoryTelemetry();
  const artifacts = sharedArtifacts();
  const changes = createMemoryChangeFetcher({
    serverId: 'main',
    changes: new Map(Array.from({ length: 9 }, (_, n) => [n, change({ number: n, changelistId: `main/${n}` })])),
  });
  const more = { llm: provider, stores, clock, telemetry, artifacts, changes, settings: { llm: { rateLimit } } };
  const all = Array.from({ length: count }, () => harness({ more }));
  let number = 1;
  return {
    sent,
    stores,
    clock,
    telemetry,
    async submit(reviews: number) {
      for (let n = 0; n < reviews; n++)
        await all[0]?.criticizer.submit({ serverId: 'main', number: number++, reviewVersion: 1 });
    },
    /** Everything that is due, in all processes at once. */
    run: () => Promise.all(all.map((one) => one.criticizer.runDue({ until: 'idle' }))),
    jobs: () => stores.jobs.list({ limit: 100 }),
  };
}

describe('llm.rateLimit', () => {
  it('ERR-3: two workers together never send more than the limit, and what waits spends no attempt', async () => {
    const perMinute = [{ provider: 'house', requests: 3 }];
    const t = processes(2, { perMinute, maxWaitMs: 0 });
    await t.submit(7);
    const counts: number[] = [];
    for (let n = 0; n < 3; n++) {
      await t.run();
      counts.push(t.sent.length);
      await t.clock.advance(minute + 6_000);
    }
    expect(counts).toEqual([3, 6, 7]);
    const jobs = await t.jobs();
    expect(new Set(jobs.map(({ status }) => status))).toEqual(new Set(['completed']));
    // A wait gives its attempt back.
    expect(new Set(jobs.map(({ attempts }) => attempts['llm']))).toEqual(new Set([1]));
    expect(await t.stores.deadLetters.list({})).toEqual([]);
    const gauges = t.telemetry.measurements.filter(({ name }) => name === metric.outage);
    expect(gauges).toEqual([]);
  });

  it('waits in its process where the place comes within maxWaitMs', async () => {
    const t = processes(1, { perMinute: [{ provider: 'house', requests: 1 }], maxWaitMs: 2 * minute });
    await t.submit(2);
    const done = t.run();
    while (t.sent.length < 1 || t.clock.sleepers() === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(t.sent).toHaveLength(1);
    for (let n = 0; t.sent.length < 2 && n < 20; n++) await t.clock.advance(10_000);
    await done;
    expect(t.sent).toHaveLength(2);
    const waits = t.telemetry.measurements.filter(({ name }) => name === metric.llmRateWait);
    expect(waits.map(({ attributes }) => attributes)).toEqual([
      { 'gen_ai.provider.name': 'house', 'criticizer.reason': 'requests' },
    ]);
  });

  it('ERR-3: what one process’s vendor asks holds the others back', async () => {
    const t = processes(2, { maxWaitMs: 0 }, [busy(30_000), reply([])]);
    await t.submit(1);
    await t.run();
    expect(t.sent).toHaveLength(1);
    await t.submit(3);
    await t.clock.advance(1_000);
    await t.run();
    // Nobody sent: the row says until when the vendor wants to be left alone.
    expect(t.sent).toHaveLength(1);
    await t.clock.advance(5 * minute);
    await t.run();
    expect((await t.jobs()).map(({ status }) => status)).toEqual(Array(4).fill('completed'));
    expect(t.sent).toHaveLength(5);
  });

  it('INT-4: in a fallback the next provider answers where the vendor asked for a pause; for our own limit it waits', async () => {
    const clock = createManualClock();
    const stores = createMemoryStores({ clock });
    const one = scriptedProvider([busy(30_000), reply([])], 'one');
    const other = scriptedProvider([reply([])], 'other');
    const inside = { host: '10.0.0.8' };
    const llm = createFallback([
      { ...one.provider, ...inside },
      { ...other.provider, ...inside },
    ]);
    const perMinute = [{ provider: 'one', requests: 1 }];
    const settings: SettingsInput = { llm: { rateLimit: { perMinute, maxWaitMs: 0 } } };
    const t = harness({ more: { llm, stores, clock, settings } });
    const review = async (reviewVersion: number) => {
      await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion });
      await t.criticizer.runDue({ until: 'idle' });
      return [one.sent.length, other.sent.length];
    };
    expect(await review(1)).toEqual([1, 1]); // asked to wait
    expect(await review(2)).toEqual([1, 2]); // paused
    await clock.advance(2 * minute);
    expect(await review(3)).toEqual([2, 2]);
    expect(await review(4)).toEqual([2, 2]); // our own limit
    const [waiting] = await stores.jobs.list({ limit: 1 });
    expect([waiting?.status, waiting?.attempts['llm']]).toEqual(['queued', 0]);
  });

  it.each([
    ['a provider that is not wired', [{ provider: 'nobody', requests: 1 }], 'no provider nobody'],
    ['a provider twice', [{ provider: 'house' }, { provider: 'house' }], 'house stands twice'],
  ])('is a TypeError for %s', (_what, perMinute, message) => {
    expect(() => processes(1, { perMinute })).toThrow(TypeError);
    expect(() => processes(1, { perMinute })).toThrow(message);
  });
});
