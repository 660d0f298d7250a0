import { describe, expect, it } from 'vitest';
import { parseReview } from '../read/parse-review.js';
import { newSideOf, resolveAnchor } from './anchors.js';

const TEXTS = [
  'int main() {',
  '  char *b = take();',
  '  free(b);',
  '  -1 + offset;',
  '- name: build',
  '  give_back(b);',
  '12 monkeys',
  '}',
];
const HUNK = {
  oldStart: 40,
  oldLines: 1,
  newStart: 41,
  newLines: TEXTS.length,
  lines: ['-  lost(b);', ...TEXTS.map((text) => `+${text}`)],
};
const SIDE = newSideOf([HUNK]);

describe('anchors', () => {
  it.each([
    ['+  free(b);', 43],
    ['+free(b);', 43],
    ['   43 +  free(b);', 43],
    ['43 free(b);', 43],
    ['43: free(b);', 43],
    ['43 | +free(b);', 43],
    ['-  free(b);', 43],
    ['-1 + offset;', 44],
    ['- name: build', 45],
    ['+- name: build', 45],
    ['12 monkeys', 47],
    ['   47 +12 monkeys', 47],
  ])('R7: the quote %j is found with its diff mark and line number, and without', (quote, line) => {
    expect(resolveAnchor({ line, quote }, SIDE)).toEqual({ kind: 'exact', line });
    expect(resolveAnchor({ line: line - 1, quote }, SIDE)).toEqual({ kind: 'moved', line });
  });

  it('R7: a removed line that stands nowhere near on the new side, or nowhere, is unverified', () => {
    expect(resolveAnchor({ line: 41, quote: '-  lost(b);' }, SIDE)).toEqual({ kind: 'unverified', line: null });
    const far = newSideOf([HUNK, { ...HUNK, oldStart: 200, newStart: 200, newLines: 1, lines: ['+  lost(b);'] }]);
    expect(resolveAnchor({ line: 41, quote: '-  lost(b);' }, far)).toEqual({ kind: 'unverified', line: null });
    expect(resolveAnchor({ line: 41, quote: '+  lost(b);' }, far)).toEqual({ kind: 'moved', line: 200 });
  });

  it('INV-4: an end_line beyond the shown lines of its file is left out with a diagnostic', () => {
    const files = [
      { path: '//d/a.c', hunks: [HUNK] },
      { path: '//d/image.png', hunks: [] },
    ];
    const endLines = (line: number, end_line: number, file = '//d/a.c') => {
      const found = { id: 'f1', severity: 'low', category: 'style', title: 'T', file, line, end_line, message: 'M' };
      const text = JSON.stringify({ schema_version: '1.0', prompt_version: '1.0', findings: [found] });
      const expected = { promptVersion: '1.0', schemaVersion: '1.0' };
      const parsed = parseReview({ text, stop: 'complete', expected, changedFiles: files });
      if (parsed.outcome !== 'accepted') throw new Error('rejected');
      return [
        parsed.result.findings[0]?.end_line,
        ...parsed.diagnostics.map((one) => ('field' in one ? `${one.code} ${one.field}` : one.code)),
      ];
    };
    expect(endLines(42, 48)).toEqual([48]);
    expect(endLines(42, 49)).toEqual([undefined, 'field_dropped end_line']);
    expect(endLines(42, 9_999_999)).toEqual([undefined, 'field_dropped end_line']);
    expect(endLines(1, 2, '//d/image.png')).toEqual([undefined, 'field_dropped end_line']);
  });
});
