import fc from 'fast-check';
import { expect, it } from 'vitest';
import { flipKillSwitch } from '../../test/flip-kill-switch.js';
import { listStandingStops } from '../egress/standing-stops.js';
import { createMemoryStores } from '../memory/memory-stores.js';
import { silentLogger } from '../telemetry/logger.js';
import { createMemoryTelemetry } from '../telemetry/memory-telemetry.js';
import { createManualClock } from '../testing/support/manual-clock.js';
import { createKillSwitchReminder, findLongStops } from './kill-switch-reminder.js';

const hourMs = 3_600_000;

it('OPS-3: a stop reminds after each whole interval, and never before the first', () => {
  const ms = fc.integer({ min: -hourMs, max: 1_000 * hourMs });
  fc.assert(
    fc.property(ms, fc.integer({ min: 60_000, max: 100 * hourMs }), (ageMs, everyMs) => {
      const long = findLongStops([{ destinations: null, since: new Date(0) }], ageMs, everyMs);
      expect(long.length === 1).toBe(ageMs >= everyMs);
      const lastsMs = long[0]?.lastsMs ?? 0;
      expect(lastsMs % everyMs).toBe(0);
      if (long.length === 1) expect(ageMs - lastsMs).toBeLessThan(everyMs);
    }),
    { numRuns: 100 },
  );
});

function setUp(everyMs: number | null) {
  const clock = createManualClock(0);
  const stores = createMemoryStores({ clock });
  const lines: Record<string, unknown>[] = [];
  const log = (level: string) => (fields: object) => void lines.push({ level, ...fields });
  const telemetry = createMemoryTelemetry();
  const reminder = createKillSwitchReminder({
    ...{ listStops: () => listStandingStops(stores.documents), storeNow: () => stores.now(), everyMs, clock },
    pagerIds: ['desk', 'spare'],
    redactText: (text) => text.replace('hunter2', '***'),
    logger: { ...silentLogger, warn: log('warn'), error: log('error') },
    telemetry,
  });
  const stop = (value: object) => stores.documents.write('egress.kill-switch', 0, { stopped: true, ...value });
  const read = () => reminder.source.read({ signal: new AbortController().signal });
  const ages = () => telemetry.measurements.map(({ value, attributes }) => [Object.values(attributes)[0], value]);
  return { clock, stores, reminder, lines, stop, read, ages };
}

it('EGR-4 OPS-3: each process logs a reminder once, with the note redacted, and says which pagers are stopped', async () => {
  const t = setUp(hourMs);
  await t.stop({ providers: ['mail:smtp', 'pager:desk'], reason: 'leak of hunter2' });
  await t.reminder.remind();
  t.clock.freeze(hourMs - 1);
  await t.reminder.remind();
  expect([t.lines, await t.read()]).toEqual([[], []]);
  t.clock.freeze(1);
  for (let sweep = 0; sweep < 3; sweep++) await t.reminder.remind();
  const fields = { event: 'kill_switch.on', destinations: ['mail:smtp', 'pager:desk'], note: 'leak of ***' };
  expect(t.lines).toMatchObject([{ ...fields, level: 'warn', since: new Date(0).toISOString(), lastsMs: hourMs }]);
  expect(t.lines[0]?.['stoppedPagers']).toEqual(['desk']);
  expect(await t.read()).toMatchObject([{ kind: 'kill_switch.on', count: 2, place: { lasts: '60m' } }]);
  expect(JSON.stringify(await t.read())).not.toMatch(/leak|hunter2/);
  expect(t.ages().slice(-2)).toEqual([
    ['mail:smtp', 3_600],
    ['pager:desk', 3_600],
  ]);
  t.clock.freeze(2 * hourMs);
  await t.reminder.remind();
  expect(t.lines.map(({ lastsMs }) => lastsMs)).toEqual([hourMs, 3 * hourMs]);
  await flipKillSwitch(t.stores, false);
  await t.reminder.remind();
  expect([
    t.lines.length,
    await t.read(),
    t
      .ages()
      .slice(-2)
      .map(([, age]) => age),
  ]).toEqual([2, [], [0, 0]]);
});

it('EGR-4 OPS-3: a stop of all is an error in the log, as it stops every pager; without a setting nobody is paged', async () => {
  for (const everyMs of [hourMs, null]) {
    const t = setUp(everyMs);
    await t.stop({});
    t.clock.freeze(hourMs);
    await t.reminder.remind();
    const expected = everyMs === null ? [] : [{ level: 'error', destinations: 'all', note: null }];
    expect(t.lines).toMatchObject(expected);
    expect([t.lines.length, (await t.read()).length]).toEqual([expected.length, expected.length]);
    expect(t.ages()).toEqual([['all', 3_600]]);
  }
});
