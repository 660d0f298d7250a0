import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkInstall } from './install-rules.js';

const sound = {
  'pnpm-lock.yaml': "lockfileVersion: '9.0'\npackages:\n  a@1.0.0:\n    resolution: {integrity: sha512-x}\n",
  'pnpm-workspace.yaml': 'packages:\n  - packages/*\nallowBuilds:\n  "@a/b": false\n  esbuild: false\n# end\nx: true\n',
  'package.json': '{}',
  'node_modules/.modules.yaml': '{ "ignoredBuilds": [] }',
};
const made: string[] = [];
function breaches(changes: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'crit-install-'));
  made.push(root);
  for (const [file, text] of Object.entries({ ...sound, ...changes })) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return checkInstall(root).map((line) => line.replace(/:.*/s, ''));
}

afterAll(() => {
  for (const root of made) rmSync(root, { recursive: true, force: true });
});

describe('install rules', () => {
  it('find nothing in a sound workspace', () => {
    expect(breaches({})).toEqual([]);
  });

  it.each([
    [
      'lockfile-without-urls',
      { 'pnpm-lock.yaml': `${sound['pnpm-lock.yaml']}    tarball: https${'://'}registry.example/a.tgz\n` },
    ],
    ['lockfile-integrity', { 'pnpm-lock.yaml': 'packages:\n  a@1.0.0:\n    resolution: {directory: x}\n' }],
    ['lockfile', { 'pnpm-lock.yaml': '' }],
    ['no-install-scripts', { 'pnpm-workspace.yaml': 'allowBuilds:\n  esbuild: true\n' }],
    [
      'no-install-scripts',
      {
        'bench/package.json': '{}',
        'bench/pnpm-lock.yaml': sound['pnpm-lock.yaml'],
        'bench/pnpm-workspace.yaml': 'allowBuilds:\n  x: true\n',
      },
    ],
    ['lockfile', { 'bench/package.json': '{}' }],
    ['no-install-scripts', { 'package.json': '{"pnpm":{"onlyBuiltDependencies":["esbuild"]}}' }],
    ['no-install-scripts', { 'node_modules/.modules.yaml': '{ "ignoredBuilds": [\n "esbuild@1.0.0"\n] }' }],
  ])('name a breach of %s', (rule, changes) => {
    expect(breaches(changes)).toEqual([rule]);
  });
});
