import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAllowList } from './allow-list.js';
import { findReadableScopes, isWhollyReadable } from './readable-scopes.js';

const step = fc.constantFrom('a', 'b', 'ab', 'B');
const steps = (min: number) => fc.array(step, { minLength: min, maxLength: 4 }).map((all) => `//${all.join('/')}`);
const folder = steps(1).map((path) => `${path}/...`);
const rule = fc.oneof(folder, steps(2));
const list = fc.record({
  allow: fc.array(rule, { minLength: 1, maxLength: 3 }),
  deny: fc.array(rule, { maxLength: 3 }),
  caseHandling: fc.constantFrom('sensitive' as const, 'insensitive' as const),
});
const holds = (scope: string, path: string): boolean =>
  scope.endsWith('/...') ? path.startsWith(scope.slice(0, -3)) : scope === path;

describe('readable scopes', () => {
  it('GRD-4: a scope that counts as readable whole holds no file that may not be read', () => {
    fc.assert(
      fc.property(list, folder, steps(2), (options, scope, path) => {
        const allowList = createAllowList(options);
        const isHeld = isWhollyReadable(scope, allowList) && holds(scope, path);
        expect(!isHeld || allowList.check(path).allowed).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('GRD-4: the scopes of a root hold each file of it that may be read, once, on a server that compares case', () => {
    fc.assert(
      fc.property(list, folder, steps(2), (options, root, path) => {
        const allowList = createAllowList({ ...options, caseHandling: 'sensitive' });
        const scopes = findReadableScopes(root, allowList).filter((scope) => holds(scope, path));
        if (holds(root, path) && allowList.check(path).allowed) expect(scopes.length).toBe(1);
        expect(findReadableScopes(root, allowList).every((scope) => holds(root, scope) || scope === root)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
