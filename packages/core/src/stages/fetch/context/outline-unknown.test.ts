import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outlineUnknown } from './outline-unknown.js';

const sectionsOf = (text: string): readonly string[] =>
  (outlineUnknown(text)?.sections ?? []).map(({ name, startLine, endLine }) => `${name} ${startLine}-${endLine}`);
const declaredIn = (text: string): readonly string[] =>
  (outlineUnknown(text)?.declarations ?? []).map(({ name }) => name);

describe('outline of an unknown language', () => {
  it.each([
    [
      'Ruby',
      'class Price\n  def tax(rate)\n    rate * 2\n  end\n\n  def net\n  end\nend\nputs 1\n',
      ['Price 1-8', 'tax 2-4', 'net 6-7'],
    ],
    [
      'Kotlin',
      'class Clock {\n    override fun now(): Long {\n        val x = 1\n        return x\n    }\n}\n',
      ['Clock 1-6', 'now 2-5'],
    ],
    ['Swift', 'func run(_ a: Int) -> Int\n{\n  return a\n}\nlet next = 1\n', ['run 1-4']],
    ['Rust', 'pub(crate) fn push(a: u8) -> bool {\n    a > 1\n}\nstruct Mesh;\n', ['push 1-3', 'Mesh 4-4']],
  ])('GRD-4: reads functions and types of %s', (_language, text, expected) => {
    expect(sectionsOf(text)).toEqual(expected);
  });

  it('GRD-4: declares values outside functions alone', () => {
    const declared = declaredIn('const val MAX = 3\nfun f() {\n  val local = 1\n}\nexport DIR=out\n');
    expect(declared).toContain('MAX');
    expect(declared).toContain('DIR');
    expect(declared).not.toContain('local');
  });

  it('GRD-4: gives sections that lie within the text, nested or apart', () => {
    const line = fc.constantFrom('def a', '  fun b {', '    class C', '}', '  }', 'end', '', 'x = 1', '{');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const { sections = [] } = outlineUnknown(lines.join('\n')) ?? {};
        for (const [at, one] of sections.entries()) {
          expect(one.startLine).toBeLessThanOrEqual(one.endLine);
          expect(one.endLine).toBeLessThanOrEqual(lines.length);
          for (const other of sections.slice(at + 1))
            expect(other.startLine > one.endLine || other.endLine <= one.endLine).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});
