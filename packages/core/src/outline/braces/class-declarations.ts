import { char, code } from '../scan/token-list.js';
import { declared, declareMember } from './c-declarations.js';
import { codeAt, wordAt, wordSet } from './head-words.js';
import type { BracePass, DeclaredName } from './pass.js';

const notDeclared = wordSet('using import package namespace return throw extern module');

/** C# and Java: enumerators, delegates, methods without a body, fields. */
export function declareClassMember(pass: BracePass): DeclaredName | undefined {
  const { tokens, frame } = pass;
  const { head } = frame;
  if (frame.kind === 'enum' && !hasParameters(pass)) return declareMember(tokens, head);
  if (head.length > 160 || notDeclared.has(wordAt(tokens, head, 0))) return undefined;
  for (let at = 1; at < head.length; at += 1) {
    const of = codeAt(tokens, head, at);
    if (of === char.equals || of === code.fatArrow) return declareBefore(pass, at, 'value');
    if (of !== char.openParen || codeAt(tokens, head, at - 1) !== code.word || at < 2) continue;
    if (codeAt(tokens, head, at - 2) === char.at || codeAt(tokens, head, at - 2) === char.dot) continue;
    return declareBefore(pass, at, head.some((token) => tokens.read(token) === 'delegate') ? 'type' : 'function');
  }
  return head.length >= 2 ? declareBefore(pass, head.length, 'value') : undefined;
}

/** An enumeration of Java goes on with methods and fields after a `;`. */
function hasParameters({ tokens, frame: { head } }: BracePass): boolean {
  return codeAt(tokens, head, 0) === code.word && codeAt(tokens, head, 1) === code.word;
}

function declareBefore({ tokens, frame }: BracePass, at: number, kind: DeclaredName['kind']): DeclaredName | undefined {
  return wordAt(tokens, frame.head, at - 1) === '' ? undefined : declared(kind, frame.head[at - 1]);
}
