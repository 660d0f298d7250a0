import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createP4Simulator, type P4SimulatorEvent, type P4SimulatorModel } from '../src/testing/index.js';
import { type ServerEvent, serverMessages } from '../src/testing/server-events.js';
import { clientRuns, type FixtureRun, fixtureModel, serverRuns } from './fixture-runs.js';
import { simulate } from './simulate.js';

const env = { P4PORT: '127.0.0.1:1666', P4USER: 'bob', P4CHARSET: 'utf8', P4CONFIG: '', PWD: '/' };
const modes = ['json', 'jsonNoTag', 'marshal', 'plain', 'script', 'scriptztag', 'ztag'];

/** The recorded server answers these names with messages alone. */
const recordedMessages: Readonly<Record<string, readonly ServerEvent[]>> = {
  'e-badpass': [serverMessages.passwordInvalid()],
  'e-expired': [serverMessages.sessionExpired()],
  'e-noperm': [serverMessages.noPermission()],
  'e-protect': [serverMessages.noPermissionOnFile('//depot/secret/...')],
  'e-view': [serverMessages.notInView('//depot/x')],
  'e-maxresults': [serverMessages.maxResults(1000)],
  'e-maxscan': [serverMessages.maxScanRows(5000)],
  'e-maxlock': [serverMessages.maxLockTime(1)],
  'e-depot': [serverMessages.unknownDepot('x')],
  'e-ticketonly': [serverMessages.ticketOnly()],
  'e-2fa': [serverMessages.secondFactor()],
  'e-warn+err': [serverMessages.noSuchFile('//a'), serverMessages.noPermission()],
  'e-partialstat': [
    {
      kind: 'stat',
      fields: [
        ['change', '1'],
        ['desc', 'a'],
      ],
    },
    { kind: 'dropped' },
  ],
};
const model: P4SimulatorModel = {
  ...fixtureModel,
  answers: Object.entries(recordedMessages).map(([name, events]) => ({
    command: [name],
    events: events as readonly P4SimulatorEvent[],
  })),
};

/**
 * The recorded server ignores `changes -m`, and `-l` where no tags are asked for; a server does
 * not, nor does the simulator.
 */
function asRecorded({ mode, argv }: FixtureRun): readonly string[] {
  const at = argv.indexOf('changes');
  if (at === -1) return argv;
  if (argv.includes('-m')) return argv.slice(0, at + 1);
  return ['ztag', 'json', 'scriptztag'].includes(mode) ? argv : argv.filter((word) => word !== '-l');
}

/** What the server had sent, read back from what one mode of the client shows of it. */
function recordedAnswers(runs: readonly FixtureRun[]): NonNullable<P4SimulatorModel['answers']> {
  return runs
    .filter((run) => run.mode === 'ztag' && run.exitCode === 0)
    .map(({ argv: [, ...command], stdout, stderr }) => ({
      command,
      // A stat record of `describe` comes where tags are asked for, one of `fstat` always.
      ...(command[0] === 'describe' && stderr.length === 0 ? { tagged: true } : {}),
      events: [...tagRecords(stdout.toString('latin1')), ...warnings(stderr.toString('latin1'))],
    }));
}

function tagRecords(text: string): P4SimulatorEvent[] {
  return text.split(/\n\n(?=\.\.\. depotFile |$)/).flatMap((record) => {
    const fields = [...record.matchAll(/^\.\.\. (\w+) ((?:.|\n(?!\.\.\. ))*)/gm)].map(
      ([, key = '', value = '']) => [key, value] as const,
    );
    return fields.length === 0 ? [] : [{ kind: 'stat' as const, fields }];
  });
}

function warnings(text: string): P4SimulatorEvent[] {
  return text === '' ? [] : [{ kind: 'message', severity: 2, generic: 17, text: text.trimEnd() }];
}

const shown = ({ stdout, stderr, exitCode }: Pick<FixtureRun, 'stdout' | 'stderr' | 'exitCode'>) => ({
  stdout: stdout.toString('latin1'),
  stderr: stderr.toString('latin1'),
  exitCode,
});

describe('simulator', () => {
  const runs = clientRuns();
  it.each(modes)('prints what the real client printed, in the mode %s', (mode) => {
    const recorded = runs.filter((run) => run.mode === mode);
    for (const run of recorded) {
      expect({ argv: run.argv, ...shown(simulate(model, { argv: asRecorded(run), env })) }).toEqual({
        argv: run.argv,
        ...shown(run),
      });
    }
    expect(recorded).toHaveLength(35);
  });

  const fromServers = serverRuns();
  it.each(['json', 'marshal', 'plain', 'script', 'ztag'])(
    'prints what real servers had sent as the client did, in the mode %s',
    (mode) => {
      const answers = recordedAnswers(fromServers);
      const recorded = fromServers.filter((run) => run.mode === mode);
      for (const run of recorded) {
        expect({ argv: run.argv, ...shown(simulate({ ...model, answers }, { argv: run.argv, env })) }).toEqual({
          argv: run.argv,
          ...shown(run),
        });
      }
      expect(recorded).toHaveLength(8);
    },
  );

  it.runIf(process.platform !== 'win32')('prints the same as an executable, in every mode', () => {
    const simulator = createP4Simulator(model);
    try {
      for (const run of runs.filter(
        ({ argv }) => argv.at(-1) === '102' && argv.includes('-s') && argv.includes('describe'),
      )) {
        const child = spawnSync(simulator.executable, run.argv, { env });
        expect({ stdout: child.stdout, stderr: child.stderr, exitCode: child.status }).toEqual({
          stdout: run.stdout,
          stderr: run.stderr,
          exitCode: run.exitCode,
        });
      }
      expect(simulator.log().map((run) => run.argv)).toContainEqual(['-G', 'describe', '-s', '102']);
    } finally {
      simulator.dispose();
    }
  });
});
