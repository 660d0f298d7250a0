import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildHunks, type HunkOptions } from './hunks.js';

/** Applies hunks to the old text, by their line numbers alone; throws where a kept or removed line is not there. */
function apply(oldText: string, diff: ReturnType<typeof buildHunks>): string {
  const lines = oldText === '' ? [] : oldText.split(/(?<=\n)/);
  const result: string[] = [];
  let at = 0;
  for (const hunk of diff.hunks) {
    const from = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
    result.push(...lines.slice(at, from));
    at = from;
    const newFrom = hunk.newLines === 0 ? hunk.newStart : hunk.newStart - 1;
    if (result.length !== newFrom) throw new Error('newStart');
    const oldMarks = hunk.lines.filter((line) => line[0] !== '+').length;
    const newMarks = hunk.lines.filter((line) => line[0] !== '-').length;
    if (oldMarks !== hunk.oldLines || newMarks !== hunk.newLines) throw new Error('line counts');
    let oldSeen = 0;
    let newSeen = 0;
    for (const line of hunk.lines) {
      if (line[0] !== '+') {
        oldSeen += 1;
        const lineBreak = hunk.oldNoNewline === true && oldSeen === oldMarks ? '' : '\n';
        if (lines[at] !== line.slice(1) + lineBreak) throw new Error('old line');
        at += 1;
      }
      if (line[0] !== '-') {
        newSeen += 1;
        result.push(line.slice(1) + (hunk.newNoNewline === true && newSeen === newMarks ? '' : '\n'));
      }
    }
  }
  return [...result, ...lines.slice(at)].join('');
}

const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', 'a\r', '', '-x', '+y', '\\ No'), { maxLength: 12 }), fc.boolean())
  .map(([lines, ended]) => lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''));
const bounds: [string, Partial<HunkOptions>][] = [
  ['a short diff', {}],
  ['the fallback past the bounds', { maxEditLength: 0 }],
];

describe('hunks', () => {
  it.each(bounds)('rebuild the new text from the old one: %s', (_name, options) => {
    fc.assert(
      fc.property(text, text, fc.nat({ max: 4 }), (oldText, newText, contextLines) => {
        fc.pre(oldText !== newText);
        expect(apply(oldText, buildHunks(oldText, newText, { contextLines, ...options }))).toBe(newText);
      }),
      { numRuns: 1000 },
    );
  });

  it('count as unified diffs do', () => {
    expect(buildHunks('', 'a\nb', { contextLines: 3 })).toEqual({
      hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ['+a', '+b'], newNoNewline: true }],
      addedLines: 2,
      removedLines: 0,
    });
    expect(buildHunks('a\nb\nc\n', 'a\nx\nb\nc\n', { contextLines: 0 }).hunks).toEqual([
      { oldStart: 1, oldLines: 0, newStart: 2, newLines: 1, lines: ['+x'] },
    ]);
  });

  it('stay bounded on texts that have nothing in common', () => {
    const lines = (seed: number): string => Array.from({ length: 30_000 }, (_, at) => `${at * seed}\n`).join('');
    const diff = buildHunks(lines(7), lines(11), { contextLines: 3, maxEditLength: 100 });
    expect(diff.hunks).toHaveLength(1);
    expect(diff.addedLines).toBeGreaterThan(29_000);
  });
});
