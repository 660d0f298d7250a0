import { afterEach, describe, expect, it } from 'vitest';
import type {
  P4SimulatorChange,
  P4SimulatorFault,
  P4SimulatorFile,
  P4SimulatorIntegration,
} from '../src/testing/index.js';
import { disposeSimulators, setUpFetcher } from './fetcher-setup.js';
import { closeWatchers, setUpWatchers } from './watcher-setup.js';

afterEach(disposeSimulators);
afterEach(closeWatchers);

const path = (name: string) => `//depot/main/${name}`;
const add = (name: string, content: string) => ({ path: path(name), action: 'add' as const, content });
const change = (number: number, files: readonly P4SimulatorFile[]): P4SimulatorChange => ({
  number,
  user: 'ann',
  description: `change ${number}`,
  status: 'submitted',
  files,
});
const dev = change(1, [add('dev/a.txt', 'a1\n'), add('dev/b.txt', 'b1\n'), add('rel/b.txt', 'b0\n')]);
const branchOf = (name: string, content: string): P4SimulatorFile => ({
  path: path(`rel/${name}`),
  action: 'branch',
  content,
  integratedFrom: { path: path(`dev/${name}`), rev: 1, how: 'branch from' },
});
const mergeOf = (content: string, more: Partial<P4SimulatorFile> = {}): P4SimulatorFile => ({
  path: path('rel/b.txt'),
  action: 'integrate',
  content,
  integratedFrom: { path: path('dev/b.txt'), rev: 1 },
  ...more,
});

const taken = 'integrated';
const message = (severity: number, generic: number, text: string): P4SimulatorFault => ({
  ...{ kind: 'message', severity, generic, text },
});

describe('integrations', () => {
  it.each<[string, readonly P4SimulatorFile[], readonly (string | null)[]]>([
    ['a populated branch', [branchOf('a.txt', 'a1\n')], ['integrated']],
    ['a merge as the source has it', [mergeOf('b1\n'), branchOf('a.txt', 'a1\n')], ['integrated', 'integrated']],
    ['a merge with an edit', [mergeOf('b1\nmine\n'), branchOf('a.txt', 'a1\n')], [null, 'integrated']],
    [
      'a source that describe names',
      [mergeOf('b1\n', { from: { path: path('dev/b.txt'), rev: 1 }, integratedFrom: undefined })],
      ['integrated'],
    ],
    [
      'a source that is not to be read',
      [mergeOf('b1\n', { integratedFrom: { path: '//depot/other/b.txt', rev: 1 } })],
      [null],
    ],
    [
      'a record of the other direction',
      [mergeOf('b1\n', { integratedFrom: { path: path('dev/b.txt'), rev: 1, how: 'copy into' } })],
      [null],
    ],
  ])('INT-1: %s', async (_what, files, skips) => {
    const other = change(2, [{ ...add('x', 'b1\n'), path: '//depot/other/b.txt' }]);
    const { fetch } = setUpFetcher({ changes: [dev, other, change(3, files)] }, { mailAddresses: false });
    await expect(fetch(3)).resolves.toMatchObject({ change: { files: skips.map((skipped) => ({ skipped })) } });
  });

  it('INT-1: fetches none of what was taken over, and asks nothing of changes without integrations', async () => {
    const { outcome, simulator } = setUpFetcher(
      { changes: [dev, change(3, [branchOf('a.txt', 'a1\n')])] },
      { mailAddresses: false },
    );
    expect([await outcome(3), await outcome(1)]).toEqual(['change', 'change']);
    expect(simulator.log().map((run) => run.command)).toEqual(['describe', 'filelog', 'fstat', 'describe', 'print']);
  });

  const shelf = (number: number, files: readonly P4SimulatorFile[]): P4SimulatorChange => ({
    ...change(number, files),
    status: 'pending',
    shelved: true,
  });
  const source = { path: path('dev/b.txt'), rev: 1, how: 'copy from' };

  it('INT-1: of a shelf only what one readable source has as it is was taken over', async () => {
    const files = new Map<
      string,
      [content: string, sources: readonly P4SimulatorIntegration[], skipped: string | null]
    >([
      ['copied.txt', ['b1\n', [source], taken]],
      ['edited.txt', ['b1\nmine\n', [source], null]],
      ['content-and-type.txt', ['b1\n', [source, source], taken]],
      ['two-sources.txt', ['b1\n', [source, { ...source, path: path('dev/a.txt') }], null]],
      ['unresolved.txt', ['b1\n', [source, { ...source, how: 'unresolved' }], null]],
      ['ignored.txt', ['b1\n', [{ ...source, how: 'ignored' }], null]],
      ['from-a-shelf.txt', ['b1\n', [{ ...source, rev: 0 }], null]],
      ['its-own-past.txt', ['b0\n', [{ ...source, path: path('rel/its-own-past.txt') }], null]],
      ['unreadable.txt', ['b1\n', [{ ...source, path: '//depot/other/b.txt' }], null]],
      ['no-record.txt', ['b1\n', [], null]],
    ]);
    const names = [...files.keys()].map((name) => `rel/${name}`);
    const other = { ...add('x', 'b1\n'), path: '//depot/other/b.txt' };
    const older = change(1, [...names.map((name) => add(name, 'b0\n')), ...dev.files, other]);
    const newer = change(
      2,
      names.map((name) => ({ ...add(name, 'old\n'), action: 'edit' })),
    );
    const shelved = [...files].map(([name, [content, integratedFrom]]) =>
      mergeOf(content, { path: path(`rel/${name}`), integratedFrom }),
    );
    const { fetch, events } = setUpFetcher(
      { changes: [older, newer, shelf(3, [...shelved, branchOf('a.txt', 'a1\n')])] },
      { mailAddresses: false },
    );
    const fetched = await fetch(3);
    const skips = fetched.kind === 'change' ? fetched.change.files.map((file) => [file.path, file.skipped]) : [];
    expect(Object.fromEntries(skips)).toEqual({
      ...Object.fromEntries([...files].map(([name, [, , skipped]]) => [path(`rel/${name}`), skipped])),
      [path('rel/a.txt')]: taken,
    });
    expect(events).toEqual([]);
  });

  it('INT-1: asks for the sources of a shelf once, and nothing of one without integrations', async () => {
    const { outcome, simulator } = setUpFetcher(
      { changes: [dev, shelf(3, [branchOf('a.txt', 'a1\n')]), shelf(4, [add('new.txt', 'x\n')])] },
      { mailAddresses: false },
    );
    expect([await outcome(3), await outcome(4)]).toEqual(['change', 'change']);
    expect(
      simulator.log().map(({ command, argv }) => [command, ...argv.filter((word) => /^-[OR]/.test(word))]),
    ).toEqual([
      ['describe'],
      ['describe'],
      ['fstat', '-Or', '-Rs'],
      ['fstat', '-Ol'],
      ['describe'],
      ['describe'],
      ['print'],
    ]);
  });

  it.each<[string, P4SimulatorFault]>([
    ['does not know the options', message(3, 1, 'Usage: fstat [ -m max ] file...')],
    ['wants a workspace', message(3, 2, "Client 'x' unknown - use 'client' command to create it.")],
    ['warns of a file', message(2, 17, `${path('rel/b.txt')} - file(s) not opened in that changelist.`)],
    ['refuses so many rows', message(3, 35, "Request too large (over 1); see 'p4 help maxresults'.")],
  ])('INT-1: a shelf is reviewed in full where the server %s', async (_what, fault) => {
    const model = { changes: [dev, shelf(3, [mergeOf('b1\n')])], fault: { ...fault, command: 'fstat' } };
    const { fetch } = setUpFetcher(model, { mailAddresses: false });
    await expect(fetch(3)).resolves.toMatchObject({ change: { files: [{ skipped: null, addedLines: 1 }] } });
  });

  it('INT-1: takes a lost connection for no answer about the sources of a shelf', async () => {
    const fault = { kind: 'drop', afterBytes: 0, command: 'fstat' } as const;
    const { outcome } = setUpFetcher({ changes: [dev, shelf(3, [mergeOf('b1\n')])], fault }, { mailAddresses: false });
    expect(await outcome(3)).toBe('P4_CONNECTION_DROPPED');
  });

  it('P4-2: takes the sources of shelved moves from their records, and names none outside the allow-list', async () => {
    const gone = (name: string): P4SimulatorFile => ({ path: path(name), action: 'move/delete' });
    const moved = (to: string, from: string, content: string): P4SimulatorFile => ({
      ...add(to, content),
      action: 'move/add',
      integratedFrom: { path: path(from), rev: 1, how: 'moved from' },
    });
    const files = [
      ...[gone('dev/a.txt'), gone('dev/b.txt')],
      ...[moved('new/1.txt', 'dev/b.txt', 'b1\nb2\n'), moved('new/2.txt', 'dev/a.txt', 'a2\n')],
      mergeOf('b0\nmine\n', { integratedFrom: { ...source, path: '//depot/other/b.txt' } }),
    ];
    const { fetch } = setUpFetcher({ changes: [dev, shelf(3, files)] }, { mailAddresses: false });
    await expect(fetch(3)).resolves.toMatchObject({
      change: {
        files: [
          { action: 'move', oldPath: path('dev/b.txt'), addedLines: 1, removedLines: 0 },
          { action: 'move', oldPath: path('dev/a.txt'), addedLines: 1, removedLines: 1 },
          { action: 'integrate', oldPath: null, addedLines: 1, removedLines: 0 },
        ],
      },
    });
  });

  it('INT-1: a shelf of pure merges is stored as integration_only', async () => {
    const { watcher, criticizer, jobs, mailer } = setUpWatchers({
      main: { changes: [dev, shelf(3, [branchOf('a.txt', 'a1\n'), mergeOf('b1\n')]), shelf(4, [mergeOf('mine\n')])] },
    });
    await watcher.take([3, 4]);
    await criticizer.runDue();
    expect(
      (await jobs()).map(({ changelistId, result }) => [changelistId, result?.['skipped'] ?? null]).sort(),
    ).toEqual([
      ['main/3', 'integration_only'],
      ['main/4', null],
    ]);
    expect(mailer.accepted()).toHaveLength(1);
  });

  it('INT-1: a pure merge is stored as integration_only, one with an edit is reviewed', async () => {
    const gone = { path: path('rel/gone.txt'), action: 'delete' as const };
    const { watcher, criticizer, jobs, mailer } = setUpWatchers({
      main: {
        changes: [
          change(1, [...dev.files, add('rel/gone.txt', 'x')]),
          change(3, [branchOf('a.txt', 'a1\n'), mergeOf('b1\n'), gone]),
          change(4, [mergeOf('mine\n')]),
        ],
      },
    });
    await watcher.take([3, 4]);
    await criticizer.runDue();
    expect(
      (await jobs()).map(({ changelistId, status, result }) => [changelistId, result?.['skipped'] ?? status]).sort(),
    ).toEqual([
      ['main/3', 'integration_only'],
      ['main/4', 'completed'],
    ]);
    expect(mailer.accepted()).toHaveLength(1);
  });
});
