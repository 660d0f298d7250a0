import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { plant, plantedFault, setPlantedFault } from './planted-fault.js';

const folder = mkdtempSync(join(tmpdir(), 'crit-fault-'));
const file = join(folder, 'limit.ts');
const text = 'export const limit: number = 300;\n';
writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
writeFileSync(file, text);
writeFileSync(join(folder, 'worker.ts'), "import { limit } from './limit.ts';\nconsole.log(limit);\n");
const fault = { file, find: '300', replace: '400' };

afterEach(() => setPlantedFault(undefined));
afterAll(() => rmSync(folder, { recursive: true }));

describe('plant', () => {
  it('replaces the one place, literally', () => {
    expect(plant('if (a < $1) b();', { file: 'x.ts', find: '<', replace: '$&' })).toBe('if (a $& $1) b();');
  });

  it.each([
    ['no place', 'abc', 'x', 'y'],
    ['two places', 'aba', 'a', 'y'],
    ['an empty text to find', 'abc', '', 'y'],
    ['a fault that changes nothing', 'abc', 'b', 'b'],
  ])('refuses %s', (_, source, find, replace) => {
    expect(() => plant(source, { file: 'x.ts', find, replace })).toThrow(Error);
  });
});

describe('a planted fault', () => {
  const transform = (id: string): unknown => {
    const hook = plantedFault().transform;
    if (typeof hook !== 'function') throw new Error('expected a plain hook');
    return Reflect.apply(hook, undefined, [text, id]);
  };

  it('changes its file as vite loads it, and no other, and nothing once it is taken away', () => {
    expect(transform(file)).toBeUndefined();
    setPlantedFault(fault);
    expect(transform(`${file}?v=1`)).toMatchObject({ code: text.replace('300', '400') });
    expect(transform(join(folder, 'worker.ts'))).toBeUndefined();
    setPlantedFault(undefined);
    expect(transform(file)).toBeUndefined();
  });

  it('is refused at once where it no longer fits its file', () => {
    expect(() => setPlantedFault({ ...fault, find: '301' })).toThrow(Error);
    expect(transform(file)).toBeUndefined();
  });

  it('reaches a child process that runs sources through tsx', () => {
    const preload = pathToFileURL(join(import.meta.dirname, 'plant-in-process.mjs')).href;
    const run = () => {
      const env = { ...process.env, NODE_OPTIONS: `--import ${preload}` };
      return execFileSync(process.execPath, ['--import', 'tsx', join(folder, 'worker.ts')], {
        cwd: import.meta.dirname,
        env,
        encoding: 'utf8',
      });
    };
    expect(run()).toBe('300\n');
    setPlantedFault(fault);
    expect(run()).toBe('400\n');
  });
});
