import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDepotPattern } from './depot-pattern.js';
import { mayReach } from './policy-reach.js';
import { createProviderPolicy, type ProviderRule } from './provider-policy.js';

const rule = (paths: string | readonly string[], ...providers: string[]): ProviderRule => ({
  paths: [paths].flat(),
  providers,
});

/** Every canonical path of two or three steps over a small alphabet. */
const names = ['a', 'A', 'b', 'ab'];
const paths = names.flatMap((one) =>
  names.flatMap((two) => [`//${one}/${two}`, ...names.map((three) => `//${one}/${two}/${three}`)]),
);

const step = fc.constantFrom('a', 'A', 'b', 'a*', '*', '*b');
const pattern = fc
  .tuple(step, fc.array(step, { maxLength: 2 }), fc.constantFrom('', '/...', '...b'))
  .map(([first, more, end]) => `//${[first, ...more].join('/')}${end}`);

describe('mayReach', () => {
  it.each<[boolean, string, readonly ProviderRule[]]>([
    [true, '//depot/a/...', [rule('//depot/...', 'p')]],
    [true, '//depot/...', [rule('//...'), rule('//depot/a/*.c', 'p')]],
    [true, '//DEPOT/a.c', [rule('//depot/...', 'p')]],
    [true, '//depot/a/...', [rule('//depot/...', 'p'), rule('//depot/a/secret/...')]],
    [false, '//depot/a/...', [rule('//depot/b/...', 'p')]],
    [false, '//depot/a/...', [rule('//depot/...', 'p'), rule('//depot/a')]],
    [false, '//depot/a/*.c', [rule('//depot/...', 'p'), rule('//.../*.c', 'q')]],
    [false, '//depot/...', [rule('//...', 'p'), rule(['//*/*', '//*/*/...'])]],
    [false, '//depot/...', []],
  ])('EGR-2: %s for %s', (expected, path, rules) => {
    expect(mayReach(rules, 'p', [path])).toBe(expected);
  });

  it('EGR-2: never denies a provider that the policy lets see a matching path', () => {
    const rules = fc.array(
      fc.record({ paths: fc.array(pattern, { minLength: 1, maxLength: 2 }), providers: fc.subarray(['p', 'q']) }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(rules, pattern, (given, path) => {
        const policy = createProviderPolicy({ rules: given });
        const matches = compileDepotPattern(path, false);
        fc.pre(paths.some((one) => matches(one) && policy.permits('p', one)));
        expect(mayReach(given, 'p', [path])).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});
