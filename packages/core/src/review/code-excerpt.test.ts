import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutExcerpt } from './code-excerpt.js';

const hunk = {
  oldStart: 10,
  oldLines: 3,
  newStart: 10,
  newLines: 4,
  lines: [' ten', '-gone', '+eleven\r', '+twelve', ' thirteen'],
};
const at = (line: number | null, endLine: number | null = null) => ({ line, endLine, status: 'exact' as const });
const show = (excerpt: ReturnType<typeof cutExcerpt>) =>
  excerpt.map(({ line, text, isCited }) => `${isCited ? '>' : ' '}${line} ${text}`);

describe('code round a finding', () => {
  it('shows lines of the new side, the cited ones marked, and no removed one', () => {
    expect(show(cutExcerpt({ hunks: [hunk] }, at(11, 12)))).toEqual([
      ' 10 ten',
      '>11 eleven',
      '>12 twelve',
      ' 13 thirteen',
    ]);
  });

  it('takes what no hunk shows from the whole text', () => {
    const newText = `${Array.from({ length: 20 }, (_, n) => `line ${n + 1}`).join('\n')}\n`;
    const excerpt = cutExcerpt({ hunks: [hunk], newText }, at(13));
    expect(show(excerpt)).toEqual([
      ' 10 ten',
      ' 11 eleven',
      ' 12 twelve',
      '>13 thirteen',
      ...[14, 15, 16].map((n) => ` ${n} line ${n}`),
    ]);
    expect(show(cutExcerpt({ hunks: [], newText }, at(20)))).toHaveLength(4);
  });

  it('numbers each line as it was before the change, an added one not at all', () => {
    const newText = `${Array.from({ length: 20 }, (_, n) => `line ${n + 1}`).join('\n')}\n`;
    const removed = { oldStart: 16, oldLines: 2, newStart: 16, newLines: 0, lines: ['-a', '-b'] };
    const old = (line: number) =>
      cutExcerpt({ hunks: [hunk, removed], newText }, at(line)).map((one) => [one.line, one.oldLine]);
    expect(old(12)).toEqual([
      [9, 9],
      [10, 10],
      [11, null],
      [12, null],
      [13, 12],
      [14, 13],
      [15, 14],
    ]);
    // The line that a removal follows is still before it.
    expect(old(18).slice(1, 3)).toEqual([
      [16, 15],
      [17, 18],
    ]);
  });

  it('is empty without a line, and where the file has no text there', () => {
    expect(cutExcerpt({ hunks: [hunk] }, at(null))).toEqual([]);
    expect(cutExcerpt({ hunks: [hunk] }, at(15))).toEqual([]);
    expect(cutExcerpt({ hunks: [] }, at(1))).toEqual([]);
  });

  it('has at most 12 lines of 240 characters, whatever the finding spans', () => {
    const newText = `${'x'.repeat(5_000)}\n`.repeat(400);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 0, max: 400 }), (line, more) => {
        const excerpt = cutExcerpt({ hunks: [], newText }, at(line, line + more));
        expect(excerpt.length).toBeLessThanOrEqual(12);
        expect(excerpt.every(({ text }) => text.length <= 240)).toBe(true);
        expect(excerpt.some(({ isCited, line: own }) => isCited && own === line)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});
