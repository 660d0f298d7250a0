import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDepotPattern, isCanonicalDepotPath } from './depot-pattern.js';
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

  it('stays fast on a hostile path', () => {
    const test = compileDepotPattern(`//d/${'...a'.repeat(20)}...b`, true);
    expect(test(`//d/${'a'.repeat(2_000)}`)).toBe(false);
  });

  it('refuses what is no depot pattern', () => {
    for (const pattern of ['', 'depot/...', '/depot/...', '//', '///a'])
      expect(() => compileDepotPattern(pattern, true), pattern).toThrow(TypeError);
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
    for (const path of ['//depot/../secret/a', '//depot//a', 'a', '//depot/a\n']) expect(open.permits('cloud', path), path).toBe(false);
  });

  it('EGR-2: where the case handling is not known, both readings must permit', () => {
    const rules = [{ paths: ['//depot/Secret/...'], providers: ['house'] }];
    const unknown = createProviderPolicy({ rules, otherwise: ['cloud'] });
    expect(unknown.permitted(['cloud', 'house'], ['//depot/secret/a'])).toEqual([]);
    expect(unknown.permitted(['cloud', 'house'], ['//depot/Secret/a'])).toEqual(['house']);
    expect(createProviderPolicy({ rules, otherwise: ['cloud'], caseSensitive: true }).permits('cloud', '//depot/secret/a')).toBe(true);
    expect(createProviderPolicy({ rules, otherwise: ['cloud'], caseSensitive: false }).permits('cloud', '//depot/secret/a')).toBe(false);
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
