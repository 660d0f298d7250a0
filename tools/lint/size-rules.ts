// How long a line, a function and a file may be. A line says one thing, a function does one thing, a file holds one
// idea: what is longer is split, or says beside it why it is not.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { listFiles } from '../list-files.js';

/** Columns of a comment, and of code without what its string literals and regular expressions hold. */
const maxColumns = 120;
/** Lines of a function, without the data that it holds as literals. */
const maxFunctionLines = 50;
/** Lines of a file in `src`. */
const maxFileLines = 300;

/** Directly above a long function, with the reason: `// long: one case for each answer of the protocol`. */
const reasonAbove = /^\s*\/\/ long: \S/;
const commentLine = /^\s*(\/\/|\/\*|\*)/;
const isTest = (file: string): boolean => /\.test\.ts$|^(packages|examples)\/[^/]+\/test\//.test(file);
/** A contract suite is a list of tests. */
const isSuite = (file: string): boolean => /^packages\/[^/]+\/src\/testing\//.test(file);
const isSource = (file: string): boolean => /^(packages|examples)\/[^/]+\/src\//.test(file);

export interface SizeBreach {
  rule: 'line-length' | 'function-length' | 'file-length';
  file: string;
  line: number;
  text: string;
}

/** One line for each breach under packages/, examples/, tools/ and bench/src/, sorted; empty where all is well. */
export function checkSizes(root: string): string[] {
  const files = ['packages', 'examples', 'tools', 'bench/src'].flatMap((folder) => listFiles(root, folder, '.ts'));
  const breaches = files.flatMap((file) => measureFile(file, readFileSync(join(root, file), 'utf8')));
  return breaches.map((breach) => `${breach.rule}: ${breach.file}:${breach.line} ${breach.text}`).sort();
}

/** The breaches of one file; `file` is its path from the root, which says which rules apply. */
export function measureFile(file: string, text: string): SizeBreach[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = text.split('\n');
  const found = longLines(file, source, lines);
  if (!isTest(file) && !isSuite(file)) found.push(...longFunctions(file, source, lines));
  if (isSource(file) && !isTest(file) && lines.length - 1 > maxFileLines)
    found.push({
      rule: 'file-length',
      file,
      line: 1,
      text: `has ${lines.length - 1} lines, not at most ${maxFileLines}`,
    });
  return found;
}

function longLines(file: string, source: ts.SourceFile, lines: readonly string[]): SizeBreach[] {
  const candidates = lines.flatMap((text, line) => (text.length > maxColumns ? [line] : []));
  if (candidates.length === 0) return [];
  const literalColumns = countLiteralColumns(source);
  return candidates.flatMap((line) => {
    const columns = (lines[line]?.length ?? 0) - (literalColumns.get(line) ?? 0);
    const text = `has ${columns} columns, not at most ${maxColumns} (literals do not count)`;
    return columns > maxColumns ? [{ rule: 'line-length' as const, file, line: line + 1, text }] : [];
  });
}

/** By line, from 0: how many of its characters string literals, templates and regular expressions hold. */
function countLiteralColumns(source: ts.SourceFile): Map<number, number> {
  const columns = new Map<number, number>();
  const starts = source.getLineStarts();
  const add = (node: ts.Node): void => {
    const [from, to] = [node.getStart(source), node.end];
    const first = source.getLineAndCharacterOfPosition(from).line;
    for (let line = first; line < starts.length && (starts[line] ?? 0) < to; line++) {
      const until = Math.min(to, (starts[line + 1] ?? to + 1) - 1);
      columns.set(line, (columns.get(line) ?? 0) + until - Math.max(from, starts[line] ?? 0));
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isRegularExpressionLiteral(node)) add(node);
    else ts.forEachChild(node, visit);
  };
  visit(source);
  return columns;
}

function longFunctions(file: string, source: ts.SourceFile, lines: readonly string[]): SizeBreach[] {
  const found: SizeBreach[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const { first, length } = spanOf(node, source);
      const count = length - countDataLines(node, source);
      if (count > maxFunctionLines && !hasReason(lines, first))
        found.push({
          rule: 'function-length',
          file,
          line: first + 1,
          text: `${nameOf(node)} has ${count} lines, not at most ${maxFunctionLines}: split it, or say why above it (// long: …)`,
        });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function spanOf(node: ts.Node, source: ts.SourceFile): { first: number; length: number } {
  const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
  return { first, length: source.getLineAndCharacterOfPosition(node.end).line - first + 1 };
}

/** The lines of object and array literals that hold no function: a table inside a function. */
function countDataLines(node: ts.Node, source: ts.SourceFile): number {
  let count = 0;
  const visit = (one: ts.Node): void => {
    const isLiteral = ts.isObjectLiteralExpression(one) || ts.isArrayLiteralExpression(one);
    if (isLiteral && !holdsFunction(one)) {
      const { length } = spanOf(one, source);
      if (length > 1) count += length;
    } else ts.forEachChild(one, visit);
  };
  ts.forEachChild(node, visit);
  return count;
}

function holdsFunction(node: ts.Node): boolean {
  return ts.forEachChild(node, (child) => ts.isFunctionLike(child) || holdsFunction(child)) ?? false;
}

function hasReason(lines: readonly string[], first: number): boolean {
  for (let line = first - 1; line >= 0 && commentLine.test(lines[line] ?? ''); line--)
    if (reasonAbove.test(lines[line] ?? '')) return true;
  return false;
}

function nameOf(node: ts.SignatureDeclaration): string {
  const named = node.name ?? ('name' in node.parent ? (node.parent.name as ts.Node | undefined) : undefined);
  return named === undefined ? 'a function' : named.getText();
}
