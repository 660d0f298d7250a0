import { afterEach, describe, expect, it } from 'vitest';
import { parseUnaskablePath } from '../src/client/depot-path.js';
import { createAllowList } from '../src/index.js';
import type { P4SimulatorFile } from '../src/testing/index.js';
import { disposeSimulators, setUpFetcher } from './fetcher-setup.js';
import { closeWatchers, setUpWatchers } from './watcher-setup.js';

afterEach(disposeSimulators);
afterEach(closeWatchers);

type Side = Partial<P4SimulatorFile>;
const good: [string, Side, Side] = ['good.txt', {}, {}];

/** Change 2 edits files that change 1 added. */
function editOf(
  files: readonly (readonly [name: string, before: Side, after: Side])[],
  kind: 'submitted' | 'shelved' = 'submitted',
) {
  const change = (number: number, side: 1 | 2, action: 'add' | 'edit') => ({
    number,
    user: 'ann',
    description: 'x',
    status: 'submitted' as const,
    files: files.map((file) => ({
      path: `//depot/main/${file[0]}`,
      action,
      content: `${file[0]} ${side}\n`,
      ...file[side],
    })),
  });
  const second = change(2, 2, 'edit');
  return {
    changes: [
      change(1, 1, 'add'),
      kind === 'submitted' ? second : { ...second, status: 'pending' as const, shelved: true },
    ],
  };
}

describe('one bad file of a change', () => {
  it.each<[string, [string, Side, Side], string | null]>([
    ['whose archive is missing', ['bad.txt', {}, { isArchiveMissing: true }], 'unavailable'],
    ['whose earlier archive is missing', ['bad.txt', { isArchiveMissing: true }, {}], 'unavailable'],
    [
      'whose earlier revision was purged',
      ['bad.txt', { action: 'purge', type: 'text+S2' }, { type: 'text+S2' }],
      'unavailable',
    ],
    ['with a wrong digest', ['bad.txt', {}, { digest: '0'.repeat(32) }], 'damaged'],
    ['with a wrong size', ['bad.txt', {}, { fileSize: 4 }], 'damaged'],
    ['whose name is no UTF-8', ['b\udce4d.txt', {}, {}], 'bad_path'],
    ['in a directory whose name is no UTF-8', ['\udcfc/b\u00e4d.txt', {}, {}], 'bad_path'],
    ['with a wildcard in its name', ['b...d.txt', {}, {}], 'bad_path'],
  ])('INT-1: a file %s is skipped with the reason, the others are read', async (_what, bad, reason) => {
    const files = [bad, good, [bad[0].replace('.txt', '2.txt'), bad[1], bad[2]]] as const;
    const { fetch, events } = setUpFetcher(editOf(files), { mailAddresses: false });
    const skippedFile = { skipped: reason, addedLines: 0, removedLines: 0 };
    await expect(fetch(2)).resolves.toMatchObject({
      change: { files: [skippedFile, { skipped: null, addedLines: 1, removedLines: 1 }, skippedFile] },
    });
    expect(events).toEqual([]);
  });

  it('P4-3: shows bytes that are no UTF-8 as a path that no other file can have, and asks for none of it', async () => {
    const { fetch, simulator, options } = setUpFetcher(editOf([['b\udce4d \u00e4%40.txt', {}, {}], good]));
    expect(await fetch(2)).toMatchObject({ change: { files: [{ path: '//depot/main/b%E4d \u00e4%40.txt' }, {}] } });
    expect(
      simulator
        .log()
        .flatMap((run) => run.operands)
        .filter((operand) => operand.includes('//')),
    ).toEqual(['//depot/main/good.txt#1', '//depot/main/good.txt#2']);
    expect(options.allowList.check('//depot/main/b%E4d.txt').allowed).toBe(false);
    for (const malformed of [
      '//depot/a',
      '//depot/...',
      'depot/\xff',
      '//depot/../\xff',
      '//depot/\xff\n',
      '//depot/\xff#1',
    ])
      expect(parseUnaskablePath(Buffer.from(malformed, 'latin1'))).toBeNull();
  });

  it('P4-5: a file that no command can name is denied like any other, also where a deny rule might mean its directory', async () => {
    const outside = editOf([['../other/b\udce4d.txt', {}, {}], good]);
    const other = JSON.parse(JSON.stringify(outside).replaceAll('main/../other', 'other'));
    const refused = setUpFetcher(other);
    expect(await refused.outcome(2)).toBe('P4_PATH_DENIED');
    expect(refused.events).toMatchObject([{ details: { why: 'not_listed' } }]);
    const allowList = createAllowList({ allow: ['//depot/main/...'], deny: ['//depot/main/geheim\u00fc/...'] });
    const unclear = setUpFetcher(editOf([['geheim\udcfc/a.txt', {}, {}], good]), { allowList });
    expect(await unclear.outcome(2)).toBe('P4_PATH_DENIED');
    const clear = setUpFetcher(editOf([['geheim\udcfc.txt', {}, {}], good]), { allowList });
    expect(await clear.outcome(2)).toBe('change');
  });

  it('ERR-1: lost content of a shelf that was replaced meanwhile is no damage: it is read again', async () => {
    const shelf = editOf([['bad.txt', {}, { digest: '0'.repeat(32) }], good], 'shelved');
    let commands = 0;
    const onCommand = new Map<number, () => void>();
    const { fetch, outcome, simulator } = setUpFetcher(shelf, {
      mailAddresses: false,
      executable: () => {
        commands += 1;
        onCommand.get(commands)?.();
        return simulator.executable;
      },
    });
    expect(await fetch(2)).toMatchObject({ change: { files: [{ skipped: 'damaged' }, { skipped: null }] } });
    expect(commands).toBe(4); // the change, its shelf, the contents, and once more the shelf
    onCommand.set(8, () => simulator.update(editOf([['bad.txt', {}, { content: 'other\n' }], good], 'shelved')));
    expect(await outcome(2)).toBe('P4_CHANGE_MOVED_ON');
  });

  it('INT-1: the watcher takes in a change of such files alone, as it does any other', async () => {
    const { changes } = editOf([
      ['b\udce4d.txt', {}, {}],
      ['b...d.txt', {}, {}],
    ]);
    const { watcher, submitted } = setUpWatchers({ main: { changes } }, { startAt: 2 });
    expect(await watcher.take([2])).toMatchObject([{ outcome: 'submitted' }]);
    expect(await submitted()).toEqual(['main/2 v1']);
  });
});
