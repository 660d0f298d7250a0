import { char, code } from '../scan/token-list.js';
import type { HeadShape } from './frame.js';
import { codeAt, wordAt, wordSet } from './head-words.js';
import type { BracePass, Head, HeadRules } from './pass.js';
import { declareScript } from './script-declarations.js';
import { assignedName, functionName, methodName, skipLead } from './script-names.js';

/** Words after which a brace opens a literal or a pattern. */
const beforeLiteral = wordSet(
  'return typeof extends in of new default yield await as satisfies case throw keyof const let var import export delete ' +
    'is asserts infer readonly',
);
const controls = wordSet('if for while switch catch with else do try finally');
/** A newline after one of these ends no statement. */
const continues = wordSet(
  'extends implements const let var function class interface enum new typeof in of export default import from await type ' +
    'public private protected static readonly abstract async declare namespace module as satisfies keyof is instanceof case ' +
    'get set delete void override accessor unique infer',
);
/** A line that begins with one of these goes on with the statement before. */
const continuing = wordSet('extends implements in instanceof as satisfies of is from');
const block: HeadShape = { kind: 'block' };
const object: HeadShape = { kind: 'object', keepsHead: true };

/** JavaScript and TypeScript: functions nest, and a newline may end a statement. */
export const scriptHeads: HeadRules = {
  classify: classifyScript,
  declare: declareScript,
  nameArrow,
  endsBefore,
  endsAfter: ({ tokens, frame }, at) =>
    tokens.code(at) === char.colon &&
    frame.kind !== 'object' &&
    /^(?:case|default)$/.test(wordAt(tokens, frame.head, 0)),
  allowsSemicolon: ({ tokens, frame }) => tokens.read(frame.opener - 1) === 'for',
};

/** In the type of an object, `name: (a) => T` is no function. */
function nameArrow(line: Head): HeadShape['name'] {
  const { tokens, head, frame } = line;
  if (wordAt(tokens, head, skipLead(line)) === 'type' || (frame.kind === 'object' && isTypeLiteral(line)))
    return undefined;
  return assignedName(line, head.length - 1);
}

function isTypeLiteral({ tokens, frame }: Head): boolean {
  const before = tokens.code(frame.opener - 1);
  if (before === char.colon) return frame.parent?.kind !== 'object';
  if (before === char.equals)
    return wordAt(tokens, frame.parent?.head ?? [], skipType(tokens, frame.parent?.head ?? [])) === 'type';
  return before === char.less || before === char.ampersand || before === char.pipe;
}

/** The head position after `export` and `declare`. */
function skipType(tokens: Head['tokens'], head: readonly number[]): number {
  let at = 0;
  while (at < 3 && /^(?:export|declare)$/.test(wordAt(tokens, head, at))) at += 1;
  return at;
}

function endsBefore({ tokens, frame }: BracePass, at: number): boolean {
  const last = frame.head.at(-1);
  if (last === undefined || frame.kind === 'object' || frame.kind === 'group' || frame.kind === 'enum') return false;
  if (tokens.line(last) === tokens.line(at)) return false;
  const decorated = tokens.code(frame.head[0] ?? -1) === char.at;
  return canEnd({ tokens, last }) && canBegin(tokens.code(at), tokens.read(at), frame.kind) && !decorated;
}

function canEnd({ tokens, last }: { tokens: BracePass['tokens']; last: number }): boolean {
  const of = tokens.code(last);
  if (of === code.word) return !continues.has(tokens.read(last)) || tokens.code(last - 1) === char.dot;
  if (of === code.number || of === code.string || of === char.greater) return true;
  return of === char.closeParen || of === char.closeBracket || of === char.closeBrace;
}

function canBegin(of: number, text: string, kind: string): boolean {
  if (of === code.word) return !continuing.has(text);
  if (of === char.at || of === char.hash || of === code.number || of === code.string) return true;
  return (of === char.openBracket || of === char.star) && kind === 'type';
}

function classifyScript(line: Head): HeadShape {
  const { tokens, head, frame } = line;
  if (head.length === 0) return frame.kind === 'group' || frame.kind === 'object' ? object : block;
  const last = codeAt(tokens, head, head.length - 1);
  const from = skipLead(line);
  const first = wordAt(tokens, head, from);
  if (last === code.fatArrow) return arrowShape(line);
  if (last === char.equals && first === 'type') return aliasShape(line, from);
  if (opensLiteral(line, last)) return object;
  if (controls.has(first) && frame.kind !== 'object' && frame.kind !== 'type') return block;
  return declarationShape(line, from) ?? methodShape(line, from);
}

/** True where what is before the brace expects a value or a type. */
function opensLiteral({ tokens, head, frame }: Head, last: number): boolean {
  if (last === code.word) {
    return beforeLiteral.has(wordAt(tokens, head, head.length - 1)) && !(head.length === 1 && frame.kind === 'type');
  }
  if (last === char.colon) {
    const first = wordAt(tokens, head, 0);
    return !(frame.kind === 'block' || frame.kind === 'function') || (first !== 'case' && first !== 'default');
  }
  if (last === code.number || last === code.string) return false;
  return last !== char.closeParen && last !== char.closeBracket && last !== char.closeBrace && last !== char.greater;
}

function arrowShape(line: Head): HeadShape {
  const name = assignedName(line, line.head.length - 1);
  if (name === undefined) return { kind: 'function', keepsHead: true };
  return { kind: 'function', name, keepsHead: true };
}

function aliasShape({ tokens, head }: Head, from: number): HeadShape {
  const token = head[from + 1];
  const text = wordAt(tokens, head, from + 1);
  return token === undefined || text === '' ? object : { kind: 'object', name: { text, token }, keepsHead: true };
}

/** A class, an interface, an enumeration, a namespace or a `function`, at the start or as a value. */
function declarationShape(line: Head, from: number): HeadShape | undefined {
  const { tokens, head, frame } = line;
  const isEntry = frame.kind === 'object' || frame.kind === 'type';
  for (let at = from; at < head.length; at += 1) {
    const word = wordAt(tokens, head, at);
    if (word === '' || codeAt(tokens, head, at - 1) === char.dot) continue;
    const next = codeAt(tokens, head, at + 1);
    if (isEntry && at === from && (next === char.openParen || next === char.less || next === char.colon)) continue;
    const value = at > from;
    if (word === 'function') return functionShape(line, at, value);
    if (word === 'class') return classShape(line, at, value);
    if (value) continue;
    if (word === 'enum') return namedShape(line, at, 'enum');
    if (word === 'interface') return namedShape(line, at, 'type');
    if ((word === 'namespace' || word === 'module' || word === 'global') && frame.kind !== 'function') {
      if (head.length - at <= 8 && next !== char.openParen) return { kind: 'scope' };
    }
  }
  return undefined;
}

function namedShape({ tokens, head }: Head, at: number, kind: 'enum' | 'type'): HeadShape | undefined {
  const token = head[at + 1];
  const text = wordAt(tokens, head, at + 1);
  return token === undefined || text === '' ? undefined : { kind, name: { text, token } };
}

function functionShape(line: Head, at: number, value: boolean): HeadShape {
  const name = functionName(line, at) ?? assignedName(line, at);
  return { kind: 'function', ...(name !== undefined && { name }), keepsHead: value };
}

function classShape(line: Head, at: number, value: boolean): HeadShape {
  const { tokens, head } = line;
  const text = wordAt(tokens, head, at + 1);
  const token = head[at + 1];
  const own =
    text !== '' && text !== 'extends' && text !== 'implements' && token !== undefined ? { text, token } : undefined;
  const name = own ?? assignedName(line, at);
  return { kind: 'type', ...(name !== undefined && { name }), keepsHead: value };
}

function methodShape(line: Head, from: number): HeadShape {
  const { frame } = line;
  if (frame.kind !== 'object' && frame.kind !== 'type') return block;
  const name = methodName(line, from);
  if (name === undefined) return block;
  return { kind: 'function', name, keepsHead: frame.kind === 'object' };
}
