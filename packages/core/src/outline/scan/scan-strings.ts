import { advance, findAfter, isWordCode, type ScanState } from './scan-state.js';
import { code } from './token-list.js';

const backslash = 92;

/** The index after the closing `quote` on the current line, or -1. A `\` before a newline continues the line. */
export function findQuote(state: ScanState, quote: number, from: number): number {
  const { text } = state;
  for (let at = from; at < text.length; at += 1) {
    const of = text.charCodeAt(at);
    if (of === quote) return at + 1;
    if (of === 10) return -1;
    if (of === backslash) at += text.charCodeAt(at + 1) === 13 && text.charCodeAt(at + 2) === 10 ? 2 : 1;
  }
  return -1;
}

/** Pushes one string token from the position to `end` and moves there. */
export function pushString(state: ScanState, end: number): void {
  state.tokens.push(code.string, state.position, end, state.line);
  advance(state, end);
}

/** A string of one line; one that has no end stops at the end of its line. */
export function scanString(state: ScanState, quoteAt: number): void {
  const end = findQuote(state, state.text.charCodeAt(quoteAt), quoteAt + 1);
  pushString(state, end < 0 ? state.lineEnd : end);
}

/** A text up to `terminator`; without one it reaches the text's end, or when recovering the line's end. */
export function scanRaw(state: ScanState, from: number, terminator: string): void {
  const end = findAfter(state, terminator, from);
  if (end < 0) state.tokens.unclosed = true;
  pushString(state, end < 0 ? endOfUnclosed(state) : end);
}

function endOfUnclosed(state: ScanState): number {
  return state.recovers ? state.lineEnd : state.text.length;
}

/** `'`: a character, a string, or an apostrophe of prose, which is stepped over. */
export function scanApostrophe(state: ScanState): void {
  const { text, position, rules } = state;
  const before = text.charCodeAt(position - 1);
  if (rules.apostrophe === 'string' && isWordCode(before) && isWordCode(text.charCodeAt(position + 1))) {
    if (
      !/(?:^|[^\w$])(?:return|case|typeof|in|of|from|import|else|default)$/.test(text.slice(position - 9, position))
    ) {
      advance(state, position + 1);
      return;
    }
  }
  const end = findQuote(state, 39, position + 1);
  if (end < 0) advance(state, position + 1);
  else pushString(state, end);
}

/** `R"x(…)x"`: `quoteAt` is the index of the quote. */
export function scanCppRaw(state: ScanState, quoteAt: number): void {
  const open = state.text.indexOf('(', quoteAt);
  if (open < 0 || open - quoteAt > 17) scanString(state, quoteAt);
  else scanRaw(state, open + 1, `)${state.text.slice(quoteAt + 1, open)}"`);
}

/** A C# string that begins with `"`, `@` or `$` at the position. False where none begins. */
export function scanCsharpString(state: ScanState): boolean {
  const { text, position } = state;
  let at = position;
  while (text.charCodeAt(at) === 36 || text.charCodeAt(at) === 64) at += 1;
  if (text.charCodeAt(at) !== 34 || at - position > 8) return false;
  const marks = text.slice(position, at);
  let quotes = 1;
  while (text.charCodeAt(at + quotes) === 34 && quotes < 64) quotes += 1;
  if (quotes >= 3) scanRaw(state, at + quotes, '"'.repeat(quotes));
  else if (marks.includes('@')) pushString(state, findVerbatimEnd(state, at + 1));
  else if (marks.includes('$')) pushString(state, findInterpolatedEnd(state, at + 1));
  else scanString(state, at);
  return true;
}

/** The end of `@"…"`, in which `""` is a quote. */
function findVerbatimEnd(state: ScanState, from: number): number {
  const { text } = state;
  let at = from;
  for (;;) {
    const end = text.indexOf('"', at);
    if (end < 0) {
      state.tokens.unclosed = true;
      return endOfUnclosed(state);
    }
    if (text.charCodeAt(end + 1) !== 34) return end + 1;
    at = end + 2;
  }
}

/** The end of `$"…"` on its line: a hole may hold strings of its own. */
function findInterpolatedEnd(state: ScanState, from: number): number {
  const { text, lineEnd } = state;
  let depth = 0;
  for (let at = from; at < lineEnd; at += 1) {
    const of = text.charCodeAt(at);
    if (of === backslash && depth === 0) at += 1;
    else if (of === 123 && text.charCodeAt(at + 1) === 123 && depth === 0) at += 1;
    else if (of === 123) depth += 1;
    else if (of === 125 && depth > 0) depth -= 1;
    else if (of === 34 && depth === 0) return at + 1;
    else if (of === 34) {
      const end = findQuote(state, 34, at + 1);
      if (end < 0) break;
      at = end - 1;
    }
  }
  return lineEnd;
}

const regexAfterWord = /^(?:return|typeof|case|in|of|do|else|void|delete|throw|new|instanceof|yield|await)$/;

/** `/` of a script: a regular expression where no value is before it and it ends on its line. */
export function scanSlash(state: ScanState): boolean {
  const { tokens, text, position } = state;
  const last = tokens.code(tokens.count - 1);
  if (last === code.word ? !regexAfterWord.test(tokens.read(tokens.count - 1)) : isValueEnd(last)) return false;
  let bracket = false;
  for (let at = position + 1; at < state.lineEnd; at += 1) {
    const of = text.charCodeAt(at);
    if (of === backslash) at += 1;
    else if (of === 91) bracket = true;
    else if (of === 93) bracket = false;
    else if (of === 47 && !bracket) {
      pushString(state, at + 1);
      return true;
    }
  }
  return false;
}

/** `)`, `]`, `}`, a literal, or `<` as of a closing JSX tag: `/` after it is no regular expression. */
function isValueEnd(last: number): boolean {
  return last === code.number || last === code.string || last === 41 || last === 93 || last === 125 || last === 60;
}
