import { char } from '../scan/token-list.js';
import { declared, declareMember } from './c-declarations.js';
import { codeAt, wordAt, wordSet } from './head-words.js';
import type { BracePass, DeclaredName } from './pass.js';

const variables = wordSet('const let var');
const lead = wordSet('export default declare public private protected static readonly override abstract');

/** Constants, types, enumerators, fields, and the keys of objects outside functions. */
export function declareScript({ tokens, frame }: BracePass): DeclaredName | undefined {
  const { head } = frame;
  if (frame.kind === 'enum') return declareMember(tokens, head);
  let at = 0;
  while (lead.has(wordAt(tokens, head, at)) && at < 6) at += 1;
  const first = wordAt(tokens, head, at);
  if (first === 'type') return declared('type', head[at + 1]);
  if (variables.has(first) && wordAt(tokens, head, at + 1) !== '') return declared('value', head[at + 1]);
  if (frame.kind === 'object' && codeAt(tokens, head, 1) === char.colon) {
    return wordAt(tokens, head, 0) === '' ? undefined : declared('key', head[0]);
  }
  if (frame.kind !== 'type' || first === '') return undefined;
  const next = codeAt(tokens, head, at + 1);
  if (next === char.openParen) return declared('function', head[at]);
  const isField = next === char.equals || next === char.colon || next === char.question || next === 0;
  return isField ? declared('value', head[at]) : undefined;
}
