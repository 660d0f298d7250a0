import type { StepBudget } from '../scan/step-budget.js';

/** A statement of Python: one line, or several that brackets, strings or a `\` join. */
export interface LogicalLine {
  /** The first 400 characters, without indentation. */
  readonly text: string;
  readonly column: number;
  readonly startLine: number;
  readonly endLine: number;
}

interface Reading {
  depth: number;
  /** The quotes of a triple string that is open. */
  triple: string | undefined;
  continued: boolean;
}

const statement = /^(?:async[ \t]+def|def|class|@\w|import|from|if|for|while|return|try|with)\b/;
const marker = /^(?:<{7}|={7}|>{7}|\|{7})(?:[ \r]|$)/;

/**
 * Joins physical lines into logical ones. In a line that begins with `def`, `class` or `@` no bracket
 * of an earlier line is taken to be open. Blank lines, comments and conflict markers are left out.
 */
export function readLogicalLines(
  text: string,
  budget: StepBudget,
): { readonly lines: readonly LogicalLine[]; readonly lineCount: number; readonly balanced: boolean } {
  const physical = text.split('\n');
  const reading: Reading = { depth: 0, triple: undefined, continued: false };
  const lines: LogicalLine[] = [];
  let balanced = true;
  let current: { text: string; column: number; startLine: number } | undefined;
  physical.forEach((line, index) => {
    budget.spend(line.length + 1);
    const trimmed = line.trimStart();
    const fresh = reading.depth === 0 && reading.triple === undefined && !reading.continued;
    if (marker.test(line)) {
      balanced = false;
      return;
    }
    if (reading.triple === undefined && (trimmed === '' || trimmed.startsWith('#'))) return;
    if (
      !fresh &&
      reading.triple === undefined &&
      reading.depth > 0 &&
      isOwnStatement(line, trimmed, current?.column ?? 0)
    ) {
      balanced = false;
      reading.depth = 0;
      if (current !== undefined) lines.push({ ...current, endLine: index });
      current = undefined;
    }
    current ??= { text: trimmed.slice(0, 400), column: columnOf(line, trimmed), startLine: index + 1 };
    scanLine(line, reading);
    if (reading.depth > 0 || reading.triple !== undefined || reading.continued) return;
    lines.push({ ...current, endLine: index + 1 });
    current = undefined;
  });
  if (current !== undefined) {
    balanced = false;
    lines.push({ ...(current as Omit<LogicalLine, 'endLine'>), endLine: physical.length });
  }
  return { lines, lineCount: Math.max(1, text.endsWith('\n') ? physical.length - 1 : physical.length), balanced };
}

/** A definition at any column, or a statement at or left of the one whose bracket is open. */
function isOwnStatement(line: string, trimmed: string, column: number): boolean {
  if (/^(?:(?:async[ \t]+)?def|class)[ \t]+\w+[ \t]*[(:]/.test(trimmed)) return true;
  return statement.test(trimmed) && columnOf(line, trimmed) <= column && !/^(?:if|for)\b/.test(trimmed);
}

function columnOf(line: string, trimmed: string): number {
  let column = 0;
  for (let at = 0; at < line.length - trimmed.length; at += 1)
    column += line.charCodeAt(at) === 9 ? 8 - (column % 8) : 1;
  return column;
}

/** Follows brackets and strings through one physical line. */
function scanLine(line: string, reading: Reading): void {
  let at = 0;
  reading.continued = false;
  while (at < line.length) {
    if (reading.triple !== undefined) {
      const end = findTripleEnd(line, reading.triple, at);
      if (end < 0) return;
      at = end;
      reading.triple = undefined;
      continue;
    }
    const of = line.charAt(at);
    if (of === '#') return;
    if (of === '"' || of === "'") {
      at = scanQuote(line, at, of, reading);
      continue;
    }
    if (of === '(' || of === '[' || of === '{') reading.depth += 1;
    else if (of === ')' || of === ']' || of === '}') reading.depth = Math.max(0, reading.depth - 1);
    at += 1;
  }
  reading.continued = /\\\r?$/.test(line.slice(-2));
}

function findTripleEnd(line: string, triple: string, from: number): number {
  for (let at = from; at < line.length; at += 1) {
    if (line.charCodeAt(at) === 92) at += 1;
    else if (line.startsWith(triple, at)) return at + 3;
  }
  return -1;
}

/** The index after the string that begins at `at`; a string of one line stops at the line's end. */
function scanQuote(line: string, at: number, quote: string, reading: Reading): number {
  const triple = quote.repeat(3);
  if (line.startsWith(triple, at)) {
    reading.triple = triple;
    return at + 3;
  }
  for (let next = at + 1; next < line.length; next += 1) {
    if (line.charCodeAt(next) === 92) next += 1;
    else if (line.charAt(next) === quote) return next + 1;
  }
  return line.length;
}
