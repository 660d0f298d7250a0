import { char, code, type TokenList } from '../scan/token-list.js';
import { beforeAngles, codeAt, isMacroName, wordAt, wordSet } from './head-words.js';

/** The name of a function, the head position of its parameters, and what qualifies it. */
export interface FunctionName {
  readonly text: string;
  /** Token index of the name. */
  readonly token: number;
  readonly qualifiers: readonly string[];
  /** Head position of the `(` of the parameters. */
  readonly parameters: number;
}

/** Words before a `(` that make it no parameter list. */
const notNames = wordSet(
  'if for while switch catch return sizeof do else case new delete throw noexcept alignas alignof decltype typeof ' +
    '__typeof__ __typeof requires explicit static_assert _Static_assert __attribute__ __attribute __declspec __asm__ ' +
    '__asm asm _Alignas __except __pragma _Pragma void int char short long float double bool signed unsigned auto ' +
    'const volatile static inline extern register typedef template using co_return co_await defined layout',
);
/** Words that may follow a parameter list before the body. */
const trailing = wordSet(
  'const volatile noexcept override final throw try requires mutable __attribute__ __attribute __restrict sealed abstract ' +
    'consteval constexpr pure __asm__ asm __asm',
);

type Line = { readonly tokens: TokenList; readonly head: readonly number[] };

/** The function that a head declares, if it is one: the first name with parameters that no macro explains. */
export function findFunctionName({ tokens, head }: Line, from: number): FunctionName | undefined {
  let macro: FunctionName | undefined;
  for (let at = from; at < head.length; at += 1) {
    const of = codeAt(tokens, head, at);
    if (of === char.equals) return macro;
    if (of === code.word && wordAt(tokens, head, at) === 'operator') return operatorName({ tokens, head }, at);
    if (of === char.colon && at > from && codeAt(tokens, head, at - 1) !== char.closeParen) return macro;
    if (of !== char.openParen) continue;
    const name = nameBefore({ tokens, head }, at, from);
    at += 1;
    if (name === undefined) continue;
    if (!continuesDeclaration({ tokens, head }, at + 1)) return name;
    macro ??= name;
  }
  return macro;
}

/** True where a plain word, `*` or a second name follows a group: the group was a macro's, not the parameters. */
function continuesDeclaration({ tokens, head }: Line, at: number): boolean {
  const of = codeAt(tokens, head, at);
  if (of === char.tilde || of === char.star || of === code.scope) return true;
  if (of !== code.word) return false;
  const word = wordAt(tokens, head, at);
  if (trailing.has(word)) return false;
  return !isMacroName(word) || hasGroupAfter({ tokens, head }, at);
}

/** True where a later `name(` could be the function: in what follows position `at`. */
function hasGroupAfter({ tokens, head }: Line, at: number): boolean {
  for (let next = at + 1; next < head.length && next < at + 24; next += 1) {
    const of = codeAt(tokens, head, next);
    if (of === char.colon || of === char.equals || of === code.thinArrow) return false;
    if (of !== char.openParen) continue;
    const word = wordAt(tokens, head, next - 1);
    if (word !== '' && !isMacroName(word) && !notNames.has(word)) return true;
  }
  return false;
}

/** The name before the `(` at `at`, with its qualifiers. */
function nameBefore({ tokens, head }: Line, at: number, from: number): FunctionName | undefined {
  let last = at - 1;
  if (last < from) return undefined;
  if (codeAt(tokens, head, last) === char.greater) {
    const open = beforeAngles(tokens, head, last);
    if (open === last) return undefined;
    last = open - 1;
  }
  if (codeAt(tokens, head, last) === char.closeParen) return nameInGroup({ tokens, head }, last - 1, at);
  const word = wordAt(tokens, head, last);
  if (word === '' || notNames.has(word)) return undefined;
  const tilde = codeAt(tokens, head, last - 1) === char.tilde;
  return {
    text: tilde ? `~${word}` : word,
    token: head[last] ?? 0,
    qualifiers: qualifiersBefore({ tokens, head }, tilde ? last - 2 : last - 1, from),
    parameters: at,
  };
}

/** The words of `A::B<T>::` that end at `at`, the outermost first. */
function qualifiersBefore({ tokens, head }: Line, at: number, from: number): string[] {
  const found: string[] = [];
  let next = at;
  while (next > from && codeAt(tokens, head, next) === code.scope && found.length < 16) {
    let word = next - 1;
    if (codeAt(tokens, head, word) === char.greater) word = beforeAngles(tokens, head, word) - 1;
    const text = wordAt(tokens, head, word);
    if (text === '') break;
    found.unshift(text);
    next = word - 1;
  }
  return found;
}

/** `int (name)(int)` and `void (*name(int))(int)`: the first name inside the first group. */
function nameInGroup({ tokens, head }: Line, group: number, at: number): FunctionName | undefined {
  const open = head[group];
  const close = head[group + 1];
  if (open === undefined || close === undefined || codeAt(tokens, head, group) !== char.openParen) return undefined;
  for (let token = open + 1; token < close && token < open + 12; token += 1) {
    const next = tokens.code(token + 1);
    if (tokens.code(token) !== code.word || (next !== char.closeParen && next !== char.openParen)) continue;
    const text = tokens.read(token);
    return notNames.has(text) ? undefined : { text, token, qualifiers: [], parameters: at };
  }
  return undefined;
}

/** `operator==`, `operator bool`, `operator()`: up to the group of its parameters. */
function operatorName({ tokens, head }: Line, at: number): FunctionName | undefined {
  let open = at + 1;
  if (codeAt(tokens, head, open) === char.openParen && codeAt(tokens, head, open + 2) === char.openParen) open += 2;
  while (open < head.length && codeAt(tokens, head, open) !== char.openParen) open += 1;
  const first = head[at];
  const last = head[open - 1];
  if (open >= head.length || first === undefined || last === undefined) return undefined;
  const symbol = tokens.text.slice(
    tokens.ends[first] ?? 0,
    Math.min(tokens.ends[last] ?? 0, (tokens.ends[first] ?? 0) + 60),
  );
  const compact = symbol.replace(/\s+/g, ' ').trim();
  return {
    text: /^\w/.test(compact) ? `operator ${compact}` : `operator${compact.replace(/ /g, '')}`,
    token: first,
    qualifiers: qualifiersBefore({ tokens, head }, at - 1, 0),
    parameters: open,
  };
}

/** A function made by a macro alone, `TEST(Suite, Case) {`, is named by its whole call. */
export function nameMacroCall({ tokens, head }: Line, name: FunctionName, from: number): FunctionName {
  const open = head[name.parameters];
  const close = head[name.parameters + 1];
  if (head[from] !== name.token || !isMacroName(name.text) || open === undefined || close === undefined) return name;
  const call = tokens.text.slice(tokens.starts[open] ?? 0, tokens.ends[close] ?? 0).replace(/\s+/g, ' ');
  return call.length > 80 ? name : { ...name, text: `${name.text}${call}` };
}
