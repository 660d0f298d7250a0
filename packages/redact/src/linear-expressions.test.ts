import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** Long enough that a quadratic expression takes milliseconds, and a linear one microseconds. */
const LENGTH = 2048;
const MAX_MS = 1.5;

const HEADS = ['', '"', '-', 'x', '{ "', 'with '];
const UNITS = [
  ...[
    'a',
    'A',
    '0',
    ' ',
    '\t',
    '-',
    '_',
    '.',
    '/',
    '"',
    "'",
    '\\',
    '\n',
    '\r\n',
    '%20',
    '\\"',
    '::',
    '->',
    '*',
    '#',
    '@',
  ],
  ...['a.', 'a-', 'a_', 'a ', 'a=', 'a:', 'a/', 'a,', 'aA', 'a0', 'Aa', '-a ', '--a ', '/a ', ' -a b', "a'b", '$a'],
  ...['[0]', '["a"]', "a['b']", ' a="b"', ', a="b"', 'a: b\n', '\n a = b', '<a>', '1.'],
];

/** Every expression written down in the sources of the package, by the place where it stands. */
function expressions(): [place: string, expression: RegExp][] {
  const found: [string, RegExp][] = [];
  for (const name of readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
    const source = ts.createSourceFile(
      name,
      readFileSync(join(import.meta.dirname, name), 'utf8'),
      ts.ScriptTarget.Latest,
    );
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const slash = node.text.lastIndexOf('/');
        found.push([`${name}: ${node.text}`, new RegExp(node.text.slice(1, slash), node.text.slice(slash + 1))]);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

function timeOf(expression: RegExp, text: string): number {
  expression.lastIndex = 0;
  const from = performance.now();
  expression.test(text);
  return performance.now() - from;
}

describe('regular expressions', () => {
  it('RED-1: none takes more than linear time on what repeats, whatever bounds its input', { timeout: 60_000 }, () => {
    const slow = expressions().filter(([, expression]) =>
      HEADS.some((head) =>
        UNITS.some((unit) => {
          const text = `${(head + unit.repeat(LENGTH)).slice(0, LENGTH)}\u0001`;
          // A busy machine is slow once, an expression that backtracks every time.
          return [1, 2, 3, 4].every(() => timeOf(expression, text) > MAX_MS);
        }),
      ),
    );
    expect(slow.map(([place]) => place)).toEqual([]);
  });

  it('RED-1: the measure tells an expression that is quadratic', () => {
    const quadratic = /\d+$/;
    expect([1, 2, 3].every(() => timeOf(quadratic, `${'0'.repeat(LENGTH)}\u0001`) > MAX_MS)).toBe(true);
  });
});
