import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listOwners, matchesGlob, parseOwnersFile } from './owners-file.js';

describe('files of owners', () => {
  it('INT-3: reads addresses, per-file lines and noparent, and counts what it cannot read', () => {
    const file = parseOwnersFile(
      [
        '# The renderer',
        'ada@example.test   # lead',
        '',
        'per-file *.sql, schema.* = dba@example.test,eve@example.test',
        'set noparent',
        ...['*', 'file://other/OWNERS', 'bob', 'per-file *.md=nobody', 'per-file = x@example.test'],
      ].join('\r\n'),
    );
    expect(file).toMatchObject({ everyFile: ['ada@example.test'], isTop: true, unread: 5 });
    expect(listOwners(file, 'a.ts')).toEqual(['ada@example.test']);
    expect(listOwners(file, 'a.sql')).toEqual(['ada@example.test', 'dba@example.test', 'eve@example.test']);
  });

  it('INT-3: any text is a file of owners, whose lines hold no white space', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const { everyFile, perFile } = parseOwnersFile(text);
        for (const owner of [...everyFile, ...perFile.flatMap(({ owners }) => owners)])
          expect(owner).toMatch(/^[^\s@]+@[^\s@]+$/);
      }),
      { numRuns: 100 },
    );
  });

  it('INT-3: a glob matches as its regular expression does', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), maxLength: 8 });
    fc.assert(
      fc.property(text, fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 }), (glob, name) => {
        const source = glob.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
        expect(matchesGlob(glob, name)).toBe(new RegExp(`^${source}$`).test(name));
      }),
      { numRuns: 100 },
    );
  });
});
