import { char, code } from '../scan/token-list.js';
import { declared } from './c-declarations.js';
import type { HeadShape } from './frame.js';
import { codeAt, wordAt, wordSet } from './head-words.js';
import type { BracePass, DeclaredName, Head, HeadRules } from './pass.js';

const opensType = wordSet('struct interface');
/** A newline after one of these ends no statement. */
const continues = wordSet(
  'func type var const import package if for switch select go defer return map chan struct interface',
);
const opensGroup = wordSet('const var type');
const block: HeadShape = { kind: 'block' };

/** Go: functions are outside bodies only; a newline ends a statement that could end. */
export const goHeads: HeadRules = {
  classify: classifyGo,
  declare: declareGo,
  endsBefore(pass, at) {
    const { tokens, frame } = pass;
    const last = frame.head.at(-1);
    if (last === undefined || tokens.line(last) === tokens.line(at)) return false;
    return canEnd(pass, last);
  },
  allowsSemicolon: () => true,
  declaresInGroup: (pass) => groupKeyword(pass) !== undefined,
};

/** `const`, `var` or `type` of the group outside functions that is open. */
function groupKeyword({ tokens, frame }: BracePass): string | undefined {
  if (frame.kind !== 'group' || frame.inBody || frame.opener === 0) return undefined;
  const word = tokens.read(frame.opener - 1);
  return tokens.code(frame.opener - 1) === code.word && opensGroup.has(word) ? word : undefined;
}

function canEnd({ tokens }: BracePass, last: number): boolean {
  const of = tokens.code(last);
  if (of === code.word) return !continues.has(tokens.read(last)) || tokens.read(last) === 'return';
  if (of === code.number || of === code.string) return true;
  return of === char.closeParen || of === char.closeBracket || of === char.closeBrace;
}

function classifyGo({ tokens, head, frame }: Head): HeadShape {
  const last = wordAt(tokens, head, head.length - 1);
  const first = wordAt(tokens, head, 0);
  if (first === 'func' && frame.kind === 'file') {
    if (opensType.has(last)) return { kind: 'object', keepsHead: true };
    return functionShape({ tokens, head });
  }
  if (!opensType.has(last))
    return { kind: 'block', keepsHead: head.length > 0 && codeAt(tokens, head, head.length - 1) !== char.closeParen };
  const at = first === 'type' ? 1 : 0;
  const token = head[at];
  const text = wordAt(tokens, head, at);
  const declares = first === 'type' || (frame.kind === 'group' && tokens.read(frame.opener - 1) === 'type');
  if (!declares || token === undefined || text === '' || opensType.has(text))
    return { kind: 'object', keepsHead: true };
  return { kind: 'type', name: { text, token } };
}

function functionShape({ tokens, head }: Pick<Head, 'tokens' | 'head'>): HeadShape {
  const hasReceiver = codeAt(tokens, head, 1) === char.openParen;
  const at = hasReceiver ? 3 : 1;
  const token = head[at];
  const text = wordAt(tokens, head, at);
  if (token === undefined || text === '') return block;
  return { kind: 'function', name: { text, token, qualifiers: hasReceiver ? receiver({ tokens, head }) : [] } };
}

/** `(s *Server[T])`: the last word before `)` or the type's parameters. */
function receiver({ tokens, head }: Pick<Head, 'tokens' | 'head'>): readonly string[] {
  const open = head[1] ?? 0;
  const close = Math.min(head[2] ?? 0, open + 24);
  let name = '';
  for (let token = open + 1; token < close && tokens.code(token) !== char.openBracket; token += 1) {
    if (tokens.code(token) === code.word) name = tokens.read(token);
  }
  return name === '' ? [] : [name];
}

/** What a statement or a line of a group declares: constants, variables, types, fields, methods of interfaces. */
function declareGo(pass: BracePass): DeclaredName | undefined {
  const { tokens, frame } = pass;
  const { head } = frame;
  const first = wordAt(tokens, head, 0);
  if (first === '') return undefined;
  const keyword = groupKeyword(pass);
  if (keyword !== undefined) return declared(keyword === 'type' ? 'type' : 'value', head[0]);
  if (frame.kind === 'type') return declareField(pass);
  if (first === 'type') return wordAt(tokens, head, 1) === '' ? undefined : declared('type', head[1]);
  const isValue = (first === 'const' || first === 'var') && wordAt(tokens, head, 1) !== '';
  return isValue ? declared('value', head[1]) : undefined;
}

/** `Name Type` of a struct, `Name(…)` of an interface; an embedded type alone is neither. */
function declareField({ tokens, frame: { head } }: BracePass): DeclaredName | undefined {
  if (codeAt(tokens, head, 1) === char.openParen) return declared('function', head[0]);
  return head.length > 1 && codeAt(tokens, head, 1) !== char.dot ? declared('value', head[0]) : undefined;
}
