import { char, code } from '../scan/token-list.js';
import type { HeadShape } from './frame.js';
import { afterAngles, beforeAngles, codeAt, wordAt, wordSet } from './head-words.js';
import type { Head } from './pass.js';

type Name = NonNullable<HeadShape['name']>;

const modifiers = wordSet(
  'export default async declare abstract public private protected static readonly override get set accessor',
);

/** The head position after decorators and modifiers; a modifier right before `(`, `=` or `:` is a name. */
export function skipLead({ tokens, head }: Head): number {
  let at = 0;
  for (;;) {
    const of = codeAt(tokens, head, at);
    if (of === char.at) {
      at += 2;
      while (codeAt(tokens, head, at) === char.dot) at += 2;
      if (codeAt(tokens, head, at) === char.openParen) at += 2;
      continue;
    }
    if (of === char.star) {
      at += 1;
      continue;
    }
    const next = codeAt(tokens, head, at + 1);
    const isName =
      next === char.openParen || next === char.equals || next === char.colon || next === char.less || next === 0;
    const isConstEnum = wordAt(tokens, head, at) === 'const' && wordAt(tokens, head, at + 1) === 'enum';
    if (!isConstEnum && (!modifiers.has(wordAt(tokens, head, at)) || isName)) return at;
    at += 1;
  }
}

/** The name after `function` or `function*`. */
export function functionName({ tokens, head }: Head, at: number): Name | undefined {
  const next = codeAt(tokens, head, at + 1) === char.star ? at + 2 : at + 1;
  const text = wordAt(tokens, head, next);
  const token = head[next];
  return text === '' || token === undefined ? undefined : { text, token };
}

/**
 * What the value that ends at head position `end` is assigned to: `const name =`, `a.name =`, `name:`.
 * Only the parameters of the function itself may be between.
 */
export function assignedName({ tokens, head, frame }: Head, end: number): Name | undefined {
  for (let at = end - 1; at > 0; at -= 1) {
    const of = codeAt(tokens, head, at);
    if (of === char.equals) return targetName({ tokens, head }, at - 1);
    if (of === char.comma || of === char.question || of === code.comparison || of === code.fatArrow) return undefined;
    if (
      of === char.colon &&
      at <= 2 &&
      (frame.kind === 'object' || frame.kind === 'group') &&
      isEntryValue({ tokens, head }, at, end)
    ) {
      return targetName({ tokens, head }, at - 1);
    }
    if (of === char.openParen && isCalled({ tokens, head }, at)) return undefined;
  }
  return undefined;
}

function isEntryValue({ tokens, head }: Pick<Head, 'tokens' | 'head'>, colon: number, end: number): boolean {
  const next = wordAt(tokens, head, colon + 1);
  if (colon + 1 === end || next === 'async') return true;
  const of = codeAt(tokens, head, colon + 1);
  return of === char.openParen || of === char.less || (of === code.word && colon + 2 === end);
}

/** A group that an expression calls, `f(` or `)(`, is not the parameters of an arrow function. */
function isCalled({ tokens, head }: Pick<Head, 'tokens' | 'head'>, at: number): boolean {
  const before = codeAt(tokens, head, at - 1);
  if (before === char.closeParen || before === char.closeBracket) return true;
  return before === code.word && wordAt(tokens, head, at - 1) !== 'async';
}

function targetName({ tokens, head }: Pick<Head, 'tokens' | 'head'>, from: number): Name | undefined {
  let at = from;
  // A type between the name and `=`: the name is before the first `:`.
  for (let next = at; next > 0 && next > at - 48; next -= 1) {
    if (codeAt(tokens, head, next) !== char.colon) continue;
    at = next - 1;
  }
  if (codeAt(tokens, head, at) === char.bang || codeAt(tokens, head, at) === char.question) at -= 1;
  const token = head[at];
  const of = codeAt(tokens, head, at);
  if (token === undefined) return undefined;
  if (of === code.word) return { text: tokens.read(token), token };
  return of === code.string ? { text: tokens.read(token).slice(1, -1).slice(0, 100), token } : undefined;
}

/** `name(…)`, `'name'(…)`, `[name](…)`, `#name<T>(…)`: a method of a class or an object. */
export function methodName({ tokens, head }: Head, from: number): Name | undefined {
  for (let at = from; at < head.length; at += 1) {
    const of = codeAt(tokens, head, at);
    if (of === char.equals || of === char.colon) return undefined;
    if (of === char.less) {
      const after = afterAngles(tokens, head, at);
      if (after > at) at = after - 1;
      continue;
    }
    if (of !== char.openParen) continue;
    return nameBefore({ tokens, head }, at, from);
  }
  return undefined;
}

function nameBefore({ tokens, head }: Pick<Head, 'tokens' | 'head'>, at: number, from: number): Name | undefined {
  let last = at - 1;
  if (codeAt(tokens, head, last) === char.greater) last = beforeAngles(tokens, head, last) - 1;
  if (codeAt(tokens, head, last) === char.question) last -= 1;
  const token = head[last];
  if (token === undefined || last < from) return undefined;
  const of = codeAt(tokens, head, last);
  if (of === code.word) {
    const isPrivate = codeAt(tokens, head, last - 1) === char.hash;
    return { text: isPrivate ? `#${tokens.read(token)}` : tokens.read(token), token };
  }
  if (of === code.string) return { text: tokens.read(token).slice(1, -1).slice(0, 100), token };
  const open = head[last - 1];
  if (of !== char.closeBracket || open === undefined) return undefined;
  return {
    text: tokens.text.slice(
      tokens.starts[open] ?? 0,
      Math.min(tokens.ends[token] ?? 0, (tokens.starts[open] ?? 0) + 80),
    ),
    token: open,
  };
}
