// Finds every failure code in the packages' sources, with the categories it is given there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { listFiles } from '../list-files.js';

const categories: ReadonlySet<string> = new Set([
  'network',
  'rate_limit',
  'upstream',
  'conflict',
  'validation',
  'auth',
  'not_found',
  'policy',
  'bug',
]);

/** Words of others that a source compares with: Node, undici, SQLite drivers, zod, Gemini. */
const foreignWords: ReadonlySet<string> = new Set([
  'API_KEY_INVALID',
  'ERR_BUFFER_TOO_LARGE',
  'ERR_SQLITE_ERROR',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
  'UND_ERR_HEADERS_OVERFLOW',
]);

export interface CodeUse {
  code: string;
  /** Null where the source computes it. */
  category: string | null;
  file: string;
}

/** Where the union of all codes stands; it uses none. */
export const unionFile = 'packages/core/src/foundation/error-codes.ts';

function sourceFiles(root: string): string[] {
  return listFiles(root, 'packages', '.ts').filter(
    (file) => /^packages\/[^/]+\/src\//.test(file) && !/\.test\.ts$|\/testing\//.test(file) && file !== unionFile,
  );
}

/** Words on the list of others' that no source holds any more. */
export function staleForeignWords(root: string): string[] {
  const texts = sourceFiles(root).map((file) => readFileSync(join(root, file), 'utf8'));
  return [...foreignWords].filter((word) => !texts.some((text) => text.includes(`'${word}'`)));
}

/**
 * A failure code stands in a text literal of its own: two words or more in capitals, or one word as
 * the first argument of an error.
 */
export function findCodes(root: string): CodeUse[] {
  return sourceFiles(root).flatMap((file) => {
    const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.ES2023, true);
    return codesIn(source).map((use) => ({ ...use, file }));
  });
}

function codesIn(source: ts.SourceFile): Omit<CodeUse, 'file'>[] {
  const found: Omit<CodeUse, 'file'>[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) && isCode(node)) found.push({ code: node.text, category: categoryOf(node) });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isCode(literal: ts.StringLiteral): boolean {
  if (foreignWords.has(literal.text) || ts.isImportDeclaration(literal.parent)) return false;
  if (/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(literal.text)) return true;
  return /^[A-Z]{5,}$/.test(literal.text) && /^(new CriticizerError|classified)\(\s*'/.test(literal.parent.getText());
}

/**
 * The category that stands beside the code: in the same object, among the same arguments, or in the
 * options after it; an error without one is a bug.
 */
function categoryOf(literal: ts.StringLiteral): string | null {
  const { parent } = literal;
  if (ts.isPropertyAssignment(parent) && ts.isObjectLiteralExpression(parent.parent) && parent.initializer === literal)
    return categoryIn(parent.parent);
  if (!ts.isNewExpression(parent) && !ts.isCallExpression(parent)) return null;
  const given = (parent.arguments ?? []).filter((argument) => argument !== literal);
  const plain = given.find((argument) => ts.isStringLiteral(argument) && categories.has(argument.text));
  if (plain !== undefined && ts.isStringLiteral(plain)) return plain.text;
  const options = given.find(ts.isObjectLiteralExpression);
  if (options !== undefined) return categoryIn(options) ?? null;
  return ts.isNewExpression(parent) && parent.expression.getText() === 'CriticizerError' && given.length < 2
    ? 'bug'
    : null;
}

function categoryIn(object: ts.ObjectLiteralExpression): string | null {
  for (const property of object.properties)
    if (
      ts.isPropertyAssignment(property) &&
      property.name.getText() === 'category' &&
      ts.isStringLiteral(property.initializer)
    )
      return property.initializer.text;
  return null;
}

export interface CodeRow {
  code: string;
  categories: readonly string[];
  meaning: string;
  action: string;
}

/** The rows of the page: `| \`CODE\` | category, category | meaning | what to do |`. */
export function readCodeRows(page: string): CodeRow[] {
  return [...page.matchAll(/^\| `([A-Z0-9_]+)` \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$/gm)].map(
    ([, code = '', kinds = '', meaning = '', action = '']) => ({
      code,
      categories: kinds.split(',').map((kind) => kind.trim()),
      meaning: meaning.trim(),
      action: action.trim(),
    }),
  );
}

/** The source of the union of all codes, from the rows of the page. */
export function errorCodesSource(rows: readonly CodeRow[]): string {
  const codes = rows.map(({ code }) => code).sort();
  return `// Written by \`npm run docs:codes\` from docs/reference/errors.md; a test holds both equal.

/** Every code that this SDK gives a failure, with its meaning in docs/reference/errors.md. */
export type ErrorCode =
${codes.map((code) => `  | '${code}'`).join('\n')};
`;
}
