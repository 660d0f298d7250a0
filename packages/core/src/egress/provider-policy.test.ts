import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDepotPattern, compileDepotRules, isCanonicalDepotPath } from './depot-pattern.js';
import { createProviderPolicy } from './provider-policy.js';

describe('compileDepotPattern', () => {
  it.each([
    ['//depot/...', '//depot/a/b.c', true],
    ['//depot/...', '//depots/a', false],
    ['//depot/*.c', '//depot/a.c', true],
    ['//depot/*.c', '//depot/a/b.c', false],
    ['//depot/.../*.c', '//depot/a/b/c.c', true],
    ['//depot/...c', '//depot/a/b.c', true],
    ['//depot/*', '//depot/a', true],
    ['//depot/a', '//depot/a', true],
    ['//depot/a', '//depot/ab', false],
    ['//*/main/...', '//depot/main/x', true],
    ['//depot/(a)+[b]$', '//depot/(a)+[b]$', true],
    ['//depot/*.😀', '//depot/ü😀.😀', true],
  ])('%s on %s: %s', (pattern, path, expected) => {
    expect(compileDepotPattern(pattern, true)(path)).toBe(expected);
  });

  it('folds case only where asked', () => {
    expect(compileDepotPattern('//Depot/...', false)('//dEPOT/a')).toBe(true);
    expect(compileDepotPattern('//Depot/...', true)('//dEPOT/a')).toBe(false);
  });

  it('EGR-2: a folder written without a wildcard binds what lies below it', () => {
    const denies = compileDepotPattern('//depot/secret', true);
    expect(['//depot/secret', '//depot/secret/a.c', '//depot/secret/b/c.h'].every(denies)).toBe(true);
    expect(['//depot/secrets/a.c', '//depot/open/secret', '//depot/a'].some(denies)).toBe(false);
  });

  it('a literal pattern matches itself alone', () => {
    const name = fc.stringMatching(/^[a-z.]{1,8}$/).filter((text) => !text.includes('...'));
    fc.assert(
      fc.property(name, name, (one, other) => {
        expect(compileDepotPattern(`//depot/${one}`, true)(`//depot/${other}`)).toBe(one === other);
      }),
    );
  });

  it('refuses what is no depot pattern', () => {
    for (const pattern of ['', 'depot/...', '/depot/...', '//', '///a'])
      expect(() => compileDepotPattern(pattern, true), pattern).toThrow(TypeError);
  });
});

/** Whether a pattern matches, straight from what its wildcards mean. */
function matchesByDefinition(pattern: string, path: string): boolean {
  const forms = /\.\.\.|\*/.test(pattern) ? [pattern] : [pattern, `${pattern}/...`];
  const matches = (rest: string, left: string): boolean => {
    if (rest === '') return left === '';
    if (rest.startsWith('...')) return matches(rest.slice(3), left) || (left !== '' && matches(rest, left.slice(1)));
    if (rest.startsWith('*'))
      return matches(rest.slice(1), left) || (left !== '' && left[0] !== '/' && matches(rest, left.slice(1)));
    return rest[0] === left[0] && matches(rest.slice(1), left.slice(1));
  };
  return forms.some((form) => matches(form, path));
}

describe('compileDepotRules', () => {
  const piece = fc.constantFrom('a', 'b', '/', '*', '...', '.', 'ab', '/a');
  const pattern = fc
    .array(piece, { maxLength: 7 })
    .map((pieces) => `//d/${pieces.join('')}`)
    .filter((text) => !text.endsWith('/') && !text.slice(2).includes('//'));
  const path = fc
    .array(fc.constantFrom('a', 'b', 'c', '/', '.', 'ab'), { maxLength: 10 })
    .map((steps) => `//d/${steps.join('')}`);
  const rules = fc.array(fc.record({ paths: fc.array(pattern, { maxLength: 3 }) }), { maxLength: 6 });

  it('EGR-2: decides as the meaning of the patterns does, the last rule first', () => {
    fc.assert(
      fc.property(rules, fc.array(path, { maxLength: 8 }), (given, paths) => {
        const matcher = compileDepotRules(given, true);
        for (const one of paths) {
          const expected = given.findLastIndex((rule) => rule.paths.some((text) => matchesByDefinition(text, one)));
          expect(matcher.lastMatch(one)).toBe(expected);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('EGR-2: reads each path once, however many rules there are', () => {
    const given = Array.from({ length: 1_000 }, (_, at) => ({
      paths: [[`//depot/area${at}/...`], [`//depot/.../part${at}/*.c`], [`//depot/...secret${at}...key`]][at % 3] ?? [],
    }));
    const paths = Array.from(
      { length: 2_000 },
      (_, at) => `//depot/area${at % 1_500}/part${at}/secret${at}/file${at}.key`,
    );
    const matcher = compileDepotRules(given, true);
    const decided = paths.map(matcher.lastMatch);
    expect(decided.slice(0, 3)).toEqual([0, -1, 2]);
    // Pattern by pattern it would be 1,000 looks at each path at least; here it is a few nodes a character.
    expect(matcher.steps()).toBeLessThanOrEqual(8 * paths.join('').length);
  });

  it('EGR-2: hostile patterns and paths cost no more than a few steps for each character and pattern position', () => {
    for (const [hostile, text] of [
      [`//d/${'...a'.repeat(200)}...b`, `//d/${'a'.repeat(4_000)}`],
      [`//d/${'*a'.repeat(200)}*b`, `//d/${'a'.repeat(4_000)}`],
      [`//d/${'...*'.repeat(200)}b`, `//d/${'a/'.repeat(2_000)}`],
    ] as const) {
      const matcher = compileDepotRules([{ paths: [hostile] }], true);
      expect(matcher.lastMatch(text)).toBe(-1);
      expect(matcher.steps()).toBeLessThanOrEqual(3 * hostile.length * text.length);
    }
  });
});

describe('isCanonicalDepotPath', () => {
  it.each([
    ['//depot/a', true],
    ['//depot/a b/ü#1', true],
    ['//depot', false],
    ['/depot/a', false],
    ['//depot//a', false],
    ['//depot/../a', false],
    ['//depot/./a', false],
    ['//depot/a/', false],
    ['//depot/a\nb', false],
    ['', false],
  ])('%j: %s', (path, expected) => {
    expect(isCanonicalDepotPath(path)).toBe(expected);
  });
});

describe('createProviderPolicy', () => {
  const policy = createProviderPolicy({
    rules: [
      { paths: ['//depot/...'], providers: ['cloud', 'house'] },
      { paths: ['//depot/secret/...', '//depot/.../*.key'], providers: ['house'] },
      { paths: ['//depot/secret/never/...'], providers: [] },
    ],
    caseSensitive: true,
  });

  it('EGR-2: the last rule that matches decides; no rule means nobody', () => {
    expect(policy.permitted(['cloud', 'house'], ['//depot/a.c'])).toEqual(['cloud', 'house']);
    expect(policy.permitted(['cloud', 'house'], ['//depot/secret/a.c'])).toEqual(['house']);
    expect(policy.permitted(['cloud', 'house'], ['//depot/a/b.key'])).toEqual(['house']);
    expect(policy.permitted(['cloud', 'house'], ['//depot/secret/never/a'])).toEqual([]);
    expect(policy.permitted(['cloud', 'house'], ['//other/a'])).toEqual([]);
  });

  it('EGR-2: one guarded file guards the whole request', () => {
    expect(policy.permitted(['cloud', 'house'], ['//depot/a.c', '//depot/secret/b.c'])).toEqual(['house']);
    expect(policy.permitted(['cloud', 'house'], ['//depot/secret/b.c', '//depot/secret/never/a'])).toEqual([]);
  });

  it('EGR-2: a path that is not canonical nobody may see', () => {
    const open = createProviderPolicy({ otherwise: ['cloud'] });
    expect(open.permitted(['cloud'], ['//depot/a'])).toEqual(['cloud']);
    for (const path of ['//depot/../secret/a', '//depot//a', 'a', '//depot/a\n'])
      expect(open.permits('cloud', path), path).toBe(false);
  });

  it('EGR-2: where the case handling is not known, both readings must permit', () => {
    const rules = [{ paths: ['//depot/Secret/...'], providers: ['house'] }];
    const unknown = createProviderPolicy({ rules, otherwise: ['cloud'] });
    expect(unknown.permitted(['cloud', 'house'], ['//depot/secret/a'])).toEqual([]);
    expect(unknown.permitted(['cloud', 'house'], ['//depot/Secret/a'])).toEqual(['house']);
    expect(
      createProviderPolicy({ rules, otherwise: ['cloud'], caseSensitive: true }).permits('cloud', '//depot/secret/a'),
    ).toBe(true);
    expect(
      createProviderPolicy({ rules, otherwise: ['cloud'], caseSensitive: false }).permits('cloud', '//depot/secret/a'),
    ).toBe(false);
  });

  it('a request about no file falls under otherwise', () => {
    expect(policy.permitted(['cloud'], [])).toEqual([]);
    expect(createProviderPolicy({ otherwise: ['cloud'] }).permitted(['cloud', 'house'], [])).toEqual(['cloud']);
  });

  it('its hash follows its rules', () => {
    const hash = (providers: string[]) => createProviderPolicy({ rules: [{ paths: ['//a/...'], providers }] }).hash;
    expect(hash(['x'])).toBe(hash(['x']));
    expect(hash(['x'])).not.toBe(hash(['y']));
    expect(() => createProviderPolicy({ rules: [{ paths: [], providers: ['x'] }] })).toThrow(TypeError);
  });
});
