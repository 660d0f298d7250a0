import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkSizes, measureFile } from './size-rules.js';

const file = 'packages/a/src/a.ts';
const statements = (count: number): string => '  step();\n'.repeat(count);
const functionOf = (lines: number): string => `export function run(): void {\n${statements(lines - 2)}}\n`;
const rules = (text: string, path = file): string[] => measureFile(path, text).map(({ rule }) => rule);

describe('a line', () => {
  it.each([
    ['of 120 columns', `const a = ${'b'.repeat(109)};\n`, []],
    ['of 121 columns', `const a = ${'b'.repeat(110)};\n`, ['line-length']],
    ['that is a comment of 121 columns', `// ${'b'.repeat(118)}\n`, ['line-length']],
    ['with a comment behind it', `const a = 1; // ${'b'.repeat(110)}\n`, ['line-length']],
    ['that is long for its string', `const a = '${'b'.repeat(200)}';\n`, []],
    ['that is long for its template', `const a = \`\n${'b '.repeat(100)}\${c}\n\`;\n`, []],
    ['that is long for its regular expression', `const a = /${'b'.repeat(200)}/;\n`, []],
    [
      'of a long string with a long comment behind',
      `const a = '${'b'.repeat(200)}'; // ${'c'.repeat(120)}\n`,
      ['line-length'],
    ],
  ])('%s', (_, text, expected) => {
    expect(rules(text)).toEqual(expected);
  });
});

describe('a function', () => {
  it.each([
    ['of 50 lines', functionOf(50), []],
    ['of 51 lines', functionOf(51), ['function-length']],
    ['with a reason above it', `// long: one step for each answer\n${functionOf(51)}`, []],
    ['with a reason above its docstring', `// long: one step for each answer\n/** Runs. */\n${functionOf(51)}`, []],
    ['with an empty reason', `// long:\n${functionOf(51)}`, ['function-length']],
    ['whose neighbour has the reason', `// long: steps\nrun();\n${functionOf(51)}`, ['function-length']],
    ['that is mostly a table', `const f = () => {\n  const t = [\n${'    1,\n'.repeat(60)}  ];\n};\n`, []],
    [
      'that is mostly a table of functions',
      `const f = () => {\n  const t = [\n${'    () => 1,\n'.repeat(60)}  ];\n};\n`,
      ['function-length'],
    ],
  ])('%s', (_, text, expected) => {
    expect(rules(text)).toEqual(expected);
  });

  it('of a test or a contract suite may be long', () => {
    expect(rules(functionOf(90), 'packages/a/src/a.test.ts')).toEqual([]);
    expect(rules(functionOf(90), 'packages/a/src/testing/a-contract.ts')).toEqual([]);
    expect(rules(functionOf(90), 'packages/a/test/a.ts')).toEqual([]);
    expect(rules(functionOf(90), 'tools/a.ts')).toEqual(['function-length']);
  });

  it('is named with its line', () => {
    expect(measureFile(file, `\nconst act = () => {\n${statements(60)}};\n`)).toEqual([
      expect.objectContaining({ file, line: 2, text: expect.stringContaining('act has 62 lines') }),
    ]);
  });
});

describe('a file', () => {
  it('of src has at most 300 lines', () => {
    const text = 'step();\n'.repeat(300);
    expect(rules(text)).toEqual([]);
    expect(rules(`${text}step();\n`)).toEqual(['file-length']);
    expect(rules(`${text}step();\n`, 'packages/a/src/a.test.ts')).toEqual([]);
  });
});

describe('a checkout', () => {
  it('tells each breach with its file and line', () => {
    const root = mkdtempSync(join(tmpdir(), 'crit-sizes-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    mkdirSync(join(root, 'packages/a/src'), { recursive: true });
    writeFileSync(join(root, 'packages/a/src/long.ts'), functionOf(60));
    writeFileSync(join(root, 'packages/a/src/short.ts'), functionOf(10));
    writeFileSync(join(root, 'packages/a/src/wide.ts'), `// ${'b'.repeat(130)}\n`);
    expect(checkSizes(root)).toEqual([
      expect.stringMatching(/^function-length: packages\/a\/src\/long\.ts:1 /),
      expect.stringMatching(/^line-length: packages\/a\/src\/wide\.ts:1 /),
    ]);
  });
});
