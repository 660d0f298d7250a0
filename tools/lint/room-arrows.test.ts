import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readArrows } from './room-arrows.js';

const root = mkdtempSync(join(tmpdir(), 'crit-arrows-'));
const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(root, 'packages/a/src', file)), { recursive: true });
  writeFileSync(join(root, 'packages/a/src', file), text);
};
afterAll(() => rmSync(root, { recursive: true, force: true }));

it('counts imports between rooms, and which of them run back up', () => {
  write('ground/a.ts', "import type { B } from '../upper/b.js';\nimport fs from 'node:fs';\nimport './own.js';\n");
  write('upper/b.ts', "export { a } from '../ground/a.js';\nimport '../ground/c.js';\n");
  write('upper/b.test.ts', "import '../top.js';\n");
  write('upper/index.ts', "export * from '../top.js';\n");
  write('top.ts', "import './upper/b.js';\nimport './loose.js';\n");
  expect(readArrows(root, 'a', { rooms: ['ground', 'upper', 'top.ts'] })).toEqual([
    { from: 'ground', to: 'upper', imports: 1, runsUp: true },
    { from: 'top.ts', to: 'upper', imports: 1, runsUp: false },
    { from: 'upper', to: 'ground', imports: 2, runsUp: false },
  ]);
});
