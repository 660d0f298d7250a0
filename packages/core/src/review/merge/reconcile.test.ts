import { describe, expect, it } from 'vitest';
import { parseReview } from '../read/parse-review.js';
import { createPathIndex } from './reconcile.js';

const PATHS = [
  '//depot/main/src/x.ts',
  '//depot/main/b/src/y.ts',
  '//depot/main/lib/index.ts',
  '//depot/main/app/index.ts',
  '//depot/main/Case.c',
  '//depot/main/case.c',
  '//depot/main/doc/r\u00e9sum\u00e9.md',
  '//depot/main/odd%234',
  '//depot/main/odd:7',
  '//depot/@alias-9/z.ts',
];
const index = createPathIndex(PATHS);

describe('paths', () => {
  it.each([
    ['b/src/x.ts', 0],
    ['a/src/x.ts', 0],
    ['/src/x.ts', 0],
    ['./src/x.ts', 0],
    ['src\\x.ts', 0],
    ['x.ts', 0],
    ['SRC/X.TS', 0],
    ['//Depot/Main/src/x.ts', 0],
    ['//depot/main/src/x.ts#4', 0],
    ['//depot/main/src/x.ts#head', 0],
    ['//depot/main/src/x.ts@1234', 0],
    ['//depot/main/src/x.ts@=1234', 0],
    ['src/x.ts:102', 0],
    ['src/x.ts:102:7', 0],
    ['src/x.ts:102-110', 0],
    ['src/x.ts#L102-L110', 0],
    ['src/x.ts (line 102)', 0],
    ['src/x.ts, lines 102-110', 0],
    ['`//depot/main/src/x.ts`', 0],
    ['"src/x.ts"', 0],
    ['**src/x.ts**', 0],
    ['`b/src/x.ts:102`', 0],
    ['[src/x.ts](https://host/src/x.ts)', 0],
    ['<//depot/main/src/x.ts>', 0],
    ['b/src/y.ts', 1],
    ['lib/index.ts', 2],
    ['//depot/main/Case.c', 4],
    ['//depot/main/case.c#2', 5],
    ['main/case.c', 5],
    ['//depot/main/doc/re\u0301sume\u0301.md', 6],
    ['doc/RE\u0301SUME\u0301.md', 6],
    ['//depot/main/odd#4', 7],
    ['//depot/main/odd%234', 7],
    ['//depot/main/odd:7', 8],
    ['//depot/@alias-9/z.ts:3', 9],
    ['@alias-9/z.ts', 9],
  ])('OUT-8: %j names one changed file', (file, place) => {
    expect(index.resolve(file)).toEqual({ kind: 'one', path: PATHS[place] });
  });

  it.each([
    ['index.ts', 2],
    ['//depot/main/CASE.c', 2],
    ['CASE.C:3', 2],
    ['//depot/main/doc/../src/x.ts', 0],
    ['//depot/other/src/x.ts', 0],
    ['other/src/x.ts', 0],
    ['rc/x.ts', 0],
    ['../../etc/passwd', 0],
    ['/dev/null', 0],
    ['__proto__', 0],
    ['', 0],
    ['``', 0],
    [':102', 0],
    ['b/', 0],
    ['ts', 0],
  ])('OUT-8: %j is no changed file, or names %i of them', (file, count) => {
    expect(index.resolve(file)).toEqual(count === 0 ? { kind: 'none' } : { kind: 'several', count });
  });

  it('OUT-6: a path that names several files is dropped with their number, and a mended one has a diagnostic', () => {
    const found = (file: string) => ({
      id: file,
      severity: 'low',
      category: 'style',
      title: 'T',
      file,
      line: 1,
      message: 'M',
    });
    const text = JSON.stringify({
      schema_version: '1.0',
      prompt_version: '1.0',
      findings: [found('index.ts'), found('b/src/x.ts'), found('no.ts')],
    });
    const changedFiles = PATHS.map((path) => ({ path, hunks: [] }));
    const parsed = parseReview({
      text,
      stop: 'complete',
      expected: { promptVersion: '1.0', schemaVersion: '1.0' },
      changedFiles,
    });
    const about = { code: 'finding_dropped', reason: 'file_not_in_changed_files', field: 'file', line: 1 };
    expect(parsed.diagnostics).toEqual([
      { ...about, index: 0, findingId: 'index.ts', file: 'index.ts', matches: 2 },
      {
        code: 'coercion_applied',
        index: 1,
        findingId: 'b/src/x.ts',
        field: 'file',
        oldValue: 'b/src/x.ts',
        newValue: PATHS[0],
      },
      { ...about, index: 2, findingId: 'no.ts', file: 'no.ts' },
    ]);
  });

  it('OUT-8: hostile paths are resolved in linear time', () => {
    const paths = Array.from({ length: 2_000 }, (_, at) => `//depot/${at}/${'x/'.repeat(20)}index.ts`);
    const many = createPathIndex(paths);
    for (const unit of [' ', '(', '`', '#', 'L', '/', '1', ':1', '[', ', ']) {
      expect(many.resolve(`src/x.ts${unit.repeat(100_000)}`).kind).toBe('none');
      expect(many.resolve(`${unit.repeat(100_000)}x.ts`).kind).toBe('none');
    }
    for (let at = 0; at < 2_000; at += 1)
      expect(many.resolve(`${at}/${'x/'.repeat(20)}INDEX.ts`)).toEqual({ kind: 'one', path: paths[at] });
  });
});
