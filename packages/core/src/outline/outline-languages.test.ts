import { describe, expect, it } from 'vitest';
import { headingOf } from './find-section.js';
import type { Language } from './language.js';
import { nearestLines } from './lines/nearest-lines.js';
import { definitionsOf, namesDeclared } from './names/definitions-of.js';
import { importsOf } from './names/imports-of.js';
import { namesUsed } from './names/names-used.js';
import { outline } from './outline.js';
import type { Outline } from './section.js';

function outlineOf(language: Language, text: string): Outline {
  const found = outline(text, language);
  if (found === undefined) throw new Error('no outline');
  return found;
}

const samples: readonly (readonly [Language, string, readonly string[]])[] = [
  [
    'csharp',
    `namespace X {
  [Serializable]
  public class Player : MonoBehaviour {
    public int Mana {
      get { return 1; }
    }
    void Update() {
      var x = new Foo { A = $"{"a"} {{" };
      int Local(int a) {
        return a;
      }
      foreach (var a in b) { }
    }
    public async Task<List<int>> Run<T>(int x) where T : new()
    {
    }
  }
}
`,
    ['Player 2-17', 'Player.Mana 4-6', 'Player.Update 7-13', 'Player.Update.Local 9-11', 'Player.Run 14-16'],
  ],
  [
    'java',
    `@Foo(bar = 1)
public class A<T extends B> implements D {
  @Override
  public void run() throws Exception {
    new Thread(new Runnable() {
      @Override public void run() {
        String s = """
          {
          """;
      }
    }).start();
  }
  enum Kind { A(1) { int f() { return 1; } }, B(2); }
}
`,
    ['A 1-14', 'A.run 3-12', 'A.run.run 6-10', 'A.Kind 13-13', 'A.Kind.f 13-13'],
  ],
  [
    'typescript',
    "export const pick = (a: A): string =>\n  a.b\n    ? 'x'\n    : `a\nb`;\nconst o = {\n  send: async (x) =>\n    go(x),\n  #p() {\n  },\n};\n",
    ['pick 1-5', 'send 7-8', '#p 9-10'],
  ],
  [
    'go',
    `type Server[T any] struct {
	a int
}
func (s *Server[T]) Tick(a map[string]struct{}) (x interface{}, err error) {
	go func() {
	}()
}
`,
    ['Server 1-3', 'Server.Tick 4-7'],
  ],
  [
    'hlsl',
    'cbuffer Camera : register(b0)\n{\n  float4x4 vp;\n};\n[numthreads(8,8,1)]\nvoid main(uint3 id : SV_X)\n{\n}\n',
    ['Camera 1-4', 'main 5-8'],
  ],
  [
    'python',
    '@dec(\n  1)\nclass A(B):\n    """doc\ndef no():\n"""\n    async def f(self,\n          a):\n        return """\nz\n"""\n\ndef h(): pass\n',
    ['A 1-11', 'A.f 7-11', 'h 13-13'],
  ],
  [
    'lua',
    'function M.a:c(x)\n  if x then print([[ end ]]) end\n  repeat x() until y\nend\nM.bar = function() -- end\nend\n',
    ['M.a.c 1-4', 'M.bar 5-6'],
  ],
  [
    'cmake',
    'set(A "function(b")\nfunction(add_thing name) # c\n  if(X)\n  endif()\nendfunction()\n',
    ['add_thing 2-5'],
  ],
  ['xml', '<!-- <a> -->\n<P>\n  <I a=">">\n    <C Include="b" />\n  </I>\n</P>\n', ['P 2-6', 'P.I 3-5']],
  [
    'yaml',
    'a: 1\nb:\n  c:\n    - run: |\n        foo: bar\n    - d: "z"\n  e: 2\nf:\n- g\n',
    ['b 2-7', 'b.c 3-6', 'b.c.run 4-5', 'f 8-9'],
  ],
  ['json', '{ // c\n  "b": {\n    "c": [1,\n      {"x": "}"}\n    ]\n  }\n}\n', ['b 2-6', 'b.c 3-5']],
  ['ini', '[A]\nx=1\n\n[B.C]\ny = 2\n', ['A 1-2', 'B.C 4-5']],
];

describe('outline of each language', () => {
  it.each(samples)('GRD-3: reads %s', (language, text, expected) => {
    const { sections, balanced } = outlineOf(language, text);
    expect(sections.map((one) => `${headingOf(one)} ${one.startLine}-${one.endLine}`)).toEqual(expected);
    expect(balanced).toBe(true);
  });
});

describe('names', () => {
  it('GRD-3: lists what lines call and name as types, outside strings and comments', () => {
    const lines =
      ' * Old(comment)\n  Player p = spawn(1, "Text(x)"); // Not(this)\n  if (p) Engine::run(MAX_HEALTH);\n';
    expect(namesUsed(lines, 'cpp')).toEqual(['Player', 'spawn', 'Engine', 'run', 'MAX_HEALTH']);
    expect(namesUsed('x = make(1) # gone(2)\n', 'python')).toEqual(['make']);
    expect(namesUsed('a: b(c)\n', 'yaml')).toEqual([]);
  });

  it('GRD-3: lists the paths that a text imports as tails', () => {
    expect(importsOf('#include "../engine/player.h"\n#include <vector>\n', 'cpp')).toEqual([
      'engine/player.h',
      'vector',
    ]);
    expect(importsOf("import { a } from './util/text.js';\nimport z from 'zod';\n", 'typescript')).toContain(
      'util/text.ts',
    );
    expect(importsOf('from a.b import c\n', 'python')).toEqual(['a/b.py', 'a/b/__init__.py', 'a/b/c.py']);
    expect(importsOf('import a.b.C;\n', 'java')).toEqual(['a/b/C.java']);
  });

  it('GRD-3: lists the names whose declaration stands in the lines, and not those whose body does', () => {
    const found = outlineOf(
      'cpp',
      '#define MAX 5\nenum Kind {\n  Red,\n  Blue\n};\nint limit = 3;\nvoid tick(int a)\n{\n  a += 1;\n}\n',
    );
    expect(namesDeclared(found, 1, 1)).toEqual(['MAX']);
    expect(namesDeclared(found, 4, 4)).toEqual(['Blue']);
    expect(namesDeclared(found, 6, 7)).toEqual(['tick', 'limit']);
    expect(namesDeclared(found, 9, 9)).toEqual([]);
  });

  it('GRD-3: lists what groups, structs and interfaces of Go declare, and the targets of CMake', () => {
    const found = outlineOf(
      'go',
      'const (\n\tIdle State = iota\n\tBusy\n)\ntype Row struct {\n\tName string `json:"name"`\n\tBase\n}\n' +
        'type Sink interface {\n\tPut(a int) error\n}\nfunc f() {\n\tconst (\n\t\tlocal = 1\n\t)\n}\n',
    );
    expect(namesDeclared(found, 2, 4)).toEqual(['Idle', 'Busy']);
    expect(namesDeclared(found, 6, 7)).toEqual(['Name']);
    expect(namesDeclared(found, 10, 10)).toEqual(['Put']);
    expect(namesDeclared(found, 13, 15)).toEqual([]);
    expect(namesDeclared(outlineOf('cmake', 'add_library(core STATIC a.c)\n'), 1, 1)).toEqual(['core']);
  });

  it('GRD-3: finds definitions, bodies before declarations, and none of a name with more than three', () => {
    const file = (path: string, text: string) => ({
      path,
      text,
      language: 'cpp' as const,
      outline: outlineOf('cpp', text),
    });
    const files = [
      file('a.h', 'void tick(int a);\nint size(int);\n'),
      file('a.cpp', 'void tick(int a)\n{\n  b();\n}\n'),
    ];
    expect(definitionsOf(['tick', 'size', 'gone'], files)).toEqual([
      {
        ...{ name: 'tick', path: 'a.cpp', kind: 'function' },
        ...{ signature: { startLine: 1, endLine: 2 }, body: { startLine: 1, endLine: 4 } },
      },
      {
        ...{ name: 'tick', path: 'a.h', kind: 'function' },
        ...{ signature: { startLine: 1, endLine: 1 }, body: { startLine: 1, endLine: 1 } },
      },
      {
        ...{ name: 'size', path: 'a.h', kind: 'function' },
        ...{ signature: { startLine: 2, endLine: 2 }, body: { startLine: 2, endLine: 2 } },
      },
    ]);
    const many = [1, 2, 3, 4].map((at) => file(`${at}.cpp`, 'void tick() {}\n'));
    expect(definitionsOf(['tick'], many)).toEqual([]);
  });

  it('GRD-3: gives the nearest lines of a text without a language, and what stands near', () => {
    const text = `Heading\n${'  line\n'.repeat(20)}`;
    expect(nearestLines(text, 10, 11, 6)).toEqual({ startLine: 8, endLine: 13, near: 'Heading' });
    expect(nearestLines(text, 1, 1, 5)).toEqual({ startLine: 1, endLine: 5, near: undefined });
  });
});
