import { describe, expect, it } from 'vitest';
import { pathKindOf } from './path-kind.js';

describe('path kinds', () => {
  it('RED-8: names of files and depot paths tell how unquoted values read', () => {
    const kinds = {
      '//depot/main/.env#3': 'config',
      'a/b/package-lock.json': 'lock',
      'C:\\ws\\App.cs': 'source',
      'x.min.js': 'opaque',
      'README.md': 'unknown',
      '//depot/go.sum@77': 'lock',
      Dockerfile: 'config',
    };
    for (const [path, kind] of Object.entries(kinds)) expect(pathKindOf(path)).toBe(kind);
    expect(pathKindOf(undefined)).toBe('unknown');
  });
});
