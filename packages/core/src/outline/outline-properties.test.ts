import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { enclosing, innermostByLine } from './find-section.js';
import type { Language } from './language.js';
import { namesDeclared, namesDeclaredOn } from './names/definitions-of.js';
import { namesUsed } from './names/names-used.js';
import { outline } from './outline.js';
import type { Outline } from './section.js';

const languages: readonly Language[] = [
  ...(['c', 'cpp', 'csharp', 'java', 'python', 'javascript', 'typescript', 'lua', 'go'] as const),
  ...(['hlsl', 'glsl', 'ini', 'yaml', 'json', 'cmake', 'xml'] as const),
];
/** Pieces that open, close and interrupt something in some language. */
const pieces = [
  ...[
    '{',
    '}',
    '(',
    ')',
    '[',
    ']',
    ';',
    ',',
    ':',
    '=',
    '=>',
    '<',
    '>',
    '"',
    "'",
    '`',
    '${',
    '/*',
    '*/',
    '//',
    '\n',
    '  ',
  ],
  ...[
    '#if A\n',
    '#else\n',
    '#endif\n',
    '\n<<<<<<< a\n',
    '\n=======\n',
    '\n>>>>>>> b\n',
    'class A',
    'void f()',
    'def f(x):\n',
  ],
  ...[
    'function a.b()',
    ' end ',
    'if x then ',
    '</a>',
    '<a b="c">',
    '- ',
    'key: ',
    '[s]\n',
    '"""',
    '--[[',
    ']]',
    'R"x(',
    '\\\n',
  ],
  ...[
    'enum E',
    'typedef struct',
    'operator',
    '@"',
    '$"',
    '/',
    'macro(m)\n',
    'endmacro()\n',
    'template <class T>',
    '\t',
    '\r\n',
  ],
];
const anyText = fc.array(fc.constantFrom(...pieces), { maxLength: 120 }).map((parts) => parts.join(' '));

function checkShape({ sections, declarations }: Outline, text: string): void {
  const lineCount = Math.max(1, text.split('\n').length - (text.endsWith('\n') ? 1 : 0));
  for (const { startLine, nameLine, bodyLine, endLine } of sections) {
    const ordered = 1 <= startLine && startLine <= nameLine && startLine <= bodyLine && bodyLine <= endLine;
    expect(ordered && nameLine <= endLine && endLine <= lineCount).toBe(true);
  }
  for (const { startLine, endLine } of declarations) expect(startLine <= endLine && endLine <= lineCount).toBe(true);
  sections.forEach((one, index) => {
    for (const other of sections.slice(index + 1)) {
      expect(other.endLine <= one.endLine || other.startLine >= one.endLine).toBe(true);
    }
  });
}

describe('outline, any text', () => {
  it.each(languages)(
    'GRD-3: %s: never throws, lines within the text, sections nested or disjoint, one answer',
    (language) => {
      fc.assert(
        fc.property(anyText, (text) => {
          const found = outline(text, language);
          if (found === undefined) throw new Error('no outline');
          checkShape(found, text);
          expect(outline(text, language)).toEqual(found);
          expect(namesUsed(text, language).length).toBeLessThanOrEqual(200);
        }),
        { numRuns: 40 },
      );
    },
  );
});

/** Shapes that make a careless reader quadratic, or overflow its stack. */
const hostile: Readonly<Record<string, (size: number) => string>> = {
  'open and close braces': (size) => '{'.repeat(size / 2) + '}'.repeat(size / 2),
  'open brackets and braces': (size) => '({['.repeat(size / 3),
  'close braces on lines': (size) => `${'{\n'.repeat(size / 4)}${'}\n'.repeat(size / 4)}`,
  angles: (size) => 'a<'.repeat(size / 2),
  'comments without end': (size) => '/* '.repeat(size / 3),
  templates: (size) => '`${'.repeat(size / 3),
  dashes: (size) => '- '.repeat(size / 2),
  branches: (size) => '#if A\nx {\n#else\ny {\n#endif\n'.repeat(size / 30),
  initialisers: (size) => `A::A() : ${'a{1}, '.repeat(size / 6)} b(1) {}`,
  'stray closers': (size) => '  (}\n'.repeat(size / 5),
  tags: (size) => '<a b="'.repeat(size / 6),
  'functions in functions': (size) => 'function f() {\n'.repeat(size / 15),
  'one long statement': (size) => 'a = x => {} , '.repeat(size / 14),
  quotes: (size) => '"\\\n\'\\\n'.repeat(size / 6),
  'raw strings': (size) => 'R"a( --[==[ """ @" '.repeat(size / 19),
  doctype: (size) => '<!DOCTYPE a ['.repeat(size / 13),
  conflicts: (size) => '<<<<<<< a\nvoid f() {\n=======\nvoid g() {\n>>>>>>> b\n'.repeat(size / 50),
};

describe('outline, hostile text', () => {
  it.each(Object.entries(hostile))('GRD-3: %s: 200 steps a character suffice in every language', (_name, make) => {
    const text = make(10_000);
    for (const language of languages) {
      expect(outline(text, language, { maxBytes: 1_000_000, maxSteps: 200 * text.length })).toBeDefined();
    }
  });

  it('GRD-3: 100,000 levels overflow no stack', () => {
    expect(outline('{ ('.repeat(100_000), 'cpp')?.balanced).toBe(false);
    expect(outline('<a>\n'.repeat(100_000), 'xml')?.balanced).toBe(false);
    expect(outline('['.repeat(100_000), 'json')?.balanced).toBe(false);
    expect(outline('if x then '.repeat(100_000), 'lua')?.balanced).toBe(false);
  });
});

describe('look-ups of many lines', () => {
  it('say what the look-up of each line says', () => {
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((some) => some.join(' '));
    fc.assert(
      fc.property(text, fc.constantFrom(...languages), (source, language) => {
        const known = outline(source, language);
        if (known === undefined) return;
        const lines = source.split('\n').map((_, at) => at + 1);
        const innermost = innermostByLine(known, lines.length);
        expect(lines.map(innermost)).toEqual(lines.map((line) => enclosing(known, line, line)));
        const some = lines.filter((line) => line % 3 !== 0);
        const each = some.flatMap((line) => namesDeclared(known, line, line));
        expect(namesDeclaredOn(known, some)).toEqual([...new Set(each)]);
      }),
      { numRuns: 300 },
    );
  });
});
