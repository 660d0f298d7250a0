import { describe, expect, it } from 'vitest';
import { createIncidentDesk } from '../../test/incident-desk.js';
import { createMemoryStores } from '../memory/memory-stores.js';
import { resolveSettings } from '../settings/settings.js';
import { silentLogger } from '../telemetry/logger.js';
import { noTelemetry } from '../telemetry/telemetry.js';
import { createManualClock } from '../testing/support/manual-clock.js';
import { createSeededRandom } from '../testing/support/seeded-random.js';
import type { AlertCondition } from './alert-condition.js';
import { createAlerter } from './alerter.js';

const outbound = { check: async () => undefined, pass: async () => undefined };
const { alerts: settings } = resolveSettings();

/** An alerter with one source, whose reading is `wrong`. */
function setUp(
  storeNow?: (now: () => Promise<Date>) => Promise<Date>,
  answer: () => 'taken' | 'refused' = () => 'taken',
) {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const desk = createIncidentDesk();
  const wrong: AlertCondition[] = [];
  const now = () => stores.now();
  const alerter = createAlerter({
    ...{ documents: stores.documents, storeNow: () => storeNow?.(now) ?? now(), outbound, settings },
    pagers: [desk.pager('desk', answer, () => Promise.reject(new Error('nobody dies here')))],
    sources: [{ name: 'one', read: async () => wrong }],
    ...{ clock, random: createSeededRandom(7), logger: silentLogger, telemetry: noTelemetry },
  });
  return { clock, desk, wrong, alerter };
}

describe('an alerter whose store misbehaves', () => {
  it("OPS-3: after a leap of the store's clock and back, the sources are read again and page", async () => {
    let aheadMs = 365 * 86_400_000;
    const { clock, desk, wrong, alerter } = setUp(async (now) => new Date((await now()).getTime() + aheadMs));
    await alerter.turn();
    aheadMs = 0;
    wrong.push({ kind: 'dead_letter.page', code: 'UNEXPECTED', severity: 'critical' });
    clock.freeze(settings.everyMs);
    await alerter.turn();
    expect(desk.log).toEqual(['trigger criticizer:dead_letter.page:UNEXPECTED']);
  });

  it("OPS-3: what was written while the store's clock was a year ahead pages today: claims, waits and beginnings", async () => {
    let aheadMs = 365 * 86_400_000;
    let answer: 'taken' | 'refused' = 'refused';
    const ahead = async (now: () => Promise<Date>) => new Date((await now()).getTime() + aheadMs);
    const { clock, desk, wrong, alerter } = setUp(ahead, () => answer);
    wrong.push({ kind: 'dead_letter.page', code: 'UNEXPECTED', severity: 'critical' });
    await alerter.turn(); // refused: tried again in a quarter of an hour, a year from now
    wrong.push({ kind: 'queue.due', code: 'OVERDUE', severity: 'error', forMs: 60_000 });
    clock.freeze(settings.everyMs);
    await alerter.turn(); // begins, and is to last a minute
    aheadMs = 0;
    answer = 'taken';
    for (let turn = 0; turn < 3; turn++) {
      clock.freeze(settings.everyMs + 60_000);
      await alerter.turn();
    }
    expect(desk.log.slice(-2).sort()).toEqual([
      'trigger criticizer:dead_letter.page:UNEXPECTED',
      'trigger criticizer:queue.due:OVERDUE',
    ]);
  });

  it('OPS-3: it stops although the store never tells the time again', async () => {
    let asked = 0;
    // One look of the turn's book, one of its sender; the next decides on the pause.
    const { clock, alerter } = setUp((now) => (++asked > 2 ? new Promise<Date>(() => undefined) : now()));
    alerter.start();
    await clock.advance(1);
    expect(asked).toBe(3);
    let hasStopped = false;
    const stopped = alerter.stop().then(() => {
      hasStopped = true;
    });
    await clock.advance(60_000);
    expect(hasStopped).toBe(true);
    await stopped;
  });
});
