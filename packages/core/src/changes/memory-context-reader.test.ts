import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeContextReaderContract } from '../testing/ports/llm/context-reader-contract.js';
import { contextSample } from '../testing/support/context-sample.js';
import { createContextRoots, isContextRoot } from './context-roots.js';
import { createMemoryContextReader } from './memory-context-reader.js';
import { createWordMatcher, isSearchWord } from './search-words.js';

const { files, ...sample } = contextSample;

describeContextReaderContract(
  { describe, it },
  {
    create: async () => ({
      ...sample,
      reader: createMemoryContextReader({ serverId: 'main', files, isDenied: (path) => path === sample.denied }),
      dispose: async () => undefined,
    }),
  },
);

describe('search words', () => {
  it('GRD-4: match whole words alone, next to any other character', () => {
    const matches = createWordMatcher(['Tick', 'app.ini']);
    expect(['Tick', 'a.Tick()', '~Tick;', 'load("app.ini")', 'TickTick Tick', '"$Tick"'].every(matches)).toBe(true);
    expect(['TickRate', '_Tick', 'Tick2', 'Tick$', 'éTick', 'Tické', 'tick', 'app_ini'].some(matches)).toBe(false);
  });
  it('GRD-4: are no patterns', () => {
    expect(['Tick', 'größe', '$el', 'max-depth', 'ui.scale'].every(isSearchWord)).toBe(true);
    expect(['', '-e', '.x', 'a b', 'a*', 'a\n', 'x'.repeat(129)].some(isSearchWord)).toBe(false);
  });
});

describe('context roots', () => {
  it('GRD-4: hold what lies below a folder, by whole steps', () => {
    const step = fc.constantFrom('a', 'ab', 'b', 'a.b', 'A');
    const path = fc.array(step, { minLength: 2, maxLength: 5 }).map((steps) => `//${steps.join('/')}`);
    fc.assert(
      fc.property(path, path, (folder, file) => {
        const inside = file.split('/').slice(0, folder.split('/').length).join('/') === folder && file !== folder;
        expect(createContextRoots([`${folder}/...`]).holds(file)).toBe(inside);
        expect(createContextRoots([folder]).holds(file)).toBe(folder === file);
      }),
      { numRuns: 100 },
    );
  });
  it('GRD-4: are folders and files alone', () => {
    expect(['//depot/...', '//depot/a/b.c', '//depot/a b/...'].every(isContextRoot)).toBe(true);
    const wrong = [
      '//...',
      '//depot',
      '//depot/',
      '//depot/a/',
      '//depot//a',
      '//depot/./a',
      '//depot/a/..',
      '//d/%%1',
    ];
    expect(wrong.filter(isContextRoot)).toEqual([]);
  });
});
