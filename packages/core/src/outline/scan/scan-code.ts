import { type BraceLanguage, lexicalRules } from './lexical-rules.js';
import { scanConflictMarker, scanDirective } from './scan-directives.js';
import {
  advance,
  findAfter,
  findLineEnd,
  isDigitCode,
  isWordCode,
  measureIndent,
  type ScanState,
} from './scan-state.js';
import { scanApostrophe, scanCppRaw, scanCsharpString, scanRaw, scanSlash, scanString } from './scan-strings.js';
import { scanHoleBrace, scanTemplate } from './scan-templates.js';
import type { StepBudget } from './step-budget.js';
import { char, code, TokenList } from './token-list.js';

/**
 * Splits a text of a brace language into tokens, without comments, in time linear in its length.
 * With `recovers`, a comment or raw string that has no end stops at the end of its line.
 */
export function scanCode(text: string, language: BraceLanguage, budget: StepBudget, recovers: boolean): TokenList {
  const tokens = new TokenList(text);
  const state: ScanState = {
    ...{ text, tokens, budget, recovers, rules: lexicalRules[language] },
    ...{ position: 0, line: 1, lineEnd: findLineEnd(text, 0), absent: new Set<string>(), holes: [], conflicts: 0 },
  };
  measureIndent(state, 0);
  while (state.position < text.length) scanToken(state);
  tokens.lineCount = text.endsWith('\n') ? Math.max(1, state.line - 1) : state.line;
  if (state.holes.length > 0) tokens.unclosed = true;
  return tokens;
}

function scanToken(state: ScanState): void {
  const of = state.text.charCodeAt(state.position);
  if (of <= 32) skipBlanks(state);
  else if (isDigitCode(of)) scanNumber(state);
  else if (isWordCode(of)) {
    if (of !== 36 || !state.rules.csharpStrings || !scanCsharpString(state)) scanWord(state);
  } else if (of === 47) scanSlashes(state);
  else if (!scanQuoted(state, of) && !scanLineStart(state, of)) {
    const isBrace = of === char.openBrace || of === char.closeBrace;
    if (!isBrace || !scanHoleBrace(state, of)) scanPunctuation(state, of);
  }
}

/** What a quote, an apostrophe, a backtick or `@"` opens. False where there is none. */
function scanQuoted(state: ScanState, of: number): boolean {
  const { position, rules } = state;
  if (of === 34) scanQuote(state);
  else if (of === 39) scanApostrophe(state);
  else if (of === 96 && rules.backtick === 'template') scanTemplate(state, position + 1);
  else if (of === 96 && rules.backtick === 'raw') scanRaw(state, position + 1, '`');
  else return of === 64 && rules.csharpStrings && scanCsharpString(state);
  return true;
}

/** A directive or a conflict marker. False where none is. */
function scanLineStart(state: ScanState, of: number): boolean {
  if (of === 35 && state.rules.directives && isFirstOnLine(state)) {
    scanDirective(state);
    return true;
  }
  return (of === 60 || of === 62 || of === 61 || of === 124) && scanConflictMarker(state);
}

function skipBlanks(state: ScanState): void {
  const { text } = state;
  let end = state.position + 1;
  while (text.charCodeAt(end) <= 32) end += 1;
  advance(state, end);
}

/** Steps over digits, letters, dots and digit separators. */
function scanNumber(state: ScanState): void {
  const { text, position } = state;
  let end = position + 1;
  for (;;) {
    const of = text.charCodeAt(end);
    const separator = of === 39 && state.rules.apostrophe === 'character' && isWordCode(text.charCodeAt(end + 1));
    if (!isWordCode(of) && !separator && !(of === 46 && text.charCodeAt(end + 1) !== 46)) break;
    end += 1;
  }
  state.tokens.push(code.number, position, end, state.line);
  advance(state, end);
}

function scanWord(state: ScanState): void {
  const { text, position, rules } = state;
  let end = position + 1;
  while (isWordCode(text.charCodeAt(end))) end += 1;
  if (rules.cppRaw && text.charCodeAt(end) === 34 && end - position <= 3 && text.charCodeAt(end - 1) === 82) {
    scanCppRaw(state, end);
    return;
  }
  state.tokens.push(code.word, position, end, state.line);
  advance(state, end);
}

/** `/`: a comment, a regular expression, or a division. */
function scanSlashes(state: ScanState): void {
  const { text, position, rules } = state;
  const next = text.charCodeAt(position + 1);
  // `://` inside JSX text is an address, not a comment.
  const isAddress = rules.regex && text.charCodeAt(position - 1) === 58 && isWordCode(text.charCodeAt(position + 2));
  if (next === 47 && !isAddress) skipLineComment(state);
  else if (next === 42) skipBlockComment(state);
  else if (!rules.regex || next === 62 || !scanSlash(state)) scanPunctuation(state, 47);
}

/** A line comment; in the C family a `\` before the newline continues it. */
function skipLineComment(state: ScanState): void {
  const { text, rules } = state;
  let end = state.lineEnd;
  while (rules.directives && !rules.csharpStrings && end < text.length) {
    const last = text.charCodeAt(end - 1) === 13 ? end - 2 : end - 1;
    if (text.charCodeAt(last) !== 92) break;
    end = findLineEnd(text, end + 1);
  }
  advance(state, end);
}

/** A comment that holds the start of another one at a line's start has probably lost its end. */
function skipBlockComment(state: ScanState): void {
  const { text, position, tokens } = state;
  const end = findAfter(state, '*/', position + 2);
  if (end < 0) {
    tokens.unclosed = true;
    advance(state, state.recovers ? state.lineEnd : text.length);
    return;
  }
  const inner = end > state.lineEnd ? text.indexOf('/*', position + 2) : -1;
  const lostItsEnd = inner > 0 && inner < end - 2 && isLineStart(text, inner);
  if (lostItsEnd) tokens.unclosed = true;
  advance(state, lostItsEnd && state.recovers ? state.lineEnd : end);
}

function isLineStart(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && at - before < 200 && (text.charCodeAt(before) === 32 || text.charCodeAt(before) === 9))
    before -= 1;
  return before < 0 || text.charCodeAt(before) === 10;
}

function scanQuote(state: ScanState): void {
  const { text, position, rules } = state;
  if (rules.csharpStrings && scanCsharpString(state)) return;
  if (rules.textBlocks && text.startsWith('"""', position)) scanRaw(state, position + 3, '"""');
  else scanString(state, position);
}

function isFirstOnLine({ text, position, tokens, line }: ScanState): boolean {
  const last = tokens.count - 1;
  return (last < 0 || tokens.line(last) !== line) && isLineStart(text, position);
}

/** One character of punctuation, or one of the few operators that the outline tells apart. */
function scanPunctuation(state: ScanState, of: number): void {
  const { text, position } = state;
  const next = text.charCodeAt(position + 1);
  let kind = of;
  let length = 1;
  if (next === char.greater && (of === char.equals || of === char.minus)) {
    kind = of === char.equals ? code.fatArrow : code.thinArrow;
    length = 2;
  } else if (of === char.colon && next === char.colon) {
    kind = code.scope;
    length = 2;
  } else if (next === char.equals && '=!<>+-*/%&|^?'.includes(String.fromCharCode(of))) {
    kind = code.comparison;
    length = 2;
    while (text.charCodeAt(position + length) === char.equals && length < 3) length += 1;
  }
  state.tokens.push(kind, position, position + length, state.line);
  advance(state, position + length);
}
