import { char, code, type TokenList } from '../scan/token-list.js';

/** A set of words written as one text. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/** True where head position `at` is a word, or one of `words`. */
export function isWord(tokens: TokenList, head: readonly number[], at: number): boolean {
  return codeAt(tokens, head, at) === code.word;
}

/** The code of the token at head position `at`; 0 outside the head. */
export function codeAt(tokens: TokenList, head: readonly number[], at: number): number {
  const token = head[at];
  return token === undefined ? 0 : tokens.code(token);
}

/** The text of the word at head position `at`; empty for anything else. */
export function wordAt(tokens: TokenList, head: readonly number[], at: number): string {
  const token = head[at];
  return token === undefined || tokens.code(token) !== code.word ? '' : tokens.read(token);
}

/** The head position after the `>` that closes the `<` at `at`; `at` where none does. */
export function afterAngles(tokens: TokenList, head: readonly number[], at: number): number {
  let depth = 0;
  for (let next = at; next < head.length; next += 1) {
    const of = codeAt(tokens, head, next);
    if (of === char.less) depth += 1;
    else if (of === char.greater) {
      depth -= 1;
      if (depth === 0) return next + 1;
    } else if (of === char.semicolon) break;
  }
  return at;
}

/** The head position of the `<` that the `>` at `at` closes; `at` where none does. */
export function beforeAngles(tokens: TokenList, head: readonly number[], at: number): number {
  let depth = 0;
  for (let next = at; next >= 0; next -= 1) {
    const of = codeAt(tokens, head, next);
    if (of === char.greater) depth += 1;
    else if (of === char.less) {
      depth -= 1;
      if (depth === 0) return next;
    }
  }
  return at;
}

/** True for `GENERATED_BODY` and its like: capitals, digits and `_`, at least two characters. */
export function isMacroName(word: string): boolean {
  return word.length > 1 && /^[A-Z_][A-Z0-9_]*$/.test(word);
}

/** True where a `for` opens the group, or a macro, both of which may hold `;`. */
export function isForGroup(tokens: TokenList, opener: number): boolean {
  if (tokens.code(opener - 1) !== code.word) return false;
  const word = tokens.read(opener - 1);
  return word === 'for' || isMacroName(word);
}
