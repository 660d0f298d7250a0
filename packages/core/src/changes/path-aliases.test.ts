import { createRedactor } from '@criticizer/redact';
import { opaqueToken, vendorToken } from '@criticizer/redact/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalisePath } from '../review/merge/reconcile.js';
import { createPathNames } from './path-aliases.js';

const redactor = createRedactor({ fingerprintKey: Buffer.alloc(32, 1) });

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('src', 'Src', 'main', 'db', 'a.c', 'A.C', 'key.pem', 'prod.env', '.npmrc') },
  { weight: 3, arbitrary: vendorToken().map(({ text }) => text) },
  { weight: 1, arbitrary: opaqueToken().map(({ text }) => `api_key=${text}.ini`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '@alias-1',
      '%40alias-2.c',
      '@ALIAS-3',
      'x@alias-1',
      'two\nlines',
      'bi\u202Edi.c',
      '[REDACTED:a:1]',
      ' b ',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }).map((text) => text.replaceAll('/', '-')),
  },
);
const depotPath = fc.array(step, { minLength: 1, maxLength: 5 }).map((steps) => `//depot/${steps.join('/')}`);
const files = fc.uniqueArray(fc.record({ path: depotPath, oldPath: fc.option(depotPath) }), {
  minLength: 1,
  maxLength: 6,
  selector: ({ path }) => path,
});

/** Each path of the change, each once, with its name. */
function namesOf(given: readonly { path: string; oldPath: string | null }[]) {
  const session = redactor.session();
  const nameOf = createPathNames(given, session);
  const paths = new Set(given.flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [path, oldPath])));
  return [...paths].map((path) => ({ path, ...nameOf(path, session.redact(path).text) }));
}

const folded = (path: string): string => normalisePath(path).toLowerCase();

describe('aliases of paths', () => {
  it('R15: whatever the paths, each has a name of its own, in any case and spelling, and an alias is no path that can be', () => {
    fc.assert(
      fc.property(files, (given) => {
        const names = namesOf(given);
        expect(new Set(names.map(({ name }) => name)).size).toBe(names.length);
        const shown = new Set(names.filter(({ displayPath }) => displayPath === null).map(({ name }) => folded(name)));
        const aliases = names.filter(({ displayPath }) => displayPath !== null).map(({ name }) => name);
        expect(new Set(aliases.map(folded)).size).toBe(aliases.length);
        for (const alias of aliases) {
          expect(shown.has(folded(alias))).toBe(false);
          expect(alias).toContain('/@alias-'); // Perforce stores an @ as %40
        }
      }),
    );
  });

  it('R15: an alias says nothing that the redacted path does not, and redaction leaves it as it is', () => {
    fc.assert(
      fc.property(files, (given) => {
        for (const { path, name, displayPath } of namesOf(given)) {
          expect(redactor.session().redact(name).text).toBe(name);
          if (displayPath === null) {
            expect(name).toBe(path);
            continue;
          }
          const left = displayPath.split('/');
          for (const one of name.split('/')) {
            const [, ending] = /^@alias-\d+(.*)$/.exec(one) ?? [];
            expect(ending === undefined ? left.includes(one) : displayPath.endsWith(ending)).toBe(true);
          }
        }
      }),
    );
  });

  it('R15: the same change gives the same names', () => {
    fc.assert(
      fc.property(files, (given) => {
        expect(namesOf(given)).toEqual(namesOf(given));
      }),
    );
  });

  it('R15: depth, harmless steps and a harmless extension stay; a secret over several steps leaves the extension alone', () => {
    const session = redactor.session();
    const nameOf = createPathNames([{ path: '//d/a/b/secret.env', oldPath: '//d/x.c' }], session);
    expect(nameOf('//d/a/b/secret.env', '//d/[X]/b/secret.env').name).toBe('//d/@alias-1/b/secret.env');
    expect(nameOf('//d/a/b/secret.env', '//d/a/b/[X].env').name).toBe('//d/a/b/@alias-1.env');
    expect(nameOf('//d/a/b/secret.env', '//d/a/b/[X]').name).toBe('//d/a/b/@alias-1');
    expect(nameOf('//d/a/b/secret.env', '//d/[X]/secret.env').name).toBe('//@alias-1.env');
    expect(nameOf('//d/x.c', '//d/[X].c').name).toBe('//d/@alias-2.c');
    expect(nameOf(`//d/${'x'.repeat(1_000)}.c`, `//d/${'x'.repeat(1_000)}.c`).name).toBe('//@alias-0.c');
  });
});
