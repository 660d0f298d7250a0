import type { StepBudget } from '../scan/step-budget.js';

export type KeywordLanguage = 'lua' | 'cmake';

/** A word or a mark outside comments and strings. */
export interface Word {
  readonly text: string;
  readonly index: number;
  readonly line: number;
  /** Indentation of its line. */
  readonly column: number;
  readonly isFirst: boolean;
  /** CMake: outside parentheses and before one. */
  readonly isCommand: boolean;
}

interface Lexicon {
  readonly next: RegExp;
  readonly keeps: RegExp;
}

const lexicons: Readonly<Record<KeywordLanguage, Lexicon>> = {
  lua: {
    next: /--\[(=*)\[|--[^\n]*|\[(=*)\[|"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?|[A-Za-z_]\w*|\d[\w.]*|[=~<>]=|\.\.+|\n[ \t]*|[^\s]|[^\S\n]+/y,
    keeps: /^[A-Za-z_.:=(]/,
  },
  cmake: {
    next: /#\[(=*)\[|#[^\n]*|\[(=*)\[|"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[\w.${}:+/-]+|\n[ \t]*|[^\s]|[^\S\n]+/y,
    keeps: /^[\w.$({)]/,
  },
};

interface State {
  readonly text: string;
  readonly language: KeywordLanguage;
  readonly words: Word[];
  readonly absent: Set<string>;
  line: number;
  column: number;
  isFirst: boolean;
  depth: number;
  closed: boolean;
}

/** Splits a text into words, without comments and strings, in time linear in its length. */
export function readWords(
  text: string,
  language: KeywordLanguage,
  budget: StepBudget,
): { readonly words: readonly Word[]; readonly lineCount: number; readonly closed: boolean } {
  const { next } = lexicons[language];
  const indent = /^[ \t]{0,400}/.exec(text)?.[0].length ?? 0;
  const state: State = {
    ...{ text, language, words: [], absent: new Set<string>(), line: 1, column: indent, isFirst: true, depth: 0 },
    closed: true,
  };
  next.lastIndex = 0;
  for (let match = next.exec(text); match !== null && match[0] !== ''; match = next.exec(text)) {
    const at = next.lastIndex;
    const bracket = match[1] ?? match[2];
    const end = bracket === undefined ? at : findBracketEnd(state, at, bracket);
    budget.spend(end - at + match[0].length);
    readPiece(state, match[0], bracket === undefined ? '' : text.slice(at, end));
    next.lastIndex = end;
  }
  const lineCount = text.endsWith('\n') ? Math.max(1, state.line - 1) : state.line;
  return { words: state.words, lineCount, closed: state.closed };
}

/** The end of `[==[ … ]==]`; one without an end stops at the end of its line. */
function findBracketEnd(state: State, from: number, marks: string): number {
  const terminator = `]${marks}]`;
  const end = state.absent.has(terminator) ? -1 : state.text.indexOf(terminator, from);
  if (end >= 0) return end + terminator.length;
  state.absent.add(terminator);
  state.closed = false;
  const line = state.text.indexOf('\n', from);
  return line < 0 ? state.text.length : line;
}

function readPiece(state: State, piece: string, bracket: string): void {
  if (piece.startsWith('\n')) {
    state.line += 1;
    state.column = Math.min(400, piece.length - 1);
    state.isFirst = true;
    return;
  }
  if (bracket === '' && lexicons[state.language].keeps.test(piece)) keepWord(state, piece);
  else if (/\S/.test(piece.charAt(0)) && !/^(?:--|#)/.test(piece)) state.isFirst = false;
  countLines(state, piece);
  countLines(state, bracket);
}

function keepWord(state: State, text: string): void {
  const { words, line, column, isFirst, depth } = state;
  words.push({ text, index: words.length, line, column, isFirst, isCommand: depth === 0 && /^\w/.test(text) });
  state.isFirst = false;
  if (text === '(') state.depth += 1;
  else if (text === ')') state.depth = Math.max(0, depth - 1);
}

function countLines(state: State, piece: string): void {
  for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) state.line += 1;
}
