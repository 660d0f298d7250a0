import { afterEach, describe, expect, it } from 'vitest';
import type { P4SimulatorChange, P4SimulatorFile } from '../src/testing/index.js';
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
