import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCriticizerError, type SecurityEvent } from '@criticizer/core';
import { silentLogger, systemClock } from '@criticizer/core/ports';
import { afterAll, describe, expect, it } from 'vitest';
import { type ContainedSimulator, createContainedSimulator, offeredRungs } from '../../test/contained-simulator.js';
import { smallModel } from '../../test/fetcher-setup.js';
import { createP4Client } from '../client/p4-client.js';
import { createLocalRunner } from '../client/p4-local-runner.js';
import { runP4Process } from '../client/p4-process.js';
import type { P4SimulatorAttack, P4SimulatorRun } from '../testing/index.js';
import type { ContainmentHost } from './containment-host.js';

/** Files that no server may learn of, in a directory that attacks may change. */
interface Canaries {
  directory: string;
  file: string;
  /** Programs that leave a mark when they are started. */
  program: string;
  /** What would betray one: names and contents. */
  words: readonly string[];
  /** Contents, names and rights: equal as long as nothing was done to them. */
  state(): unknown;
  remove(): void;
}

function plantCanaries(): Canaries {
  const directory = mkdtempSync(join(tmpdir(), 'criticizer-canary-'));
  const [name, content] = [`canary-${randomBytes(8).toString('hex')}`, randomBytes(16).toString('hex')];
  const file = join(directory, name);
  writeFileSync(file, content, { mode: 0o644 });
  const program = join(directory, 'program');
  writeFileSync(program, `#!/bin/sh\n: > '${directory}/started'\n`, { mode: 0o755 });
  mkdirSync(join(directory, 'inner'));
  writeFileSync(join(directory, 'inner', `${name}-2`), content);
  const look = (path: string): unknown => {
    const found = statSync(path);
    if (found.isFile()) return [found.mode, readFileSync(path, 'utf8')];
    return [found.mode, Object.fromEntries(readdirSync(path).map((entry) => [entry, look(join(path, entry))]))];
  };
  return {
    directory,
    file,
    program,
    words: [name, content],
    state: () => (existsSync(file) ? look(directory) : 'gone'),
    remove: () => rmSync(directory, { recursive: true }),
  };
}

const model = { ...smallModel, port: 'sim.invalid:1666' };
const command = ['-p', model.port, '-u', 'reviewer', '-ztag', '-G', 'describe', '-s', '5'];

/** Nothing of what is taken from a client uncontained: every program and path is the server's to use. */
const bareEnvironment = ({ program }: Canaries): Record<string, string> => ({
  ...{ PATH: '/usr/bin:/bin', HOME: '/home', PWD: '/home', P4CHARSET: 'none' },
  ...{ P4EDITOR: program, P4LOGINSSO: program, P4ALTSYNC: program },
});

interface Attack {
  attack: P4SimulatorAttack;
  /** What the server names. */
  target: (canaries: Canaries) => string;
}

const onFile = ({ file }: Canaries): string => file;
const onDirectory = ({ directory }: Canaries): string => directory;
const attacks: readonly Attack[] = [
  { attack: 'write-file', target: ({ directory }) => join(directory, 'planted') },
  ...(['delete-file', 'chmod-file', 'read-file'] as const).map((attack) => ({ attack, target: onFile })),
  ...(['digest-file', 'compare-file', 'match-file'] as const).map((attack) => ({ attack, target: onFile })),
  ...(['list-directory', 'scan-directory'] as const).map((attack) => ({ attack, target: onDirectory })),
  ...(['run-editor', 'run-sso', 'run-alt-sync'] as const).map((attack) => ({ attack, target: onFile })),
];
/** What reaches nothing of the host by itself; the client says that it was tried. */
const seenOnly: readonly P4SimulatorAttack[] = ['input-data', 'prompt', 'open-url'];

const simulated = createContainedSimulator(model);
afterAll(() => simulated.dispose());

/** One process with the bare environment: under the rung, or none. */
async function runBare(host: ContainmentHost | null, canaries: Canaries): Promise<number | null> {
  const { executable } = simulated.simulator;
  const entrance = await host?.enter({ client: executable, trust: '' });
  const line = entrance?.start(command, []) ?? { file: executable, argv: command };
  const { exitCode } = await runP4Process({
    ...{ executable: line.file, argv: line.argv, env: bareEnvironment(canaries), directory: '/', input: null },
    ...{ wallMs: 20_000, killGraceMs: 0, maxOutputBytes: 1_000_000, signal: new AbortController().signal },
    ...{ clock: systemClock, onOutput: () => undefined },
  });
  entrance?.release();
  return exitCode;
}

const renderUploads = (runs: readonly P4SimulatorRun[]): string => JSON.stringify(runs.map(({ uploads }) => uploads));

describe('a client without containment', () => {
  it.each(attacks)('is driven by $attack on a canary: the control of all below', async ({ attack, target }) => {
    const canaries = plantCanaries();
    try {
      simulated.setFault({ kind: 'drive-client', attack, target: target(canaries) });
      const before = JSON.stringify(canaries.state());
      await runBare(null, canaries);
      const run = simulated.simulator.log().at(-1);
      expect(run?.violations.filter((what) => !what.startsWith('took '))).toHaveLength(1);
      const isTold = canaries.words.some((word) => JSON.stringify(run?.uploads).includes(word));
      expect(isTold || JSON.stringify(canaries.state()) !== before).toBe(true);
    } finally {
      canaries.remove();
    }
  });
});

for (const { title, rung } of offeredRungs()) {
  const host = simulated.host([rung]);
  const selection = await host.select({ client: simulated.simulator.executable, trust: '' });
  if (selection.rung === null) {
    const [{ obstacle, says } = { obstacle: selection.obstacle, says: '' }] = selection.rejected;
    describe.skip(`${title}: not on this machine (${obstacle}: ${says})`, () => it('is not run', () => undefined));
    continue;
  }
  describe(`contained by ${title}`, () => {
    it.each(attacks)(
      'P4-7: 0 names and 0 bytes of the host reach the server by $attack, and nothing is changed',
      async ({ attack, target }) => {
        const canaries = plantCanaries();
        try {
          simulated.setFault({ kind: 'drive-client', attack, target: target(canaries) });
          const before = canaries.state();
          simulated.takeRuns();
          await runBare(host, canaries);
          const runs = simulated.takeRuns();
          expect(runs.map(({ argv }) => argv)).toEqual([command]); // it ran, and its record came
          expect(runs.flatMap(({ uploads }) => uploads)).toEqual([]);
          for (const word of canaries.words) expect(renderUploads(runs)).not.toContain(word);
          expect(canaries.state()).toEqual(before);
        } finally {
          canaries.remove();
        }
      },
    );

    it.each<P4SimulatorAttack>(['write-file', 'list-directory', 'run-editor', ...seenOnly])(
      'P4-7: tells of %s what the client says of it, in its own environment',
      async (attack) => {
        const canaries = plantCanaries();
        try {
          const target = attacks.find((one) => one.attack === attack)?.target(canaries);
          simulated.setFault({ kind: 'drive-client', attack, target, command: 'describe' });
          const { code, events } = await describeChange(host, simulated);
          const runs = simulated.takeRuns();
          expect(runs.flatMap(({ uploads, violations }) => [...uploads, ...violations])).toEqual([]);
          // What is not there is passed over in silence: containment hides, it does not tell.
          expect([code, events]).toEqual(
            attack === 'list-directory' ? ['none', []] : [expect.any(String), ['p4.containment']],
          );
        } finally {
          canaries.remove();
        }
      },
    );

    it.each(['/', '/etc', '/home/tickets', '/proc/self/environ'])('P4-7: lists nothing of %s', async (target) => {
      simulated.setFault({ kind: 'drive-client', attack: 'list-directory', target });
      const canaries = plantCanaries();
      simulated.takeRuns();
      await runBare(host, canaries);
      canaries.remove();
      expect(simulated.takeRuns().flatMap(({ uploads }) => uploads)).toEqual([]);
    });
  });
}

/** Through the client, as a fetch does. */
async function describeChange(host: ContainmentHost, { simulator }: ContainedSimulator) {
  const events: SecurityEvent[] = [];
  const securityEvents = { emit: (event: SecurityEvent) => void events.push(event) };
  const { executable } = simulator;
  const local = createLocalRunner(
    {
      ...{ executable, port: model.port, user: 'reviewer', containment: 'required' },
      ...{ securityEvents, logger: silentLogger, clock: systemClock },
    },
    host,
  );
  const runner = { run: (request: Parameters<typeof local.run>[0]) => local.run({ ...request, ticket: null }) };
  const client = createP4Client({
    ...{ runner: runner as never, port: model.port, user: 'reviewer', securityEvents },
  });
  const signal = new AbortController().signal;
  const code = await client
    .run({ name: 'describe', flags: ['-s'], operands: ['5'] }, { signal, onOutput: () => undefined })
    .then(
      () => 'none',
      (error: unknown) => (isCriticizerError(error) ? error.code : String(error)),
    );
  return { code, events: events.map(({ type }) => type) };
}
