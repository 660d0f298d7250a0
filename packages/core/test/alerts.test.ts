import { describe, expect, it } from 'vitest';
import type { ChangeFetcher } from '../src/changes/change-fetcher.js';
import { CriticizerError } from '../src/foundation/errors.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { createManualClock } from '../src/testing/support/manual-clock.js';
import { change, harness, sharedArtifacts } from './criticizer-harness.js';
import { createIncidentDesk } from './incident-desk.js';

/** Two processes on one store, each with a pager of the same service; the fetcher throws what `fault` gives. */
async function setUp(fault: () => Error | undefined, jobs: number) {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const stores = createMemoryStores({ clock });
  const desk = createIncidentDesk();
  const changes: ChangeFetcher = {
    contract: 1,
    serverId: 'main',
    async fetch(number) {
      const error = fault();
      if (error !== undefined) throw error;
      return { kind: 'change', change: change({ number, changelistId: `main/${number}`, changedAt: new Date(0) }) };
    },
  };
  const artifacts = sharedArtifacts();
  const start = () => {
    const pagers = [
      desk.pager(
        'desk',
        () => 'taken',
        () => Promise.reject(new Error('nobody dies here')),
      ),
    ];
    return harness({ more: { stores, clock, changes, artifacts, pagers, settings } }).criticizer;
  };
  const processes = [start(), start()];
  for (let number = 1; number <= jobs; number++)
    await processes[0]?.submit({ serverId: 'main', number, reviewVersion: 1 });
  for (const process of processes) await process.start();
  return {
    stores,
    desk,
    processes,
    pass: async (seconds: number) => {
      for (let second = 0; second < seconds; second += 5) await clock.advance(5_000);
    },
    async end() {
      const stopped = Promise.all(processes.map((process) => process.stop()));
      await clock.advance(60_000);
      await stopped;
    },
  };
}

/** Looks are rare, so that an hour of the manual clock is short. */
const settings = {
  worker: { pollMinMs: 10_000, pollMaxMs: 20_000, leaseMs: 600_000, sweepEveryMs: 600_000, statsEveryMs: null },
  retry: { parkMs: 20_000 },
  audit: { breaker: { parkMs: 20_000 } },
  alerts: { outageForMs: 120_000, keepMs: 60_000, killSwitchReminderMs: 240_000 },
  mail: { leaseMs: 600_000 },
} as const;

const bugKey = 'criticizer:dead_letter.page:UNEXPECTED:stage-fetch';
const outageKey = 'criticizer:stage.parked:P4_UNREACHABLE:serverId-main:stage-fetch';

describe('alerts of a Criticizer', () => {
  it('ERR-7 OPS-3: the dead letters of one bug page once over two processes, until an operator has closed them', async () => {
    const t = await setUp(() => new RangeError('a bug'), 3);
    await t.pass(60);
    const letters = await t.stores.deadLetters.list({});
    expect(letters.map(({ escalation }) => escalation)).toEqual(Array(3).fill('page'));
    expect(t.desk.log).toEqual([`trigger ${bugKey}`]);
    const closing = { status: 'ignored', actor: { type: 'admin_user', id: 'ada' }, note: 'a known bug' } as const;
    for (const { id } of letters) await t.stores.deadLetters.close(id, closing);
    await t.pass(60);
    expect(t.desk.log).toEqual([`trigger ${bugKey}`, `resolve ${bugKey}`]);
    const records = await t.stores.egress.list({ destination: 'pager' });
    expect(records.map(({ content, provider, host, paths }) => ({ content, provider, host, paths }))).toEqual(
      Array(2).fill({ content: 'none', provider: 'desk', host: 'pager.invalid', paths: [] }),
    );
    await t.end();
  });

  it('OPS-3 INT-4: an outage pages once it has lasted, and is resolved once it has been over for as long, by every process', async () => {
    let isOut = true;
    const t = await setUp(
      () => (isOut ? new CriticizerError('P4_UNREACHABLE', 'x', { category: 'network' }) : undefined),
      4,
    );
    await t.pass(100);
    expect(t.desk.log).toEqual([]);
    await t.pass(200);
    expect(t.desk.log).toEqual([`trigger ${outageKey}`]);
    isOut = false;
    await t.pass(50);
    expect(t.desk.log).toEqual([`trigger ${outageKey}`]);
    await t.pass(200);
    expect(t.desk.log).toEqual([`trigger ${outageKey}`, `resolve ${outageKey}`]);
    await t.end();
  });

  it('EGR-4: the kill switch holds pages back, and they go once it is released', async () => {
    const t = await setUp(() => new RangeError('a bug'), 1);
    const stop = { stopped: true, providers: ['pager:desk'] };
    await t.stores.documents.write('egress.kill-switch', 0, stop);
    await t.pass(120);
    expect(t.desk.log).toEqual([]);
    await t.stores.documents.write('egress.kill-switch', 1, { ...stop, stopped: false });
    await t.pass(60);
    expect(t.desk.log).toEqual([`trigger ${bugKey}`]);
    await t.end();
  });

  it('EGR-4 OPS-3: a destination that stays stopped pages again and again, once over two processes, until its release', async () => {
    const t = await setUp(() => undefined, 0);
    const stop = { stopped: true, providers: ['mail:smtp'], reason: 'a drill' };
    await t.stores.documents.write('egress.kill-switch', 0, stop);
    await t.pass(230);
    expect(t.desk.log).toEqual([]);
    await t.pass(250);
    const key = 'criticizer:kill_switch.on:EGRESS_KILLED:destination-mail:smtp';
    const at = 'since-2026-01-01T00:00:00.000Z';
    await t.pass(20);
    const [first, ...later] = [
      `trigger ${key}:lasts-4m:${at}`,
      `resolve ${key}:lasts-4m:${at}`,
      `trigger ${key}:lasts-8m:${at}`,
    ];
    expect([t.desk.log[0], t.desk.log.slice(1).sort()]).toEqual([first, later]);
    await t.stores.documents.write('egress.kill-switch', 1, { ...stop, stopped: false });
    await t.pass(30);
    expect([t.desk.log.at(-1), t.desk.log.length, t.desk.open.size]).toEqual([`resolve ${key}:lasts-8m:${at}`, 4, 0]);
    await t.end();
  });

  it('OPS-3: what the host reports pages too, and nothing that could hold a path gets in', async () => {
    const t = await setUp(() => undefined, 0);
    const [first] = t.processes;
    const condition = { kind: 'disk.full', code: 'DISK_FULL', severity: 'error' } as const;
    first?.alerts?.raise({ ...condition, place: { volume: '//depot/secret plans' } });
    await t.pass(20);
    expect([...t.desk.open]).toEqual(['criticizer:disk.full:DISK_FULL:volume-__depot_secret_plans']);
    first?.alerts?.clear({ ...condition, place: { volume: '//depot/secret plans' } });
    await t.pass(20);
    expect([...t.desk.open]).toEqual([]);
    expect(() => first?.alerts?.raise({ ...condition, text: 'See //depot/a.ts "x".' })).toThrow(TypeError);
    await t.end();
  });
});
