import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { checkDocstrings } from './docstring-rules.js';

const root = mkdtempSync(join(tmpdir(), 'crit-docstrings-'));
const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
};
afterAll(() => rmSync(root, { recursive: true, force: true }));

write(
  'packages/a/package.json',
  JSON.stringify({ exports: { '.': { 'criticizer-source': './src/index.ts' }, './package.json': './package.json' } }),
);
write(
  'packages/a/src/index.ts',
  `export { type Bare, type Described, run as go, limit, type Tagged } from './inner/parts.js';
export { over } from './inner/parts.js';
export const here = 1;
`,
);
write(
  'packages/a/src/inner/parts.ts',
  `export interface Bare {
  /** Of a member, not of the interface. */
  a: number;
}
/** Says what it is. */
export interface Described {}
// No docstring.
export function run(): void {}
/** Of overloads one text will do. */
export function over(a: number): void;
export function over(a: string): void;
export function over(): void {}
export const limit = 1;
/** @internal */
export type Tagged = number;
export interface NotPublic {}
`,
);

it('names every public declaration without a docstring, where it is declared', () => {
  const file = 'packages/a/src/inner/parts.ts';
  expect(checkDocstrings(root).map((line) => line.replace(/ is public.*/, ''))).toEqual([
    'docstring: packages/a/src/index.ts:3 here',
    `docstring: ${file}:1 Bare`,
    `docstring: ${file}:13 limit`,
    `docstring: ${file}:15 Tagged`,
    `docstring: ${file}:8 run`,
  ]);
});
