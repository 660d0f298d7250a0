import { char, code } from '../scan/token-list.js';
import { declareC } from './c-declarations.js';
import { findFunctionName, nameMacroCall } from './c-function-head.js';
import type { HeadShape } from './frame.js';
import { afterAngles, beforeAngles, codeAt, isForGroup, isMacroName, wordAt, wordSet } from './head-words.js';
import type { BracePass, Head, HeadRules } from './pass.js';

const typeWords = wordSet(
  'class struct union enum interface __interface cbuffer tbuffer technique technique11 technique10',
);
const labels = wordSet('public protected private signals slots Q_SIGNALS Q_SLOTS signal __published');
const modifiers = wordSet(
  'typedef static const constexpr constinit volatile extern inline export friend mutable register thread_local uniform ' +
    'globallycoherent groupshared partial abstract',
);
/** GLSL blocks: `uniform Name { … }`. */
const blockWords = wordSet('uniform buffer in out');
const unityBlocks = wordSet('SubShader Pass Properties Tags Category Stencil');
const programWords = wordSet('CGPROGRAM HLSLPROGRAM CGINCLUDE HLSLINCLUDE GLSLPROGRAM ENDCG ENDHLSL ENDGLSL');
const finalWords = wordSet('final sealed abstract');
const block: HeadShape = { kind: 'block' };

/** C, C++, HLSL and GLSL: no named function is inside a function body. */
export const cHeads: HeadRules = {
  classify(head) {
    return classifyC(head);
  },
  declare: declareC,
  endsAfter(pass, at) {
    const { tokens, frame, language } = pass;
    if (tokens.code(at) === char.colon) return frame.kind === 'type' && endsLabel(pass);
    return language === 'hlsl' && tokens.code(at) === code.word && programWords.has(tokens.read(at));
  },
  allowsSemicolon({ tokens, frame }) {
    return isForGroup(tokens, frame.opener);
  },
};

function endsLabel({ tokens, frame: { head } }: BracePass): boolean {
  return head.length <= 12 && labels.has(wordAt(tokens, head, head.length - 2));
}

function classifyC(line: Head): HeadShape {
  const { tokens, head, frame, language } = line;
  const last = codeAt(tokens, head, head.length - 1);
  if (last === char.equals || last === char.comma || last === char.openParen) return { kind: 'block', keepsHead: true };
  if (frame.kind === 'group') return block;
  const from = skipLead(line, 0);
  const first = wordAt(tokens, head, from);
  if (first === '' && head.length === 0) return oldStyle(line);
  if (first === 'return' || first === 'case') return block;
  if (isNamespace(line, from)) return { kind: 'scope' };
  const type = findType(line, from);
  if (type !== undefined) return type;
  if (frame.inBody) return block;
  if (frame.kind === 'enum') return block;
  if (language === 'hlsl' && unityBlocks.has(first)) return block;
  if (first === 'Shader' && codeAt(tokens, head, head.length - 1) === code.string) return namedShader(line);
  return functionShape(line, from);
}

function functionShape(line: Head, from: number): HeadShape {
  const { tokens, head, language } = line;
  const found = findFunctionName(line, from);
  if (found === undefined) {
    const holdsBlock =
      (language === 'glsl' || language === 'hlsl') && blockWords.has(wordAt(tokens, head, head.length - 2));
    const token = head.at(-1);
    if (holdsBlock && token !== undefined) return { kind: 'type', name: { text: tokens.read(token), token } };
    return block;
  }
  if (language === 'c' || language === 'cpp') {
    if (isInitialiser(line, found.parameters + 2)) return { kind: 'block', keepsHead: true };
  }
  const { text, token, qualifiers } = nameMacroCall(line, found, from);
  return { kind: 'function', name: { text, token, qualifiers } };
}

/** `A() : a{1}`: the brace belongs to an initialiser where a name is before it and a `:` before that. */
function isInitialiser({ tokens, head }: Head, from: number): boolean {
  const last = codeAt(tokens, head, head.length - 1);
  if (last !== code.word && last !== char.greater) return false;
  for (let at = from; at < head.length && at < from + 12; at += 1) {
    if (codeAt(tokens, head, at) === code.thinArrow) return false;
    if (codeAt(tokens, head, at) === char.colon) return true;
  }
  return false;
}

/** The head position after attributes, template parameters, modifiers and leading macros. */
function skipLead({ tokens, head }: Head, from: number): number {
  let at = from;
  for (;;) {
    const of = codeAt(tokens, head, at);
    const word = wordAt(tokens, head, at);
    if (of === char.openBracket) at += 2;
    else if (word === 'template' && codeAt(tokens, head, at + 1) === char.less) {
      const after = afterAngles(tokens, head, at + 1);
      if (after === at + 1) return at;
      at = after;
    } else if (modifiers.has(word)) at += 1;
    else if (isMacroName(word) && startsDeclaration({ tokens, head }, at + 1)) {
      at += codeAt(tokens, head, at + 1) === char.openParen ? 3 : 1;
    } else return at;
  }
}

/** True where a macro's name or call is followed by a keyword of a type or a namespace. */
function startsDeclaration({ tokens, head }: Pick<Head, 'tokens' | 'head'>, at: number): boolean {
  const next = codeAt(tokens, head, at) === char.openParen ? at + 2 : at;
  const word = wordAt(tokens, head, next);
  return typeWords.has(word) || modifiers.has(word) || word === 'namespace' || word === 'template' || isMacroName(word);
}

function isNamespace({ tokens, head }: Head, from: number): boolean {
  if (wordAt(tokens, head, from) === 'namespace') return true;
  const before = wordAt(tokens, head, from - 1);
  return before === 'extern' && codeAt(tokens, head, from) === code.string && head.length === from + 1;
}

/** A class, struct, union or enum, unless the head goes on to a function that returns one. */
function findType(line: Head, from: number): HeadShape | undefined {
  const { tokens, head } = line;
  const word = wordAt(tokens, head, from);
  if (!typeWords.has(word)) return undefined;
  const kind = word === 'enum' ? 'enum' : 'type';
  let at = from + 1;
  if (kind === 'enum' && typeWords.has(wordAt(tokens, head, at))) at += 1;
  let end = head.length;
  for (let next = at; next < end; next += 1) {
    const of = codeAt(tokens, head, next);
    if (of === char.colon) end = next;
    else if (of === char.equals) return undefined;
  }
  const anonymous = end === at;
  if (anonymous) return { kind, namedAfter: isTypedef(line) };
  const name = typeName(line, at, end);
  if (name === undefined) return undefined;
  return { kind, name };
}

function isTypedef({ tokens, head }: Head): boolean {
  return head.slice(0, 4).some((token) => tokens.read(token) === 'typedef');
}

/** The last word before `end`, without template arguments and `final`; undefined after a parameter list. */
function typeName({ tokens, head }: Head, at: number, end: number): HeadShape['name'] {
  let last = end - 1;
  while (last > at && finalWords.has(wordAt(tokens, head, last))) last -= 1;
  if (codeAt(tokens, head, last) === char.greater) last = beforeAngles(tokens, head, last) - 1;
  // An attribute after the name: `struct S __attribute__((packed)) {`.
  if (
    codeAt(tokens, head, last) === char.closeParen &&
    /^(?:__attribute__|alignas|[A-Z_]+)$/.test(wordAt(tokens, head, last - 2))
  ) {
    last -= 3;
  }
  const token = head[last];
  const text = wordAt(tokens, head, last);
  if (token === undefined || text === '' || last < at) return undefined;
  for (let next = at; next < last; next += 1) {
    const before = wordAt(tokens, head, next - 1);
    if (codeAt(tokens, head, next) === char.star) return undefined;
    if (codeAt(tokens, head, next) !== char.openParen || next === at) continue;
    if (!isMacroName(before) && !/^(?:alignas|__attribute__|__declspec|_Alignas)$/.test(before)) return undefined;
  }
  const qualifiers: string[] = [];
  for (let next = last - 1; next > at && codeAt(tokens, head, next) === code.scope; next -= 2) {
    qualifiers.unshift(wordAt(tokens, head, next - 1));
  }
  return { text, token, qualifiers };
}

/** `int f(a) int a; {`: a brace with no head right after a `;` is the body of a function of old C. */
function oldStyle({ tokens, frame, language }: Head): HeadShape {
  const { oldStyleHead } = frame;
  if (language !== 'c' || frame.kind !== 'file' || oldStyleHead === undefined) return block;
  const found = findFunctionName({ tokens, head: oldStyleHead }, 0);
  const start = oldStyleHead[0];
  if (found === undefined || start === undefined) return block;
  return { kind: 'function', name: { text: found.text, token: found.token }, start };
}

/** Unity: `Shader "Name" {`. */
function namedShader({ tokens, head }: Head): HeadShape {
  const token = head.at(-1);
  return token === undefined ? block : { kind: 'type', name: { text: tokens.read(token).slice(1, -1), token } };
}
