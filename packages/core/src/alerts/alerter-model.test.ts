import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIncidentDesk, type Fate } from '../../test/incident-desk.js';
import { createMemoryStores } from '../memory/memory-stores.js';
import { resolveSettings } from '../settings/settings.js';
import { silentLogger } from '../telemetry/logger.js';
import { noTelemetry } from '../telemetry/telemetry.js';
import { createManualClock } from '../testing/support/manual-clock.js';
import { createSeededRandom } from '../testing/support/seeded-random.js';
import { type AlertCondition, checkCondition } from './alert-condition.js';
import { type Alerter, createAlerter } from './alerter.js';

const causes: readonly AlertCondition[] = [
  { kind: 'model.plain', code: 'CAUSE_A', severity: 'critical' },
  { kind: 'model.kept', code: 'CAUSE_B', severity: 'warning', keepMs: 60_000 },
  { kind: 'model.waits', code: 'CAUSE_C', severity: 'error', forMs: 40_000 },
];
const keys = causes.map((cause) => checkCondition(cause).key);
const outbound = { check: async () => undefined, pass: async () => undefined };
const { alerts: settings } = resolveSettings();

type Step =
  | { do: 'flip'; cause: number }
  | { do: 'wait'; ms: number }
  /** Turns of several processes at once, with the fate of each message. */
  | { do: 'turn'; processes: readonly number[]; fates: readonly Fate[] }
  | { do: 'restart'; process: number };

const fates: readonly Fate[] = ['taken', 'loses-reply', 'unreachable', 'refused', 'dies-before', 'dies-after'];
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('flip' as const), cause: fc.nat(2) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1_000, 16_000, 45_000, 400_000) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('turn' as const),
      processes: fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }),
      fates: fc.array(fc.constantFrom(...fates), { maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), process: fc.nat(2) }) },
);

/** Three processes on one store, one pager service, and causes that come and go. */
function createWorld() {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const random = createSeededRandom(7);
  const desk = createIncidentDesk();
  const wrong = new Set<number>();
  const rises = new Map<string, number>();
  let coming: Fate[] = [];
  const sources = [{ name: 'model', read: async () => causes.filter((_, at) => wrong.has(at)) }];

  function startProcess(): { alerter: Alerter; dead: Promise<void> } {
    let isDead = false;
    let bury = (): void => undefined;
    const dead = new Promise<void>((resolve) => {
      bury = resolve;
    });
    const alive = async <T>(work: () => Promise<T>): Promise<T> => (isDead ? new Promise<T>(() => undefined) : work());
    const documents: Pick<typeof stores.documents, 'read' | 'write'> = {
      read: (name) => alive(() => stores.documents.read(name)),
      write: (name, version, value) => alive(() => stores.documents.write(name, version, value)),
    };
    const die = (): Promise<never> => {
      isDead = true;
      bury();
      return new Promise<never>(() => undefined);
    };
    const pager = desk.pager('desk', () => coming.shift() ?? 'taken', die);
    const observers = { clock, random, logger: silentLogger, telemetry: noTelemetry };
    const parts = { documents, storeNow: () => stores.now(), pagers: [pager], sources, outbound, settings };
    return { alerter: createAlerter({ ...parts, ...observers }), dead };
  }

  const processes = [startProcess(), startProcess(), startProcess()];
  const turn = async (at: number): Promise<void> => {
    const process = processes[at] ?? startProcess();
    await Promise.race([process.alerter.turn(), process.dead]);
  };

  async function take(one: Step): Promise<void> {
    if (one.do === 'wait') return clock.freeze(one.ms);
    if (one.do === 'restart') {
      processes[one.process] = startProcess();
      return;
    }
    if (one.do === 'turn') {
      coming = [...one.fates];
      await Promise.all(one.processes.map(turn));
      coming = [];
      return;
    }
    const key = keys[one.cause] ?? '';
    if (wrong.delete(one.cause)) return;
    wrong.add(one.cause);
    rises.set(key, (rises.get(key) ?? 0) + 1);
  }

  /** Everything works from now on, for long enough. */
  async function calmDown(): Promise<void> {
    coming = [];
    processes.push(startProcess());
    for (let look = 0; look < 5; look++) {
      await turn(3);
      clock.freeze(16 * 60_000);
    }
  }
  return { desk, wrong, rises, take, calmDown, stores };
}

describe('alerts of several processes that crash', () => {
  it('OPS-3: a cause pages once each time it comes, whoever dies, and its page is resolved when it has gone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), async (steps) => {
        const { desk, wrong, rises, take, calmDown } = createWorld();
        for (const one of steps) {
          await take(one);
          for (const [key, pages] of desk.pages) expect(pages).toBeLessThanOrEqual(rises.get(key) ?? 0);
        }
        await calmDown();
        expect([...desk.open].sort()).toEqual([...wrong].map((at) => keys[at]).sort());
        for (const [key, pages] of desk.pages) expect(pages).toBeLessThanOrEqual(rises.get(key) ?? 0);
      }),
      { numRuns: 60 },
    );
  });

  it('OPS-3: a page whose reply was lost is resolved, though its cause went before it was sent again', async () => {
    const { desk, take, calmDown } = createWorld();
    await take({ do: 'flip', cause: 0 });
    await take({ do: 'turn', processes: [0], fates: ['loses-reply'] });
    await take({ do: 'flip', cause: 0 });
    await calmDown();
    expect(desk.log).toEqual([`trigger ${keys[0]}`, `resolve ${keys[0]}`]);
  });

  it('OPS-3: of three processes that see a cause at once one calls', async () => {
    const { desk, take } = createWorld();
    await take({ do: 'flip', cause: 0 });
    await take({ do: 'turn', processes: [0, 1, 2], fates: [] });
    expect(desk.log).toEqual([`trigger ${keys[0]}`]);
  });
});
