import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listChangedNames } from './changed-names.js';
import { readSides } from './file-sides.js';

/** A file from its lines as a diff: each part is a hunk, with an empty line below. */
function sidesOf(path: string, ...parts: readonly (readonly string[])[]) {
  const newText: string[] = [];
  let [oldAt, newAt] = [1, 1];
  const hunks = parts.map((lines) => {
    const count = (mark: string): number => lines.filter((line) => !line.startsWith(mark)).length;
    const [oldLines, newLines] = [count('+'), count('-')];
    // A side without lines is numbered by the line before.
    const [oldStart, newStart] = [oldLines === 0 ? oldAt - 1 : oldAt, newLines === 0 ? newAt - 1 : newAt];
    const hunk = { oldStart, oldLines, newStart, newLines, lines };
    newText.push(...lines.flatMap((line) => (line.startsWith('-') ? [] : [line.slice(1)])), '');
    oldAt += hunk.oldLines + 1;
    newAt += hunk.newLines + 1;
    return hunk;
  });
  return readSides({ path, hunks, newText: newText.join('\n') });
}

const namesIn = (path: string, ...parts: readonly (readonly string[])[]): string =>
  listChangedNames(sidesOf(path, ...parts))
    .map(({ name, rank }) => `${rank}${name}`)
    .join(' ');

describe('changed names', () => {
  it.each<[string, string, string[], string]>([
    [
      'the function round a line deep in its body',
      'a.cpp',
      [' int fold() {', '   g();', '-  return 1;', '+  return 2;', ' }'],
      '2fold',
    ],
    [
      'a constant and the function that uses it',
      'a.py',
      ['-MAX = 3', '+MAX = 4', ' def use():', '   return MAX'],
      '1MAX 3use',
    ],
    [
      'a key inside a line, and the new one',
      'a.ts',
      ["-const user = { id: 1, nick: 'x y' };", "+const user = { id: 1, alias: 'x y' };"],
      '0nick 1user 3alias',
    ],
    ['a word in quotes', 'a.lua', ['-emit("shot.fired")', '+emit("shot.done")'], '0shot.fired 3shot.done'],
    [
      'a column in a longer text',
      'a.java',
      ['-class Dao { String sql = "select due_on from t"; }', '+class Dao { String sql = "select due_at from t"; }'],
      '0due_on 1Dao 1sql 3due_at',
    ],
    [
      'a key in quotes in quotes',
      'a.go',
      ['-var tag = `json:"points"`', '+var tag = `json:"total"`'],
      '0points 1tag 3total',
    ],
    [
      'a new enumerator, its enumeration and neighbours',
      'a.h',
      [' enum Mode {', '   ModeA,', '+  ModeB,', '   ModeC', ' };'],
      '2Mode 2ModeA 2ModeC',
    ],
    [
      'what a changed comment describes',
      'a.go',
      ['-// In grams.', '+// In pounds.', ' func Weigh() int {', ' }'],
      '2Weigh',
    ],
    [
      'a member that is read anew',
      'a.ts',
      ['-export const pick = (a) => a.old;', '+export const pick = (a) => a.fresh;'],
      '1pick 3fresh',
    ],
    [
      'a constructor by its type',
      'a.py',
      [' class Car:', '   def __init__(self):', '-    self.x(1)', '+    self.x(2)'],
      '2Car',
    ],
    [
      'nothing of local names',
      'a.c',
      [' static int grow(void) {', '-  int sum = 1;', '-  sum = two;', '+  int total = 1;', '+  total = two;', ' }'],
      '2grow',
    ],
  ])('GRD-4: lists %s', (_what, path, lines, expected) => {
    expect(namesIn(path, lines)).toBe(expected);
  });

  it('GRD-4: lists nothing of lines that another hunk takes up, and all of those that change on the way', () => {
    const moved = ['int far(int a) {', '  return near(a);', '}'];
    const out = moved.map((line) => `-${line}`);
    expect(
      namesIn(
        'a.cpp',
        out,
        moved.map((line) => `+${line}`),
      ),
    ).toBe('');
    expect(namesIn('a.cpp', out, ['+int far(int b) {', ...moved.slice(1).map((line) => `+${line}`)])).toContain('1far');
  });

  it('GRD-4: looks for no callers of new functions, and for 64 names of a hunk at most', () => {
    expect(namesIn('a.cpp', ['+int fresh() {', '+  return 1;', '+}'])).toBe('');
    const many = Array.from({ length: 100 }, (_, at) => [`-int value${at} = 1;`, `+int value${at} = 2;`]);
    expect(listChangedNames(sidesOf('a.cpp', many.flat()))).toHaveLength(64);
  });

  it('GRD-4: reads the old side back from the new one and its hunks', () => {
    const line = fc
      .tuple(fc.constantFrom(' ', '+', '-'), fc.constantFrom('a', 'b = 1', '}', 'x {'))
      .map((one) => one.join(''));
    fc.assert(
      fc.property(fc.array(fc.array(line, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 }), (parts) => {
        const side = (mark: string): string =>
          [
            ...parts.flatMap((lines) => [
              ...lines.filter((one) => !one.startsWith(mark)).map((one) => one.slice(1)),
              '',
            ]),
          ].join('\n');
        const sides = sidesOf('a.c', ...parts);
        expect(sides.old.lines.join('\n')).toBe(side('+'));
        expect(sides.new.lines.join('\n')).toBe(side('-'));
      }),
      { numRuns: 50 },
    );
  });

  it('numbers a moved stretch of 60,000 lines in time that grows with it', () => {
    const moved = Array.from({ length: 60_000 }, (_, at) => `value ${at};`);
    const began = performance.now();
    const { hunks } = sidesOf(
      'a.txt',
      ['+one', ...moved.map((line) => `-${line}`)],
      ['+two', ...moved.map((line) => `+${line}`)],
    );
    expect(hunks.map(({ added, removed }) => [added.length, removed.length])).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('names 60,000 new keys in time that grows with them', () => {
    const lines = Array.from({ length: 60_000 }, (_, at) => `+KEY_${at} = ${at}`);
    const began = performance.now();
    expect(listChangedNames(sidesOf('a.py', lines)).length).toBeGreaterThan(0);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
