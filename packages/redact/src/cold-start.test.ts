import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const IMPORT = /^(?:import|export)(?! type)[^;]*? from '([^']+)';/gm;

/** What a module and all that it imports load in Node, as ES modules and type imports aside. */
function loadedBy(url: URL, seen = new Set<string>()): Set<string> {
  if (seen.has(url.href)) return seen;
  seen.add(url.href);
  for (const [, from = ''] of readFileSync(url, 'utf8').matchAll(IMPORT)) {
    if (from.startsWith('.')) loadedBy(new URL(from.replace(/\.js$/, '.ts'), url), seen);
    else seen.add(from);
  }
  return seen;
}

describe('cold start', () => {
  it('the main entry loads nothing that takes longer than itself: no zod, no node:crypto, no network', () => {
    const loaded = [...loadedBy(new URL('index.ts', import.meta.url))];
    expect(loaded.length).toBeGreaterThan(30);
    const builtIn = ['node:module', 'node:path', 'node:util'];
    expect(loaded.filter((one) => !one.startsWith('file:')).sort()).toEqual(builtIn);
  });

  it('the entry of the policy schema does load zod', () => {
    expect([...loadedBy(new URL('policy/index.ts', import.meta.url))]).toContain('zod');
  });
});
