import { char, code, type TokenList } from '../scan/token-list.js';
import { findFunctionName } from './c-function-head.js';
import type { Frame } from './frame.js';
import { codeAt, wordAt, wordSet } from './head-words.js';
import type { BracePass, DeclaredName } from './pass.js';

const noValue = wordSet('return goto break continue case default using friend extern namespace template if else');

/** What a statement outside functions declares: an enumerator, a type name, a prototype, a value. */
export function declareC({ frame, tokens }: BracePass): DeclaredName | undefined {
  const { head } = frame;
  if (frame.kind === 'enum') return declareMember(tokens, head);
  const first = wordAt(tokens, head, 0);
  if (first === 'typedef') return declared('type', typedefName(tokens, head));
  if (first === 'using' && codeAt(tokens, head, 2) === char.equals) return declared('type', head[1]);
  if (head.length > 160) return undefined;
  const found = findFunctionName({ tokens, head }, 0);
  if (found !== undefined) {
    rememberOldStyle(frame, tokens, head, found.parameters);
    return head.length > 3 && head[0] !== found.token ? declared('function', found.token) : undefined;
  }
  return noValue.has(first) ? undefined : declared('value', valueName(tokens, head));
}

/** The first word of an enumerator, after attributes. */
export function declareMember(tokens: TokenList, head: readonly number[]): DeclaredName | undefined {
  let at = 0;
  while (codeAt(tokens, head, at) === char.openBracket) at += 2;
  if (codeAt(tokens, head, at) === char.at) at += codeAt(tokens, head, at + 2) === char.openParen ? 4 : 2;
  return wordAt(tokens, head, at) === '' ? undefined : declared('member', head[at]);
}

/** A declaration named by a token; nothing where there is none. */
export function declared(kind: DeclaredName['kind'], token: number | undefined): DeclaredName | undefined {
  return token === undefined ? undefined : { kind, token };
}

/** The last word outside brackets, or the name in the first `(*name)`. */
function typedefName(tokens: TokenList, head: readonly number[]): number | undefined {
  for (let at = 1; at < head.length; at += 1) {
    if (codeAt(tokens, head, at) !== char.openParen) continue;
    const open = head[at] ?? 0;
    if (tokens.code(open + 1) === char.star && tokens.code(open + 2) === code.word) return open + 2;
  }
  for (let at = head.length - 1; at > 1; at -= 1) {
    if (wordAt(tokens, head, at) !== '') return head[at];
  }
  return undefined;
}

/** The word before `=`, `[` or the end, where a type is before it. */
function valueName(tokens: TokenList, head: readonly number[]): number | undefined {
  let end = head.length;
  for (let at = 1; at < head.length; at += 1) {
    const of = codeAt(tokens, head, at);
    if (of !== char.equals && of !== char.openBracket && of !== char.colon && of !== char.openBrace) continue;
    if (at === 1 && of === char.openBracket) return undefined;
    end = at;
    break;
  }
  return end >= 2 && wordAt(tokens, head, end - 1) !== '' ? head[end - 1] : undefined;
}

/** Old C: the parameters' types are between the list and the body, each with a `;`. */
function rememberOldStyle(frame: Frame, tokens: TokenList, head: readonly number[], parameters: number): void {
  const after = codeAt(tokens, head, parameters + 2);
  frame.oldStyleHead = after === code.word && head.length - parameters - 2 >= 2 ? [...head] : undefined;
}
