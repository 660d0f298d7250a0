import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATEGORIES } from '../review-result.js';
import type { ComparableFinding } from './comparable-finding.js';
import { matchFindings } from './match-findings.js';

const NULL_DEREFERENCE = {
  category: 'correctness',
  title: 'Null dereference of session',
  message: 'findSession() may give null and session.user is read without a check.',
} as const;

/** A finding whose digests are named by single letters. */
function finding(about: Partial<ComparableFinding>, digests = 'abc', line = 10): ComparableFinding {
  const [before, own, after] = [...digests].map((letter) => letter.repeat(16));
  const identity = { line: own ?? null, neighbours: `${before}${after}`, section: null, occurrence: 0, alike: 1 };
  return {
    id: 'one',
    file: '//depot/a.ts',
    ...NULL_DEREFERENCE,
    identity: { ...identity, before, after },
    place: { line },
    ...about,
  };
}

const gradeOf = (earlier: ComparableFinding, present: ComparableFinding, renames?: ReadonlyMap<string, string>) =>
  matchFindings([earlier], [present], { renames })[0]?.grade ?? null;

const comparable: fc.Arbitrary<ComparableFinding> = fc
  .record({
    file: fc.constantFrom('//depot/a.ts', '//depot/b.ts'),
    digests: fc.stringMatching(/^[abc]{3}$/),
    line: fc.integer({ min: 1, max: 40 }),
    category: fc.constantFrom(...CATEGORIES),
    title: fc.constantFrom('Null dereference', 'Leaked file handle', 'Missing await', 'Off by one in loop'),
    message: fc.lorem({ maxCount: 6 }),
  })
  .map(({ digests, line, ...about }) => finding(about, digests, line));

describe('matchFindings', () => {
  it('GRD-6: grades by place first, then by words', () => {
    const reworded = { title: 'Login may crash', message: 'It is taken from a session that was not found.' };
    expect(gradeOf(finding({}), finding({}, 'abc', 90))).toBe('same');
    expect(gradeOf(finding({}), finding({ category: 'reliability' }, 'xby'))).toBe('moved');
    expect(gradeOf(finding({}), finding({ ...reworded, category: 'reliability' }))).toBe('reworded');
    expect(gradeOf(finding({}), finding({ category: 'style', title: 'Typo', message: 'Misspelt name of it.' }))).toBe(
      'uncertain',
    );
    expect(gradeOf(finding({}), finding({}, 'xyz', 900))).toBe('uncertain');
    expect(gradeOf(finding({}), finding({ title: 'Else', message: 'Quite another thing.' }, 'xyz', 11))).toBe(null);
  });

  it('GRD-6: follows a file to its new path, and no other file', () => {
    const moved = finding({ file: '//depot/b.ts' }, 'xyz', 12);
    expect(gradeOf(finding({}), moved, new Map([['//depot/a.ts', '//depot/b.ts']]))).toBe('same');
    expect(gradeOf(finding({}), moved)).toBe(null);
  });

  it('GRD-6: any list matches itself whole, in any order, each finding once', () => {
    fc.assert(
      fc.property(fc.array(comparable, { maxLength: 30 }), fc.array(comparable, { maxLength: 30 }), (one, other) => {
        const own = matchFindings(one, [...one].reverse());
        expect(own.map(({ earlier }) => earlier)).toEqual([...one.keys()]);
        for (const { earlier, present, grade } of own) {
          const [a, b] = [one[earlier], one[one.length - 1 - present]];
          expect([b?.title, b?.identity.line, grade]).toEqual([a?.title, a?.identity.line, 'same']);
        }
        const matches = matchFindings(one, other);
        expect(new Set(matches.map(({ earlier }) => earlier)).size).toBe(matches.length);
        expect(new Set(matches.map(({ present }) => present)).size).toBe(matches.length);
      }),
      { numRuns: 60 },
    );
  });
});
