import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupFiles } from './group-files.js';

describe('groupFiles', () => {
  it.each([
    ['one stem in one folder', ['//d/cart.ts', '//d/cart.css', '//d/order.ts'], [0, 0, 2]],
    ['header and implementation in one folder', ['//d/Player.h', '//d/Enemy.h', '//d/Player.cpp'], [0, 1, 0]],
    ['header and implementation in sibling folders', ['//d/m/Public/A.h', '//d/m/Private/A.cpp', '//d/b.c'], [0, 0, 2]],
    ['test and source', ['//d/cart.ts', '//d/cart.test.ts', '//d/cart_test.go', '//d/order.ts'], [0, 0, 0, 3]],
    ['test and source in trees of their own', ['//d/src/main/Cart.java', '//d/src/test/CartTest.java'], [0, 0]],
    ['a test by its beginning', ['//d/cart.py', '//d/tests/test_cart.py'], [0, 0]],
    [
      'locales by file',
      ['//d/messages.properties', '//d/messages_de.properties', '//d/other_de.properties'],
      [0, 0, 2],
    ],
    ['locales by folder', ['//d/i18n/en/shop.json', '//d/i18n/pt-BR/shop.json', '//d/i18n/en/cart.json'], [0, 0, 2]],
    ['locales by name', ['//d/i18n/en.json', '//d/i18n/fr.json', '//d/ui/config.json'], [0, 0, 2]],
    ['the nearer of two namesakes', ['//d/a/Cart.cs', '//d/b/Cart.cs', '//d/b/test/CartTests.cs'], [0, 1, 1]],
    ['neither of two equally near', ['//d/a/Cart.cs', '//d/b/Cart.cs', '//d/c/CartTests.cs'], [0, 1, 2]],
    ['no names that say nothing', ['//d/a/index.ts', '//d/b/index.test.ts'], [0, 1]],
    ['no two sources of one name in two folders', ['//d/a/Cart.cs', '//d/b/Cart.cs'], [0, 1]],
  ])('GRD-3: puts together %s', (_name, paths, groups) => {
    expect(groupFiles(paths)).toEqual(groups);
  });

  it('GRD-3: names each group by its first member, and the same groups in any order', () => {
    const steps = ['//d/src/a', '//d/test/a', '//d/b', '//d/en/b', '//d/fr/b'];
    const endings = ['.h', '.cpp', '.test.ts', '.ts', '_de.json', '.json', ''];
    const path = fc.tuple(fc.constantFrom(...steps), fc.constantFrom(...endings)).map((parts) => parts.join(''));
    const anyPaths = fc.uniqueArray(fc.oneof(path, fc.string({ maxLength: 8 })), { maxLength: 14 });
    fc.assert(
      fc.property(anyPaths, (paths) => {
        const groups = groupFiles(paths);
        groups.forEach((leader, at) => {
          expect(leader).toBeLessThanOrEqual(at);
          expect(groups[leader]).toBe(leader);
        });
        const reversed = groupFiles([...paths].reverse());
        const last = paths.length - 1;
        for (const [a, one] of groups.entries())
          for (const [b, other] of groups.entries())
            expect(reversed[last - a] === reversed[last - b]).toBe(one === other);
      }),
      { numRuns: 60 },
    );
  });
});
