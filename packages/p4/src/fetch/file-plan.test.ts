import { describe, expect, it } from 'vitest';
import type { DescribedFile } from '../client/describe.js';
import { type ContentPlace, planFiles } from './file-plan.js';

const limits = { maxFiles: 100, maxFileBytes: 1000, maxTotalBytes: 10_000, contextLines: 3, maxNewTextBytes: 100_000 };
const file = (path: string, action: DescribedFile['action'], more: Partial<DescribedFile> = {}): DescribedFile => ({
  path: `//d/${path}`,
  action,
  fileType: 'text',
  revision: 1,
  bytes: 10,
  digest: null,
  from: null,
  ...more,
});
const plan = (files: DescribedFile[], place: ContentPlace = { kind: 'submitted' }) =>
  planFiles(files, place, limits).map(({ file, action, oldPath, oldSide, newSide, skipped }) => [
    file.path.slice(4),
    skipped ?? action,
    oldPath,
    oldSide,
    newSide,
  ]);

describe('file plan', () => {
  it('finds both sides of submitted files', () => {
    expect(
      plan([
        file('a', 'add'),
        file('b', 'edit', { revision: 4 }),
        file('c', 'edit', { revision: 1 }),
        file('d', 'integrate', { revision: 3 }),
        file('e', 'branch', { from: { path: '//x/e', revision: 2 } }),
        file('f', 'delete', { revision: 2 }),
        file('g', 'purge'),
        file('h', 'add', { fileType: 'symlink' }),
        file('i', 'add', { fileType: 'ubinary' }),
        file('j', 'import'),
      ]),
    ).toEqual([
      ['a', 'add', null, null, '//d/a#1'],
      ['b', 'edit', null, '//d/b#3', '//d/b#4'],
      ['c', 'edit', null, null, '//d/c#1'],
      ['d', 'integrate', null, '//d/d#2', '//d/d#3'],
      ['e', 'branch', '//x/e', null, '//d/e#1'],
      ['f', 'deleted', null, null, null],
      ['g', 'purged', null, null, null],
      ['h', 'symlink', null, null, null],
      ['i', 'binary', null, null, null],
      ['j', 'import', null, null, '//d/j#1'],
    ]);
  });

  it('takes the base revision as the old side of a shelf', () => {
    expect(
      plan([file('a', 'edit', { revision: 4 }), file('b', 'add', { revision: null })], { kind: 'shelved', number: 9 }),
    ).toEqual([
      ['a', 'edit', null, '//d/a#4', '//d/a@=9'],
      ['b', 'add', null, null, '//d/b@=9'],
    ]);
  });

  it('pairs moves by their source, and without one only where there is no doubt', () => {
    const from = { path: '//d/old', revision: 5 };
    expect(plan([file('old', 'move/delete', { revision: 6 }), file('new', 'move/add', { from })])).toEqual([
      ['new', 'move', '//d/old', '//d/old#5', '//d/new#1'],
    ]);
    expect(plan([file('old', 'move/delete', { revision: 6 }), file('new', 'move/add')])).toEqual([
      ['new', 'move', '//d/old', '//d/old#5', '//d/new#1'],
    ]);
    const two = [file('o1', 'move/delete'), file('o2', 'move/delete'), file('n1', 'move/add'), file('n2', 'move/add')];
    expect(plan(two).map(([path, action]) => [path, action])).toEqual([
      ['o1', 'deleted'],
      ['o2', 'deleted'],
      ['n1', 'add'],
      ['n2', 'add'],
    ]);
  });

  it('INT-1: plans files for the scan alone with what the others leave of the limits, wherever they stand', () => {
    const isScanOnly = (path: string): boolean => path.endsWith('.meta');
    const files = [
      ...Array.from({ length: 600 }, (_, at) => file(`f${at}.meta`, 'add', { bytes: 1000 })),
      ...Array.from({ length: 10 }, (_, at) => file(`f${at}.ts`, 'add', { bytes: 100 })),
    ];
    const planned = planFiles(files, { kind: 'submitted' }, limits, { isScanOnly });
    expect(planned.map((one) => one.file)).toEqual(files);
    const skips = planned.map(({ skipped }) => skipped);
    expect(skips.slice(600)).toEqual(Array(10).fill(null));
    expect(skips.slice(0, 600)).toEqual([...Array(9).fill(null), ...Array(591).fill('unscanned')]);
    const few = planFiles(files, { kind: 'submitted' }, { ...limits, maxFiles: 15 }, { isScanOnly });
    expect(few.slice(0, 600).filter(({ skipped }) => skipped === null)).toHaveLength(5);
    const none = planFiles(files, { kind: 'submitted' }, { ...limits, maxFiles: 9 }, { isScanOnly });
    expect(none.slice(600).map(({ skipped }) => skipped)).toEqual([...Array(9).fill(null), 'budget']);
  });

  it('skips by size and budget before anything is fetched', () => {
    const files = [
      file('big', 'add', { bytes: 1001 }),
      ...Array.from({ length: 12 }, (_, at) => file(`f${at}`, 'add', { bytes: 1000 })),
    ];
    const reasons = planFiles(files, { kind: 'submitted' }, limits).map((planned) => planned.skipped);
    expect(reasons.slice(0, 2)).toEqual(['oversize', null]);
    expect(reasons.filter((reason) => reason === 'budget')).toHaveLength(2);
  });
});
