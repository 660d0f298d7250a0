// Every name that a package's public entry exports is described where it is declared: an editor shows that text to a
// host, and nothing else.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { listFiles } from '../list-files.js';

interface ExportedName {
  name: string;
  /** The file that declares it, from the root. */
  file: string;
}

/** One line for each exported name without a docstring, sorted; empty where all is well. `root` holds packages/. */
export function checkDocstrings(root: string): string[] {
  const read = (file: string): ts.SourceFile =>
    ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const exported = listEntries(root).flatMap((entry) => exportedNames(read(entry), dirname(entry), entry));
  const files = [...new Set(exported.map(({ file }) => file))];
  const lines = files.flatMap((file) => {
    const bare = declarationsWithoutText(read(file));
    return exported
      .filter((one) => one.file === file && bare.has(one.name))
      .map(({ name }) => `docstring: ${file}:${bare.get(name)} ${name} is public and has no text above it`);
  });
  return [...new Set(lines)].sort();
}

/** The sources of all public entries, from the root. */
export function listEntries(root: string): string[] {
  return listFiles(root, 'packages', '/package.json').flatMap((manifest) => {
    const { exports = {} } = JSON.parse(readFileSync(join(root, manifest), 'utf8')) as {
      exports?: Record<string, string | object>;
    };
    const sources = Object.values(exports).flatMap((e) =>
      typeof e === 'object' && 'criticizer-source' in e ? [String(e['criticizer-source'])] : [],
    );
    return sources.map((file) => join(dirname(manifest), file));
  });
}

/** What an entry exports: from other files, `export { a, type B as C } from './file.js'`, or of its own. */
function exportedNames(entry: ts.SourceFile, folder: string, file: string): ExportedName[] {
  return entry.statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement))
      return isExported(statement) ? declaredNames(statement).map((name) => ({ name, file })) : [];
    const { exportClause, moduleSpecifier: from } = statement;
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
    const source = from && ts.isStringLiteral(from) ? join(folder, from.text.replace(/\.js$/, '.ts')) : file;
    return exportClause.elements.map(({ name, propertyName }) => ({ name: (propertyName ?? name).text, file: source }));
  });
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

/** Names declared at the top of a file without a docstring, with their lines. Of overloads, one text will do. */
function declarationsWithoutText(source: ts.SourceFile): Map<string, number> {
  const bare = new Map<string, number>();
  const described = new Set<string>();
  for (const statement of source.statements) {
    const names = declaredNames(statement);
    const hasText = ts.getJSDocCommentsAndTags(statement).some((doc) => ts.isJSDoc(doc) && doc.comment !== undefined);
    const line = source.getLineAndCharacterOfPosition(statement.getStart(source)).line + 1;
    for (const name of names)
      if (hasText) described.add(name);
      else bare.set(name, line);
  }
  for (const name of described) bare.delete(name);
  return bare;
}

function declaredNames(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  const isNamed =
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isEnumDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}
