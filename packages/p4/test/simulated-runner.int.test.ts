import type { Change, FetchOutcome } from '@criticizer/core/ports';
import { afterEach, describe, expect, it } from 'vitest';
import { createP4ChangeFetcher, type P4ChangeFetcherOptions } from '../src/index.js';
import { createAllowList } from '../src/policy/allow-list.js';
import { createP4Simulator, type P4Simulator, type P4SimulatorModel } from '../src/testing/index.js';
import { limits } from './fetcher-setup.js';

const ticket = 'A'.repeat(32);
const model: P4SimulatorModel = {
  users: [{ user: 'robot', email: 'robot@mail.example', fullName: 'Robot', ticket }],
  changes: [
    {
      number: 1,
      user: 'robot',
      description: 'base',
      status: 'submitted',
      files: [{ path: '//depot/a.c', action: 'add', content: 'int a;\n' }],
    },
    {
      number: 2,
      user: 'robot',
      description: 'two',
      status: 'submitted',
      files: [
        { path: '//depot/a.c', action: 'edit', content: 'int a;\nint b;\n' },
        { path: '//depot/b.c', action: 'add', content: 'int c;\n' },
      ],
    },
  ],
};

const opened: P4Simulator[] = [];
afterEach(() => {
  for (const simulator of opened.splice(0)) simulator.dispose();
});

function open(changes: Partial<P4SimulatorModel> = {}): P4Simulator {
  const simulator = createP4Simulator({ ...model, ...changes });
  opened.push(simulator);
  return simulator;
}

type Reach = Pick<P4ChangeFetcherOptions, 'runner' | 'executable' | 'containment'>;

function fetch(simulator: P4Simulator, reach: Reach): Promise<FetchOutcome> {
  const fetcher = createP4ChangeFetcher({
    ...reach,
    serverId: 'main',
    port: simulator.port,
    user: 'robot',
    fingerprintKey: 'k'.repeat(32),
    allowList: createAllowList({ allow: ['//depot/...'] }),
    hasFullListAccess: true,
    securityEvents: { emit: () => undefined },
  });
  return fetcher.fetch(2, { limits, signal: new AbortController().signal });
}

describe('the simulator as a runner', () => {
  it('reads the same change in this process as by its executable', async () => {
    const simulator = open({ users: [{ user: 'robot', email: 'robot@mail.example', fullName: 'Robot' }] });
    const byProcess = await fetch(simulator, { executable: simulator.executable, containment: 'accept-none' });
    const before = simulator.log().length;
    const inside = await fetch(simulator, { runner: simulator.runner({ user: 'robot' }) });
    expect(inside).toEqual(byProcess);
    expect((inside as { change: Change }).change.files.map(({ path }) => path)).toEqual(['//depot/a.c', '//depot/b.c']);
    expect(
      simulator
        .log()
        .slice(before)
        .every(({ pid }) => pid === process.pid),
    ).toBe(true);
    expect(
      simulator
        .log()
        .slice(before)
        .map(({ command }) => command),
    ).toContain('describe');
  });

  it('asks for the ticket of the model', async () => {
    const simulator = open();
    await expect(fetch(simulator, { runner: simulator.runner({ user: 'robot', ticket }) })).resolves.toMatchObject({
      kind: 'change',
    });
    const wrong = simulator.runner({ user: 'robot', ticket: 'B'.repeat(32) });
    await expect(fetch(simulator, { runner: wrong })).rejects.toMatchObject({ category: 'auth' });
  });

  it('P4-7: an attack of the model gets nothing, and a fault that needs a process is refused', async () => {
    const robot = { user: 'robot', ticket };
    const simulator = open({ fault: { kind: 'drive-client', attack: 'digest-file', target: process.execPath } });
    await expect(fetch(simulator, { runner: simulator.runner(robot) })).rejects.toMatchObject({
      code: 'P4_CONTAINMENT',
    });
    expect(simulator.log().flatMap(({ uploads, violations }) => [...uploads, ...violations])).toEqual([]);
    const silent = open({ fault: { kind: 'silent' } });
    await expect(fetch(silent, { runner: silent.runner(robot) })).rejects.toThrow('needs a process');
  });
});
