import type { LexicalRules } from './lexical-rules.js';
import type { StepBudget } from './step-budget.js';
import type { TokenList } from './token-list.js';

/** Where the scanner is, and what it remembers between tokens. */
export interface ScanState {
  readonly text: string;
  readonly rules: LexicalRules;
  readonly tokens: TokenList;
  readonly budget: StepBudget;
  /** Second pass: a comment or raw string without end stops at the end of its line. */
  readonly recovers: boolean;
  position: number;
  line: number;
  /** The index of the newline that ends the current line, or of the text's end. */
  lineEnd: number;
  /** Terminators that are known not to occur after the position: a second search would be quadratic. */
  readonly absent: Set<string>;
  /** For each open `${` of a template: how many braces are open inside it. */
  readonly holes: number[];
  /** Conflict markers that are open. */
  conflicts: number;
}

/** Moves to `end`, counts the lines passed and notes the indentation of each line entered. */
export function advance(state: ScanState, end: number): void {
  state.budget.spend(end - state.position + 1);
  while (state.lineEnd < end) {
    enterLine(state, state.lineEnd + 1);
    state.lineEnd = findLineEnd(state.text, state.lineEnd + 1);
  }
  state.position = end;
}

/** The index of the next newline, or of the text's end. */
export function findLineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** Notes that a line begins at `start`. */
function enterLine(state: ScanState, start: number): void {
  state.line += 1;
  measureIndent(state, start);
}

const maxIndent = 400;

/** Notes the column of the first character that is not blank, tabs counted to the next multiple of four. */
export function measureIndent({ text, tokens, line, budget }: ScanState, start: number): void {
  let column = 0;
  let at = start;
  for (; column < maxIndent; at += 1) {
    const of = text.charCodeAt(at);
    if (of === 32) column += 1;
    else if (of === 9) column += 4 - (column % 4);
    else break;
  }
  budget.spend(at - start + 1);
  tokens.indents[line - 1] = column;
}

/** The index after the next `terminator`, or -1. Searches once for one that does not occur. */
export function findAfter(state: ScanState, terminator: string, from: number): number {
  if (state.absent.has(terminator)) return -1;
  const at = state.text.indexOf(terminator, from);
  if (at >= 0) return at + terminator.length;
  state.absent.add(terminator);
  return -1;
}

/** True for a character of a name: letters, digits, `_`, `$`, and everything beyond ASCII. */
export function isWordCode(of: number): boolean {
  return (of >= 97 && of <= 122) || (of >= 65 && of <= 90) || isDigitCode(of) || of === 95 || of === 36 || of > 127;
}

export function isDigitCode(of: number): boolean {
  return of >= 48 && of <= 57;
}
