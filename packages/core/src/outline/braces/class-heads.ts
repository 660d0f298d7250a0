import { char, code } from '../scan/token-list.js';
import { declareClassMember } from './class-declarations.js';
import type { HeadShape } from './frame.js';
import { afterAngles, beforeAngles, codeAt, isForGroup, wordAt, wordSet } from './head-words.js';
import type { Head, HeadRules } from './pass.js';

const typeWords = wordSet('class struct interface enum record');
const modifiers = wordSet(
  'public private protected internal static abstract sealed final partial readonly unsafe virtual override async extern ' +
    'new volatile transient synchronized native strictfp default const ref required file event implicit explicit non',
);
const controls = wordSet(
  'if else for foreach while do switch try catch finally using lock fixed return throw yield checked unchecked unsafe ' +
    'synchronized case goto await when assert in is as not and or select from where join let orderby group',
);
/** Words before a `(` that make it no parameter list. */
const notNames = wordSet(
  'if for foreach while switch catch using lock fixed return throw new base this when nameof typeof sizeof',
);
const block: HeadShape = { kind: 'block' };
const literal: HeadShape = { kind: 'block', keepsHead: true };

/** C# and Java. */
export const classHeads: HeadRules = {
  classify: classifyClassHead,
  declare: declareClassMember,
  endsAfter: ({ tokens, frame, language }, at) =>
    tokens.code(at) === char.colon && language === 'csharp' && wordAt(tokens, frame.head, 0) === 'case',
  allowsSemicolon: ({ tokens, frame }) => isForGroup(tokens, frame.opener) || tokens.read(frame.opener - 1) === 'try',
};

function classifyClassHead(line: Head): HeadShape {
  const { tokens, head, frame, language } = line;
  const end = head.length - 1;
  const last = codeAt(tokens, head, end);
  if (last === char.equals || last === char.comma || last === char.closeBracket) return bracketShape(line, last);
  if (last === code.fatArrow || last === code.thinArrow) return literal;
  const from = skipLead(line);
  const first = wordAt(tokens, head, from);
  if (first === 'namespace' || (first === 'module' && frame.kind === 'file')) return { kind: 'scope' };
  const type = findType(line, from);
  if (type !== undefined) return type;
  if (frame.kind === 'group') return anonymousClass(line) ?? literal;
  if (controls.has(first) && head.length > from) return first === 'return' ? (anonymousClass(line) ?? literal) : block;
  if (frame.kind === 'enum' && language === 'java') return enumConstantBody(line, from);
  if (frame.inBody && language === 'java') return anonymousClass(line) ?? block;
  return memberShape(line, from);
}

/** After `]`: an array creation, or the indexer of a C# class. */
function bracketShape(line: Head, last: number): HeadShape {
  const { tokens, head, frame } = line;
  const word = head.length - 3;
  if (last !== char.closeBracket || wordAt(tokens, head, word) !== 'this' || frame.kind !== 'type') return literal;
  const token = head[word];
  return token === undefined ? literal : { kind: 'function', name: { text: 'this[]', token } };
}

/** The head position after attributes, annotations and modifiers. */
function skipLead({ tokens, head }: Head): number {
  let at = 0;
  for (;;) {
    const of = codeAt(tokens, head, at);
    if (of === char.openBracket) at += 2;
    else if (of === char.at && wordAt(tokens, head, at + 1) !== 'interface') {
      at += 2;
      while (codeAt(tokens, head, at) === char.dot) at += 2;
      if (codeAt(tokens, head, at) === char.openParen) at += 2;
    } else if (of === char.at) return at + 1;
    else if (modifiers.has(wordAt(tokens, head, at)) && codeAt(tokens, head, at + 1) !== char.openParen) at += 1;
    else if (of === char.less) {
      const after = afterAngles(tokens, head, at);
      if (after === at) return at;
      at = after;
    } else return at;
  }
}

function findType({ tokens, head, language }: Head, from: number): HeadShape | undefined {
  const word = wordAt(tokens, head, from);
  if (!typeWords.has(word)) return undefined;
  let at = from + 1;
  if (word === 'record' && typeWords.has(wordAt(tokens, head, at))) at += 1;
  const text = wordAt(tokens, head, at);
  const token = head[at];
  if (text === '' || token === undefined) return undefined;
  // `record` is a plain word elsewhere: a method may return one or be named so.
  const next = codeAt(tokens, head, at + 1);
  if (word === 'record' && next === code.word && language === 'csharp') return undefined;
  return { kind: word === 'enum' ? 'enum' : 'type', name: { text, token } };
}

/** `new Runnable() {`: a class without a name, whose methods have one. */
function anonymousClass({ tokens, head, language }: Head): HeadShape | undefined {
  if (language !== 'java' || codeAt(tokens, head, head.length - 1) !== char.closeParen) return undefined;
  for (let at = head.length - 3; at >= 0; at -= 1) {
    const of = codeAt(tokens, head, at);
    if (wordAt(tokens, head, at) === 'new') return { kind: 'type', keepsHead: true };
    if (of !== code.word && of !== char.dot && of !== char.less && of !== char.greater && of !== char.comma)
      return undefined;
  }
  return undefined;
}

function enumConstantBody({ tokens, head }: Head, from: number): HeadShape {
  const isConstant =
    head.length - from === 1 || (head.length - from === 3 && codeAt(tokens, head, from + 1) === char.openParen);
  return isConstant ? { kind: 'type', keepsHead: true } : memberShape({ tokens, head } as Head, from);
}

/** A method, a constructor, a local function, an operator, or a property of C#. */
function memberShape(line: Head, from: number): HeadShape {
  const { tokens, head, frame, language } = line;
  const assigned = head.findIndex((token) => tokens.code(token) === char.equals);
  const operator = head.findIndex((token) => tokens.code(token) === code.word && tokens.read(token) === 'operator');
  if (operator >= 0 && !frame.inBody) return operatorShape(line, operator);
  if (assigned >= 0) return anonymousClass(line) ?? literal;
  for (let at = from; at < head.length; at += 1) {
    if (codeAt(tokens, head, at) !== char.openParen) continue;
    const name = methodName(line, at, from);
    if (name !== undefined) return { kind: 'function', name };
    if (notNames.has(wordAt(tokens, head, at - 1)) || frame?.inBody) return anonymousClass(line) ?? block;
  }
  const last = head.at(-1);
  const isProperty = language === 'csharp' && frame.kind === 'type' && head.length - from >= 2;
  if (!isProperty || last === undefined || tokens.code(last) !== code.word) return block;
  return { kind: 'function', name: { text: tokens.read(last), token: last } };
}

function operatorShape({ tokens, head }: Head, at: number): HeadShape {
  const open = head.findIndex((token, index) => index > at && tokens.code(token) === char.openParen);
  const first = head[at];
  const last = head[open - 1];
  if (open < 0 || first === undefined || last === undefined) return block;
  const symbol = tokens.text
    .slice(tokens.ends[first] ?? 0, tokens.ends[last] ?? 0)
    .trim()
    .slice(0, 60);
  return { kind: 'function', name: { text: `operator ${symbol}`, token: first } };
}

/** The name before the `(` at `at`. Inside a body, a type must be before it and nothing else. */
function methodName({ tokens, head, frame }: Head, at: number, from: number): HeadShape['name'] {
  let last = at - 1;
  if (codeAt(tokens, head, last) === char.greater) last = beforeAngles(tokens, head, last) - 1;
  const text = wordAt(tokens, head, last);
  const token = head[last];
  if (token === undefined || text === '' || notNames.has(text) || last < from) return undefined;
  if (frame?.inBody) {
    const before = codeAt(tokens, head, last - 1);
    const isTyped =
      before === code.word || before === char.greater || before === char.closeBracket || before === char.question;
    if (last - from < 1 || !isTyped || controls.has(wordAt(tokens, head, last - 1))) return undefined;
    for (let next = from; next < last; next += 1) {
      if (wordAt(tokens, head, next) === 'new' || codeAt(tokens, head, next) === char.openParen) return undefined;
    }
  }
  return { text: codeAt(tokens, head, last - 1) === char.tilde ? `~${text}` : text, token };
}
