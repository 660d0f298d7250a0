import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isCriticizerError, Secret } from '@criticizer/core';
import { silentLogger, systemClock } from '@criticizer/core/ports';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createContainedSimulator,
  environments,
  type NamedRung,
  offeredRungs,
} from '../../test/contained-simulator.js';
import { smallModel } from '../../test/fetcher-setup.js';
import { createLocalRunner, type LocalRunRequest } from '../client/p4-local-runner.js';
import { type ContainmentHost, createContainmentHost } from './containment-host.js';
import { removeLeftoverRoots } from './root-removal.js';
import type { Rung } from './rungs.js';

const ticket = randomBytes(16).toString('hex').toUpperCase();
const port = `sim-${process.pid}.invalid:1666`;
const users = [{ user: 'reviewer', email: 'r@mail.example', fullName: 'R', ticket }];
const simulated = createContainedSimulator({ ...smallModel, port, users });
afterAll(() => simulated.dispose());
const client = { client: simulated.simulator.executable, trust: '' };

/** Processes of this test's server, wherever they run: their arguments hold its address. */
function countProcesses(address: string): number {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name) && name !== String(process.pid))
    .filter((pid) => {
      try {
        return readFileSync(join('/proc', pid, 'cmdline'), 'utf8')
          .split('\0')
          .includes(address);
      } catch {
        return false;
      }
    }).length;
}

function createRunner(host: ContainmentHost) {
  const local = createLocalRunner(
    {
      ...{ executable: client.client, port, user: 'reviewer', containment: 'required' },
      ...{ securityEvents: { emit: () => undefined }, logger: silentLogger, clock: systemClock },
    },
    host,
  );
  return async (more: Partial<LocalRunRequest> = {}): Promise<string> => {
    const run = local.run({
      ...{ command: { name: 'describe', flags: ['-s'], operands: ['5'] }, charset: 'none', ticket: new Secret(ticket) },
      ...{ wallMs: 20_000, maxOutputBytes: 1_000_000, signal: new AbortController().signal },
      ...{ onOutput: () => undefined, ...more },
    });
    return run.then(
      ({ exitCode }) => `exit ${exitCode}`,
      (error: unknown) => (isCriticizerError(error) ? error.code : String(error)),
    );
  };
}

/** The rungs that this machine has, each proved. */
const here: (NamedRung & { host: ContainmentHost })[] = [];
for (const offered of offeredRungs()) {
  const host = simulated.host([offered.rung]);
  if ((await host.select(client)).rung !== null) here.push({ ...offered, host });
}
const [strongest] = here;

describe('containment of a host', () => {
  it.each(here)(
    'P4-8: under $title the ticket is passed in the environment alone, to the client alone',
    async ({ rung }) => {
      simulated.setFault(undefined);
      const run = createRunner(simulated.host([rung]));
      expect(await run()).toBe('exit 0');
      expect(await run({ ticket: null })).toBe('exit 1');
      const [withTicket] = simulated.takeRuns().filter(({ command }) => command === 'describe');
      const { P4PASSWD, ...others } = withTicket?.env ?? {};
      expect(P4PASSWD).toBe(ticket);
      expect(JSON.stringify([withTicket?.argv, others])).not.toContain(ticket);
      expect(others).toMatchObject({ HOME: '/home', PWD: '/home', P4CONFIG: '', P4ENVIRO: '/dev/null' });
      expect(withTicket?.violations).toEqual([]);
    },
  );

  it.each(here)('P4-7: under $title an abort ends every process at once', async ({ host }) => {
    simulated.setFault({ kind: 'silent', stubborn: true });
    simulated.takeRuns();
    const stop = new AbortController();
    const ended = createRunner(host)({ signal: stop.signal });
    const hasStarted = (): boolean => simulated.runs().some((one) => one.command === 'describe');
    await expect.poll(hasStarted, { timeout: 10_000 }).toBe(true);
    expect(countProcesses(port)).toBeGreaterThan(0);
    stop.abort(new Error('stopped'));
    expect(await ended).toContain('stopped');
    await expect.poll(() => countProcesses(port), { timeout: 10_000 }).toBe(0);
  });

  it('P4-7: the client dies with a killed service, but under chroot', async () => {
    // The change of the user that chroot makes takes the parent's death signal away.
    const dying = here.filter(({ rung }) => rung.name !== 'chroot').map(({ title }) => title);
    if (dying.length === 0) return;
    const address = `sim-${randomBytes(6).toString('hex')}.invalid:1666`;
    // From the sources: in a bundle the simulator does not find its own program.
    const script = fileURLToPath(new URL('../../test/killed-host.ts', import.meta.url));
    const service = spawn(
      process.execPath,
      ['--conditions=criticizer-source', '--import', 'tsx', script, address, ...dying],
      { cwd: dirname(script), stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [said] = await once(service.stdout ?? process.stdin, 'data');
    const [, running, left = ''] = /^running ([0-9]+) (\/.*)\n$/.exec(String(said)) ?? [];
    expect(running).toBe(String(dying.length));
    expect(countProcesses(address)).toBeGreaterThan(dying.length);
    service.kill('SIGKILL');
    await once(service, 'exit');
    await expect.poll(() => countProcesses(address), { timeout: 10_000 }).toBe(0);
    rmSync(left, { recursive: true });
    await removeLeftoverRoots();
    expect(readdirSync(tmpdir()).filter((name) => name.includes(`-${service.pid}-`))).toEqual([]);
  });

  it('P4-7: takes the strongest rung that is proved, and says why it passed over others', async () => {
    if (strongest === undefined) return;
    const uncontained: Rung = {
      name: 'bubblewrap',
      kind: 'root',
      enter: (_root, argv) => ({ file: client.client, argv }),
    };
    const broken: Rung = { name: 'chroot', kind: 'root', enter: () => ({ file: '/nonexistent/tool', argv: [] }) };
    const { rung, rejected } = await simulated.host([uncontained, broken, strongest.rung]).select(client);
    expect(rung).toBe(strongest.rung);
    expect(rejected).toMatchObject([
      { rung: 'bubblewrap', obstacle: 'not-proved' },
      { rung: 'chroot', obstacle: 'tools-missing' },
    ]);
  });

  it('P4-7: never runs with less than it began with: a later failure is an outage', async () => {
    if (strongest?.rung.kind !== 'root') return;
    const { rung } = strongest;
    let breaks: 'not' | 'refuses' | 'gone' = 'not';
    const breaking: Rung = {
      ...rung,
      enter(root, argv) {
        if (breaks === 'gone') return { file: '/nonexistent/tool', argv };
        if (breaks === 'refuses')
          return {
            file: '/bin/sh',
            argv: ['-c', 'echo "unshare: unshare failed: No space left on device" >&2; exit 1'],
          };
        return rung.enter(root, argv);
      },
    };
    simulated.setFault(undefined);
    const run = createRunner(simulated.host([breaking]));
    expect(await run()).toBe('exit 0');
    const before = simulated.simulator.log().length;
    for (const next of ['refuses', 'gone'] as const) {
      breaks = next;
      expect(await run()).toBe('P4_CONTAINMENT_UNAVAILABLE');
    }
    expect(simulated.simulator.log()).toHaveLength(before);
    breaks = 'not';
    expect(await run()).toBe('exit 0');
  });

  it('P4-7: a script is not contained, as what it needs is not known', async () => {
    const selection = await createContainmentHost({ environments }).select(client);
    expect(selection).toEqual({
      rung: null,
      rejected: [],
      obstacle: process.platform === 'linux' ? 'script' : 'platform',
    });
    expect(readdirSync(dirname(client.client))).toContain('p4');
  });
});
