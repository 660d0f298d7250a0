import { describe, expect, it } from 'vitest';
import { enclosing, headingOf } from './find-section.js';
import { type Language, languageOf } from './language.js';
import { outline } from './outline.js';

/** `name start-end` of every section, in order. */
function read(language: Language, text: string): readonly string[] {
  const found = outline(text, language);
  return (found?.sections ?? []).map((section) => `${headingOf(section)} ${section.startLine}-${section.endLine}`);
}

describe('languageOf', () => {
  it.each([
    ['//depot/game/Player.CPP#12', 'cpp'],
    ['C:\\work\\a.inl', 'cpp'],
    ['Shaders/Toon.shader', 'hlsl'],
    ['a/Common.ush', 'hlsl'],
    ['x/CMakeLists.txt', 'cmake'],
    ['Game.csproj', 'xml'],
    ['engine.vcxproj', 'xml'],
    ['app.tsx', 'typescript'],
    ['app.jsx', 'javascript'],
    ['.clang-format', 'yaml'],
    ['Makefile', undefined],
    ['notes.txt', undefined],
  ])('GRD-3: reads %s as %s', (path, language) => {
    expect(languageOf(path)).toBe(language);
  });
});

describe('outline of brace languages', () => {
  it('GRD-3: reads C++ in the form that engines write', () => {
    const text = `\uFEFF#pragma once
namespace a::b {
template <typename T, class U = int>
class ENGINE_API Foo final : public Bar<T> {
  GENERATED_BODY()
public:
  Foo(int x) : a_{1}, b(x) {
    if (x) { y(); }
  }
  bool operator==(const Foo& o) const { return true; }
};
}
void GameServer::Tick(float dt)
{
#if A
  if (x) {
#else
  if (y) {
#endif
  }
}
typedef struct { int x; } Point;
TEST(Suite, Case) {
  MACRO(x) { }
}
`;
    expect(read('cpp', text)).toEqual([
      ...['Foo 3-11', 'Foo.Foo 7-9', 'Foo.operator== 10-10', 'GameServer.Tick 13-21', 'Point 22-22'],
      'TEST(Suite, Case) 23-25',
    ]);
  });

  it('GRD-3: ends a function that lost its closing brace where the next one begins', () => {
    const text = 'int a() {\n  if (x) {\n    b();\n}\n\nint c() {\n  return 1;\n}\n';
    expect(outline(text, 'c')?.balanced).toBe(false);
    expect(read('c', text)).toEqual(['a 1-4', 'c 6-8']);
  });

  it('GRD-3: takes an `else` after the brace of a function for a brace too many', () => {
    expect(read('c', 'int a() {\n  b();\n  } else {\n  c();\n}\nint d() {\n}\n')).toEqual(['a 1-5', 'd 6-7']);
  });

  it('GRD-3: finds the innermost section that holds both lines', () => {
    const found = outline('class A {\n  b() {\n    return 1;\n  }\n  c() {}\n}\n', 'typescript');
    if (found === undefined) throw new Error('no outline');
    expect([3, 4, 6, 7].map((line) => enclosing(found, 3, line)?.name)).toEqual(['b', 'b', 'A', undefined]);
  });

  it('GRD-3: gives nothing for a text beyond its limits', () => {
    expect(outline('void a() {}', 'c', { maxBytes: 5, maxSteps: 1000 })).toBeUndefined();
    expect(outline('void a() {}', 'c', { maxBytes: 100, maxSteps: 5 })).toBeUndefined();
  });
});
