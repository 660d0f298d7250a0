import type { Language } from '../language.js';

/** What the scanner must know of a brace language to step over its comments, strings and directives. */
export interface LexicalRules {
  /** Lines that begin with `#` are directives. */
  readonly directives: boolean;
  /** What a `'` opens: a character (a digit separator after a digit), or a string. */
  readonly apostrophe: 'character' | 'string';
  /** What a backtick opens. */
  readonly backtick: 'template' | 'raw' | 'none';
  /** `/` may open a regular expression. */
  readonly regex: boolean;
  /** `R"x(…)x"` */
  readonly cppRaw: boolean;
  /** `@"…"`, `$"…"`, `"""…"""` of C#. */
  readonly csharpStrings: boolean;
  /** `"""…"""` of Java. */
  readonly textBlocks: boolean;
}

const cFamily: LexicalRules = {
  directives: true,
  apostrophe: 'character',
  backtick: 'none',
  regex: false,
  cppRaw: true,
  csharpStrings: false,
  textBlocks: false,
};
const scripts: LexicalRules = {
  ...cFamily,
  directives: false,
  apostrophe: 'string',
  backtick: 'template',
  regex: true,
  cppRaw: false,
};

/** The languages that the brace scanner reads. */
export type BraceLanguage = Extract<
  Language,
  'c' | 'cpp' | 'csharp' | 'java' | 'javascript' | 'typescript' | 'go' | 'hlsl' | 'glsl'
>;

export const lexicalRules: Readonly<Record<BraceLanguage, LexicalRules>> = {
  c: { ...cFamily, cppRaw: false },
  cpp: cFamily,
  hlsl: { ...cFamily, cppRaw: false },
  glsl: { ...cFamily, cppRaw: false },
  csharp: { ...cFamily, cppRaw: false, csharpStrings: true },
  java: { ...cFamily, directives: false, cppRaw: false, textBlocks: true },
  javascript: scripts,
  typescript: scripts,
  go: { ...cFamily, directives: false, cppRaw: false, backtick: 'raw' },
};

/** True for a language whose sections are delimited by braces. */
export function isBraceLanguage(language: Language): language is BraceLanguage {
  return Object.hasOwn(lexicalRules, language);
}
