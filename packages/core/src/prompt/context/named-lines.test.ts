import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactedChangeOf } from '../../../test/redacted-samples.js';
import type { RedactedChange, RedactedFile } from '../../changes/redacted-change.js';
import { wishNamed } from './named-lines.js';
import { planContext } from './plan-context.js';

const filler = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `  pad${from + at}();`);

/** 400 lines: a constant, a changed function and, far away, the function that it calls and another user. */
const source = [
  'const int kLimit = 8;',
  'void caller() {',
  '  resize(kLimit);',
  '}',
  'void unrelated() {',
  ...filler(0, 200),
  '}',
  'void resize(int to) {',
  '  size = to;',
  '}',
  'void other() {',
  ...filler(200, 180),
  '  if (size > kLimit) drop();',
  '}',
].join('\n');

function changeOf(newText: string, line: number): RedactedChange {
  const text = newText.split('\n')[line - 1] ?? '';
  const file: Partial<RedactedFile> = {
    path: '//d/a.cpp',
    displayPath: null,
    hunks: [{ oldStart: line, oldLines: 1, newStart: line, newLines: 1, lines: ['-  old();', `+${text}`] }],
    newText,
  };
  return redactedChangeOf([file]);
}

const chunk = { files: [{ file: 0, hunks: [0] }] };

describe('wishNamed', () => {
  it('GRD-3: shows the sections and the few lines that changed lines name, beyond their own section', () => {
    const change = changeOf(source, 3);
    const { context } = planContext(change, chunk, { level: 'wide', freeBytes: 50_000 });
    const shown = context.lines.flatMap(({ ranges }) =>
      ranges.flatMap(({ startLine, endLine }) => source.split('\n').slice(startLine - 1, endLine)),
    );
    for (const line of [
      'const int kLimit = 8;',
      'void resize(int to) {',
      '  size = to;',
      '  if (size > kLimit) drop();',
    ])
      expect(shown).toContain(line);
    expect(shown).not.toContain('  pad100();');
    const narrow = planContext(change, chunk, { level: 'sections', freeBytes: 50_000 });
    expect(narrow.context.lines).toEqual([
      {
        file: 0,
        ranges: [
          { startLine: 2, endLine: 2 },
          { startLine: 4, endLine: 4 },
        ],
      },
    ]);
  });

  it('GRD-3: a word that stands on many lines names nothing in particular', () => {
    const common = ['start(x);', ...Array.from({ length: 40 }, () => 'start(again);')].join('\n');
    expect(wishNamed(changeOf(common, 1), chunk).every(({ isCounted }) => isCounted)).toBe(true);
  });

  it('GRD-3: every wish lies in the file, whatever it holds, and the same change gives the same wishes', () => {
    const text = fc.array(fc.constantFrom('void f() {', '}', '  use(kLimit);', 'x', '', '{', '"key": 1'), {
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(text, fc.nat(39), (lines, at) => {
        const change = changeOf(lines.join('\n'), (at % lines.length) + 1);
        const wishes = wishNamed(change, chunk);
        for (const { forms } of wishes)
          for (const ranges of forms)
            for (const { startLine, endLine } of ranges) {
              expect(startLine).toBeGreaterThanOrEqual(1);
              expect(startLine).toBeLessThanOrEqual(lines.length);
              expect(endLine).toBeGreaterThanOrEqual(startLine);
            }
        expect(wishNamed(changeOf(lines.join('\n'), (at % lines.length) + 1), chunk)).toEqual(wishes);
      }),
      { numRuns: 60 },
    );
  });
});
