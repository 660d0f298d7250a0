import { describeContextReaderContract } from '@criticizer/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createAllowList } from '../src/index.js';
import type { P4Simulator, P4SimulatorModel } from '../src/testing/index.js';
import { contextChange, contextModel, setUpReader } from './context-setup.js';

const simulators: P4Simulator[] = [];
afterEach(() => {
  for (const simulator of simulators.splice(0)) simulator.dispose();
});
const setUp: typeof setUpReader = (...about) => {
  const made = setUpReader(...about);
  simulators.push(made.simulator);
  return made;
};

describeContextReaderContract(
  { describe, it },
  {
    async create() {
      const { reader, simulator } = setUpReader();
      return {
        reader,
        change: contextChange,
        root: '//depot/game/...',
        changed: '//depot/game/src/world.cpp',
        texts: ['//depot/game/src/ai/brain.cpp', '//depot/game/src/loop.cpp'],
        word: 'Step',
        binary: '//depot/game/src/art.bin',
        absent: '//depot/game/src/absent.cpp',
        denied: '//depot/game/src/keys/loop.cpp',
        outside: '//depot/tools/loop.cpp',
        dispose: async () => simulator.dispose(),
      };
    },
  },
);

const open = (model: P4SimulatorModel) => setUp(model, { allowList: createAllowList({ allow: ['//depot/game/...'] }) });

describe('p4 context reader', () => {
  it('GRD-4: reads as of the change, many files with two commands', async () => {
    const { open: session, commands } = setUp();
    const one = session();
    const paths = ['src/loop.cpp', 'src/ai/brain.cpp', 'src/art.bin', 'src/none.cpp'];
    const read = await Promise.all(paths.map((path) => one.read(`//depot/game/${path}`)));
    expect(read[0]).toMatchObject({ kind: 'text', revision: 1, text: expect.stringContaining('// the loop') });
    expect(read.map((answer) => (answer.kind === 'none' ? answer.reason : 'text'))).toEqual([
      'text',
      'text',
      'binary',
      'absent',
    ]);
    expect(commands().sort()).toEqual(['fstat', 'info', 'print']);
  });

  it('GRD-4: reads beside a shelf as of when it was shelved, and its own files from it', async () => {
    const shelf = {
      number: 45,
      user: 'ann',
      time: 1_700_000_500,
      status: 'pending' as const,
      shelved: true,
      description: 'shelf',
      files: [{ path: '//depot/game/src/world.cpp', action: 'edit' as const, content: 'void Step(long ms);\n' }],
    };
    const { open: session } = setUp({ ...contextModel, changes: [...contextModel.changes, shelf] });
    const [own] = contextChange.files;
    if (own === undefined) throw new Error('the sample has a file');
    const { newText: _newText, ...withoutText } = own;
    const change = {
      ...contextChange,
      number: 45,
      kind: 'shelved' as const,
      changedAt: new Date(1_700_000_500_000),
      files: [withoutText],
    };
    const one = session({}, change);
    expect(await one.read('//depot/game/src/loop.cpp')).toMatchObject({ revision: 1 });
    expect(await one.read(own.path)).toMatchObject({ revision: null, text: 'void Step(long ms);\n' });
  });

  it('GRD-4 P4-2: names no denied file in a command that gives contents, and reads nothing outside the list', async () => {
    const { simulator, open: session, events, logged } = setUp();
    const one = session();
    await one.read('//depot/game/src/keys/loop.cpp');
    await one.read('//depot/tools/loop.cpp');
    const hits = await one.search(['Step', 'canary']);
    expect(hits.map(({ path, line }) => `${path}:${line}`)).toEqual([
      '//depot/game/src/ai/brain.cpp:2',
      '//depot/game/src/loop.cpp:2',
    ]);
    const contents = simulator.log().filter((run) => ['grep', 'print'].includes(run.command));
    expect(contents.length).toBeGreaterThan(0);
    for (const run of contents) expect(run.operands.join('\n')).not.toMatch(/keys|tools|\.\.\./);
    expect(events).toEqual([]);
    expect(JSON.stringify(logged)).not.toMatch(/canary|\/\/depot/);
  });

  it('GRD-4: searches a folder that may be read whole with one command a word', async () => {
    const { open: session, simulator } = open(contextModel);
    const one = session();
    const hits = await one.search(['Step'], '//depot/game/src/...');
    expect(hits.map(({ path }) => path)).toContain('//depot/game/src/keys/loop.cpp');
    const [run, ...others] = simulator.log().filter(({ command }) => command === 'grep');
    expect(others).toEqual([]);
    expect(run?.operands).toEqual(['//depot/game/src/...@40']);
  });

  it('GRD-4 P4-4: a denied file in an answer is a violation: nothing is used of it', async () => {
    const { open: session, simulator, events } = setUp();
    simulator.update({
      fault: { kind: 'foreign-file', path: '//depot/game/src/keys/loop.cpp', command: 'print' },
    });
    await expect(session().read('//depot/game/src/loop.cpp')).rejects.toMatchObject({ code: 'P4_PATH_DENIED' });
    expect(events).toMatchObject([{ type: 'depot_path.denied' }]);
  });

  it('GRD-4: where the server refuses grep, it searches what it reads, near files first, and says so once', async () => {
    const text = "You don't have permission for this operation.";
    const fault = { kind: 'message', severity: 3, generic: 6, text, command: 'grep' } as const;
    const { open: session, logged } = setUp({ ...contextModel, fault });
    for (const one of [session(), session()]) {
      expect((await one.search(['Step'])).map(({ path }) => path)).toEqual([
        '//depot/game/src/ai/brain.cpp',
        '//depot/game/src/loop.cpp',
      ]);
      expect(one.shortfalls()).toContain('search_refused');
    }
    const warnings = logged.filter((entry) => JSON.stringify(entry).includes('refuses p4 grep'));
    expect(warnings).toMatchObject([{ errorCode: 'P4_PERMISSION_DENIED' }]);
  });

  it('GRD-4: where a search is over a limit of the server, it goes on nearer to the change', async () => {
    const { open: session, commands } = open({ ...contextModel, limits: { maxGrepRevisions: 4 } });
    const near = {
      ...contextChange,
      files: contextChange.files.map((file) => ({ ...file, path: '//depot/game/src/ai/x.cpp' })),
    };
    const one = session({}, near);
    expect((await one.search(['Step'])).map(({ path }) => path)).toEqual(['//depot/game/src/ai/brain.cpp']);
    expect(one.shortfalls()).toEqual(['scope_cut']);
    expect(commands().filter((name) => name === 'grep').length).toBe(3);
  });

  it('GRD-4: a command that is cancelled ends', async () => {
    const stop = new AbortController();
    const { open: session } = setUp({ ...contextModel, fault: { kind: 'silent', command: 'fstat' } });
    const read = session({}, contextChange, stop.signal).read('//depot/game/src/loop.cpp');
    stop.abort(new RangeError('stop'));
    await expect(read).rejects.toThrow();
  });
});
