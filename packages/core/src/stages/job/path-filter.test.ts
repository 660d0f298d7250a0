import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createPathFilter } from './path-filter.js';
import { skipPathPresets } from './skip-path-presets.js';

describe('createPathFilter', () => {
  it.each([
    ['unreal', '//game/main/Intermediate/Build/a.cpp', '//game/main/Source/Game/a.cpp'],
    ['unreal', '//game/main/Source/Game/Actor.generated.h', '//game/main/Source/Game/Actor.h'],
    ['unreal', '//game/main/Content/Hero.uasset', '//game/main/Game.uproject'],
    ['unity', '//game/main/Assets/Hero.cs.meta', '//game/main/Assets/Hero.cs'],
    ['unity', '//game/main/Assets/Scenes/Start.unity', '//game/main/Assets/Shaders/Water.shader'],
    ['node', '//web/main/package-lock.json', '//web/main/package.json'],
    ['node', '//web/main/node_modules/x/index.js', '//web/main/src/index.js'],
    ['node', '//web/main/public/site.min.js', '//web/main/public/site.js'],
    ['generated', '//lib/main/api/v1.pb.go', '//lib/main/api/v1.proto'],
    ['generated', '//lib/main/Form.Designer.cs', '//lib/main/Form.cs'],
    ['generated', '//lib/main/go.sum', '//lib/main/go.mod'],
  ])('%s skips %s and not %s', (preset, skipped, reviewed) => {
    const filter = createPathFilter([preset]);
    expect([filter.skips(skipped), filter.skips(reviewed)]).toEqual([true, false]);
    expect(createPathFilter([]).skips(skipped)).toBe(false);
  });

  it.each(Object.entries(skipPathPresets))('every pattern of %s matches a path that is stored', (preset, patterns) => {
    const filter = createPathFilter([preset]);
    for (const pattern of patterns) {
      const path = pattern
        .replace(/^\/\/\.\.\.\//, '//depot/dir/')
        .replace(/\.\.\.$/, 'file.txt')
        .replaceAll('*', 'name');
      expect(path).not.toContain('...');
      expect([pattern, filter.skips(path)]).toEqual([pattern, true]);
    }
  });

  it('every preset stands in the page on what is reviewed, as it is', () => {
    const page = new URL('../../../../../docs/how-to/choose-what-is-reviewed.md', import.meta.url);
    const rows = readFileSync(page, 'utf8').split('\n');
    for (const [preset, patterns] of Object.entries(skipPathPresets)) {
      const names = patterns.map((pattern) => `\`${pattern.replace('//.../', '')}\``);
      expect(rows).toContain(`| \`${preset}\` | ${names.join(', ')} |`);
    }
  });

  it('lets the last entry decide, a minus keeping paths in the review', () => {
    const filter = createPathFilter(['//depot/vendor/...', '-//depot/vendor/ours/...', '//depot/vendor/ours/*.csv']);
    expect(filter.skips('//depot/vendor/zlib/a.c')).toBe(true);
    expect(filter.skips('//depot/vendor/ours/a.c')).toBe(false);
    expect(filter.skips('//depot/vendor/ours/a.csv')).toBe(true);
    expect(filter.skips('//depot/src/a.csv')).toBe(false);
  });

  it('ignores case, as a server may', () => {
    expect(createPathFilter(['unity']).skips('//Game/Main/Assets/HERO.CS.META')).toBe(true);
    expect(createPathFilter(['//depot/Data/...']).skips('//DEPOT/data/a.csv')).toBe(true);
  });

  it.each([['unreal4'], ['depot/a'], ['-unity'], ['//depot/a/'], ['-//depot//a']])(
    'names the setting where %s is no preset and no pattern',
    (entry) => {
      expect(() => createPathFilter([entry])).toThrow(/settings\.intake\.skipPaths: /);
      expect(() => createPathFilter([entry])).toThrow(TypeError);
    },
  );
});
