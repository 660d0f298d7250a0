import { describe, expect, it } from 'vitest';
import { redactedChangeOf, redactedFileOf } from '../../../test/redacted-samples.js';
import type { RedactedContext } from '../../changes/change-context.js';
import type { RedactedFile } from '../../changes/redacted-change.js';
import { listChangedRanges, readHeading } from './file-sections.js';
import { foundBytes, listFoundBlocks } from './found-context.js';
import { planContext } from './plan-context.js';

/** A class of two methods, the second of `body` lines. */
function sourceOf(body: number): readonly string[] {
  const lines = Array.from({ length: body }, (_, at) => `    step(${at});`);
  return [
    'class Cart {',
    '  void clear() {',
    '    items = 0;',
    '  }',
    '',
    '  void fill(',
    '      int many) {',
    ...lines,
    '  }',
    '}',
  ];
}

function fileOf(path: string, newText: string | undefined, line: number): RedactedFile {
  const text = newText?.split('\n')[line - 1] ?? 'x';
  return redactedFileOf({
    path,
    hunks: [{ oldStart: line, oldLines: 1, newStart: line, newLines: 1, lines: ['-old', `+${text}`], section: 'near' }],
    newText,
    addedLines: 1,
    removedLines: 1,
  });
}

function plan(file: RedactedFile, freeBytes = 100_000, level: 'sections' | 'wide' = 'sections') {
  const change = redactedChangeOf([file]);
  const { context, bytes } = planContext(change, { files: [{ file: 0, hunks: [0] }] }, { level, freeBytes });
  expect(bytes).toBeLessThanOrEqual(freeBytes);
  const lines = context.lines.flatMap(({ ranges }) => ranges.map(({ startLine, endLine }) => [startLine, endLine]));
  return { lines, extent: context.extents[0] };
}

describe('planContext', () => {
  const short = sourceOf(30).join('\n');
  const long = sourceOf(400).join('\n');

  it('GRD-3: shows the section that a hunk stands in whole, without the lines of the hunk', () => {
    expect(plan(fileOf('//d/a.cpp', sourceOf(80).join('\n'), 40))).toEqual({
      lines: [
        [6, 39],
        [41, 88],
      ],
      extent: { file: 0, wanted: 1, whole: 1, cut: 0 },
    });
  });

  it('GRD-3: of a long section shows its head, the lines near the hunk and its end', () => {
    expect(plan(fileOf('//d/a.cpp', long, 200)).lines).toEqual([
      [6, 7],
      [179, 199],
      [201, 220],
      [408, 408],
    ]);
  });

  it('GRD-3: says what was cut and what was left out where room is short', () => {
    expect(plan(fileOf('//d/a.cpp', short, 20), 700)).toEqual({
      lines: [
        [6, 7],
        [11, 19],
        [21, 28],
        [38, 38],
      ],
      extent: { file: 0, wanted: 1, whole: 0, cut: 1 },
    });
    expect(plan(fileOf('//d/a.cpp', short, 20), 100)).toEqual({
      lines: [],
      extent: { file: 0, wanted: 1, whole: 0, cut: 0 },
    });
  });

  it('GRD-3: shows the nearest lines where no section is known, and nothing of a file that the change lacks', () => {
    expect(plan(fileOf('//d/a.unknown', long, 200)).lines).toEqual([
      [179, 199],
      [201, 220],
    ]);
    expect(plan(fileOf('//d/a.cpp', undefined, 200))).toEqual({ lines: [], extent: undefined });
  });

  it('GRD-3: shows small files whole, and only where more than sections is wanted', () => {
    expect(plan(fileOf('//d/a.cpp', short, 20), 100_000, 'wide').lines).toEqual([
      [1, 19],
      [21, 39],
    ]);
  });

  it('GRD-3: shows what was found beyond the change to the hunks that it explains, signatures first', () => {
    const piece = (name: string, form: RedactedContext['form'], hunk: number): RedactedContext => ({
      path: `//d/${name}.h`,
      displayPath: null,
      kind: 'definition',
      name,
      form,
      startLine: 7,
      text: `int ${name}(\n    int x);`,
      of: [{ file: 0, hunks: [hunk] }],
    });
    const context = [piece('body', 'body', 0), piece('head', 'signature', 0), piece('other', 'signature', 1)];
    const change = { ...redactedChangeOf([fileOf('//d/a.cpp', undefined, 3)]), context };
    const files = [{ file: 0, hunks: [0] }];
    const wide = (freeBytes: number) => planContext(change, { files }, { level: 'wide', freeBytes }).context;
    expect(wide(100_000)).toMatchObject({ found: [0, 1], extents: [{ file: 0, wanted: 2, whole: 2, cut: 0 }] });
    expect(wide(foundBytes(context[1] as RedactedContext))).toMatchObject({
      found: [1],
      extents: [{ wanted: 2, whole: 1 }],
    });
    expect(planContext(change, { files }, { level: 'sections', freeBytes: 100_000 }).context.found).toEqual([]);
    expect(listFoundBlocks(change, [1])).toEqual([
      {
        kind: 'context',
        redacted: [
          'file: //d/head.h',
          '@@ context, definition of head, lines 7-8 @@',
          '     7 |int head(',
          '     8 |    int x);',
          '',
        ].join('\n'),
      },
    ]);
  });

  it('GRD-3: takes the heading from the outline, else from the fetcher', () => {
    const [known, unknown] = [fileOf('//d/a.cpp', short, 20), fileOf('//d/a.unknown', short, 20)];
    expect(known.hunks.map((hunk) => readHeading(known, hunk))).toEqual(['Cart.fill']);
    expect(unknown.hunks.map((hunk) => readHeading(unknown, hunk))).toEqual(['near']);
  });

  it.each([
    [
      [' a', '+b', '+c', ' d', '+e'],
      [
        [11, 12],
        [14, 14],
      ],
    ],
    [[' a', '-b', ' c'], [[10, 11]]],
    [['-b', '+c', '\\ No newline'], [[9, 10]]],
    [[' a', ' b'], []],
  ])('finds the changed lines of %j', (lines, ranges) => {
    const found = listChangedRanges({ oldStart: 1, oldLines: 1, newStart: 10, newLines: 1, lines });
    expect(found.map(({ startLine, endLine }) => [startLine, endLine])).toEqual(ranges);
  });
});
