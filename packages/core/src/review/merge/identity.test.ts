import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Hunk } from '../../changes/change.js';
import type { Finding } from '../review-result.js';
import { newSideOf, resolveAnchor } from './anchors.js';
import { identifyFindings } from './identity.js';

function hunkAt(newStart: number, lines: readonly string[]): Hunk {
  return {
    oldStart: newStart,
    oldLines: 0,
    newStart,
    newLines: lines.filter((line) => !line.startsWith('-')).length,
    lines,
  };
}

const LINES = [
  ' int f(int a) {',
  '-  return a;',
  '+  int b = a;',
  '+  check(b);',
  '+  int c = b;',
  '+  check(b);',
  '+  return c;',
  ' }',
];
const SIDE = newSideOf([hunkAt(10, LINES)]);

function identified(findings: readonly Partial<Finding>[], side = SIDE): ReturnType<typeof identifyFindings> {
  const base: Finding = {
    id: 'm',
    severity: 'high',
    category: 'correctness',
    title: 'T',
    file: '//d/a.c',
    line: 12,
    message: 'M',
  };
  return identifyFindings(
    findings.map((change) => {
      const finding = { ...base, ...change };
      return { finding, side, anchor: resolveAnchor({ line: finding.line }, side) };
    }),
  );
}

function idsOf(findings: readonly Partial<Finding>[], side = SIDE): readonly string[] {
  return identified(findings, side).map(({ id }) => id);
}

describe('anchors', () => {
  it('places part of a line near the cited one, and nothing by a part far away', () => {
    const far = newSideOf([hunkAt(1, ['+x = start(1);', ...Array.from({ length: 400 }, (_, at) => `+y${at}();`)])]);
    expect(resolveAnchor({ line: 4, quote: 'start(1)' }, far)).toEqual({ kind: 'moved', line: 1 });
    expect(resolveAnchor({ line: 390, quote: 'start(1)' }, far)).toEqual({ kind: 'unverified', line: null });
    expect(resolveAnchor({ line: 390, quote: 'x = start(1);' }, far)).toEqual({ kind: 'moved', line: 1 });
  });

  it('numbers the new side only', () => {
    expect([...SIDE.lines.keys()]).toEqual([10, 11, 12, 13, 14, 15, 16]);
    expect(SIDE.lines.get(11)).toBe('int b = a;');
  });

  it('R7: exact, moved, file, unverified', () => {
    expect(resolveAnchor({ line: 11 }, SIDE)).toEqual({ kind: 'exact', line: 11 });
    expect(resolveAnchor({ line: 11, quote: 'int  b = a;' }, SIDE)).toEqual({ kind: 'exact', line: 11 });
    expect(resolveAnchor({ line: 12, quote: '  return c;' }, SIDE)).toEqual({ kind: 'moved', line: 15 });
    expect(resolveAnchor({ line: 500, quote: 'return c;\n}' }, SIDE)).toEqual({ kind: 'moved', line: 15 });
    expect(resolveAnchor({ line: 99 }, SIDE)).toEqual({ kind: 'unverified', line: null });
    expect(resolveAnchor({ line: 11, quote: 'check(b);' }, SIDE)).toEqual({ kind: 'moved', line: 12 });
    expect(resolveAnchor({ line: 13, quote: 'check(b);' }, SIDE)).toEqual({ kind: 'file', line: null });
    expect(resolveAnchor({ line: 11, quote: 'return a;' }, SIDE)).toEqual({ kind: 'unverified', line: null });
    expect(resolveAnchor({ line: 16, quote: '}' }, SIDE)).toEqual({ kind: 'exact', line: 16 });
    expect(resolveAnchor({ line: 1, quote: 'x' }, newSideOf([]))).toEqual({ kind: 'unverified', line: null });
  });

  it('a verbatim quote finds its line through noise in the number, in at least 99 of 100', () => {
    let right = 0;
    const total = 400;
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.stringMatching(/^[a-z]{4,10} = [a-z]{4,10};$/), { minLength: 10, maxLength: 30 }),
        fc.nat(),
        fc.integer({ min: -8, max: 8 }),
        (texts, pick, noise) => {
          const side = newSideOf([
            hunkAt(
              1,
              texts.map((text) => `+  ${text}`),
            ),
          ]);
          const line = (pick % texts.length) + 1;
          const anchor = resolveAnchor({ line: Math.max(1, line + noise), quote: texts[line - 1] }, side);
          if (anchor.line === line) right += 1;
        },
      ),
      { numRuns: total },
    );
    expect(right / total).toBeGreaterThanOrEqual(0.99);
  });
});

describe('identity', () => {
  it('unchanged by severity, confidence, words and a line shift', () => {
    const [id] = idsOf([{}]);
    expect(idsOf([{ severity: 'low', confidence: 'low', title: 'Else', message: 'Other words', id: 'z' }])).toEqual([
      id,
    ]);
    expect(idsOf([{ line: 112 }], newSideOf([hunkAt(110, LINES)]))).toEqual([id]);
    const grown = newSideOf([hunkAt(1, ['+added();']), hunkAt(11, LINES)]);
    expect(idsOf([{ line: 13 }], grown)).toEqual([id]);
  });

  it('differs by place, file, rule, and between findings on one line', () => {
    const places = [
      {},
      { line: 14 },
      { file: '//d/b.c' },
      { category: 'style' as const },
      { rule_id: 'R1' },
      {},
      { line: 400 },
      { line: 401 },
    ];
    expect(new Set(idsOf(places)).size).toBe(places.length);
  });

  it('says what a finding is about, the same under another category, rule, file and line number', () => {
    const [first] = identified([{}]);
    const again = identified(
      [
        { category: 'style', file: '//d/renamed.c', line: 112 },
        { rule_id: 'R1', line: 112 },
      ],
      newSideOf([hunkAt(110, LINES)]),
    );
    expect(again.map(({ identity }) => identity)).toEqual([first?.identity, first?.identity]);
    expect(identified([{ line: 400 }])[0]?.identity).toEqual({
      line: null,
      neighbours: null,
      section: null,
      occurrence: 0,
      before: null,
      after: null,
      alike: 0,
      places: 0,
    });
  });

  it('keeps line, neighbours and section apart: a change of one leaves the others', () => {
    const sideOf = (lines: readonly string[], section?: string) => newSideOf([{ ...hunkAt(1, [...lines]), section }]);
    const at = (side: ReturnType<typeof newSideOf>) => identified([{ line: 2 }], side)[0]?.identity;
    const base = at(sideOf(['+a();', '+b();', '+c();'], 'void f()'));
    expect(at(sideOf(['+a();', '+  b();', '+c();'], 'void  f()'))).toEqual(base); // white space is nothing
    const other = expect.not.stringMatching(new RegExp(`^(${Object.values(base ?? {}).join('|')})$`));
    expect(at(sideOf(['+a();', '+b2();', '+c();'], 'void f()'))).toEqual({ ...base, line: other });
    expect(at(sideOf(['+a();', '+b();', '+c2();'], 'void f()'))).toEqual({ ...base, neighbours: other, after: other });
    expect(at(sideOf(['+a();', '+b();', '+c();'], 'void g()'))).toEqual({ ...base, section: other });
    expect(at(sideOf(['+a();', '+b();', '+c();']))).toEqual({ ...base, section: null });
    const twin = sideOf(['+a();', '+b();', '+c();', '+a();', '+b();', '+c();'], 'void f()');
    expect(identified([{ line: 5 }], twin)[0]?.identity).toMatchObject({ line: base?.line, occurrence: 1 });
  });

  it('tells equal places of one file apart, each stable by itself', () => {
    const twin = newSideOf([hunkAt(1, ['+a();', '+b();', '+c();', '+a();', '+b();', '+c();', '+x();'])]);
    const [first, second] = idsOf([{ line: 2 }, { line: 5 }], twin);
    expect(first).not.toBe(second);
    expect(idsOf([{ line: 5 }], twin)).toEqual([second]);
  });
});
