// Tools that know the sections of a source file, by which `check-outline.ts` judges the outline.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import type { Language } from '../../src/outline/language.js';

/** A function or type as a peer sees it: 1-based lines. */
export interface PeerSection {
  isFunction: boolean;
  startLine: number;
  nameLine: number;
  endLine: number;
}

/** Reads sections of files; null where the tool is not installed. */
export interface Peer {
  name: string;
  languages: readonly Language[];
  read(paths: readonly string[], language: Language): ReadonlyMap<string, readonly PeerSection[]> | null;
}

const maxOutput = 1 << 28;

const ctagsLanguages: Partial<Record<Language, string>> = { c: 'C', cpp: 'C++', csharp: 'C#', java: 'Java', go: 'Go' };
/** Kinds of `ctags` that are sections; namespaces and packages are none. */
const ctagsKinds = new Set('function method class struct union enum interface constructor property'.split(' '));

interface Tag {
  _type: string;
  name: string;
  path: string;
  line: number;
  end?: number;
  kind: string;
}

const ctags: Peer = {
  name: 'ctags',
  languages: ['c', 'cpp', 'csharp', 'java', 'go'],
  read(paths, language) {
    const flags = ['--output-format=json', '--fields=+neK', `--language-force=${ctagsLanguages[language]}`, '-f', '-'];
    const { status, stdout } = spawnSync('ctags', [...flags, ...paths], { encoding: 'utf8', maxBuffer: maxOutput });
    if (status !== 0) return null;
    const found = new Map(paths.map((path): [string, PeerSection[]] => [path, []]));
    for (const line of stdout.split('\n')) {
      if (line === '') continue;
      const tag = JSON.parse(line) as Tag;
      if (tag._type !== 'tag' || tag.end === undefined || !ctagsKinds.has(tag.kind) || /^__anon/.test(tag.name))
        continue;
      const isFunction = tag.kind === 'function' || tag.kind === 'method';
      found.get(tag.path)?.push({ isFunction, startLine: tag.line, nameLine: tag.line, endLine: tag.end });
    }
    return found;
  },
};

const pythonProgram = `
import ast, json, sys
for path in json.load(sys.stdin):
    try:
        tree = ast.parse(open(path, encoding="utf-8").read())
    except (SyntaxError, ValueError):
        continue
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = [n for n in ast.walk(tree) if isinstance(n, kinds)]
    start = lambda n: min([n.lineno] + [d.lineno for d in n.decorator_list])
    print(json.dumps([path, [[start(n), n.lineno, n.end_lineno] for n in found]]))
`;

const pythonAst: Peer = {
  name: 'Python ast',
  languages: ['python'],
  read(paths) {
    const options = { input: JSON.stringify(paths), encoding: 'utf8', maxBuffer: maxOutput } as const;
    const { status, stdout } = spawnSync('python3', ['-c', pythonProgram], options);
    if (status !== 0) return null;
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as [string, [number, number, number][]]);
    return new Map(
      rows.map(([path, found]) => [
        path,
        found.map(([startLine, nameLine, endLine]) => ({ isFunction: false, startLine, nameLine, endLine })),
      ]),
    );
  },
};

const isCode = (node: ts.Node | undefined): boolean =>
  node !== undefined && (ts.isFunctionExpression(node) || ts.isArrowFunction(node) || ts.isClassExpression(node));

/** The name of a section, where the node is one. */
function sectionName(node: ts.Node): ts.Node | undefined {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isAccessor(node))
    return node.body === undefined ? undefined : node.name;
  if (ts.isConstructorDeclaration(node)) return node.body === undefined ? undefined : node;
  if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isEnumDeclaration(node)) return node.name;
  if (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) || ts.isPropertyDeclaration(node))
    return isCode(node.initializer) ? node.name : undefined;
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken && isCode(node.right))
    return ts.isPropertyAccessExpression(node.left) ? node.left.name : node.left;
  return undefined;
}

/** A single variable's statement ends with its `;`. */
function wholeOf(node: ts.Node): ts.Node {
  const list = node.parent;
  if (ts.isBinaryExpression(node) && ts.isExpressionStatement(list)) return list;
  return ts.isVariableDeclaration(node) && ts.isVariableDeclarationList(list) && list.declarations.length === 1
    ? list.parent
    : node;
}

const typescript: Peer = {
  name: 'TypeScript',
  languages: ['typescript', 'javascript'],
  read(paths) {
    return new Map(
      paths.map((path) => {
        const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
        const found: PeerSection[] = [];
        const lineOf = (at: number): number => source.getLineAndCharacterOfPosition(at).line + 1;
        const visit = (node: ts.Node): void => {
          const name = sectionName(node);
          if (name !== undefined) {
            const whole = wholeOf(node);
            const [startLine, endLine] = [lineOf(whole.getStart(source)), lineOf(whole.getEnd())];
            const isFunction = !ts.isClassLike(node) && !ts.isInterfaceDeclaration(node) && !ts.isEnumDeclaration(node);
            found.push({ isFunction, startLine, nameLine: lineOf(name.getStart(source)), endLine });
          }
          ts.forEachChild(node, visit);
        };
        visit(source);
        return [path, found] as const;
      }),
    );
  },
};

export const peers: readonly Peer[] = [ctags, pythonAst, typescript];

/** The innermost of the sections that hold a line. */
export function innermost<T extends PeerSection>(sections: readonly T[], line: number): T | undefined {
  let found: T | undefined;
  for (const one of sections) {
    if (one.startLine > line || one.endLine < line) continue;
    if (found === undefined || one.startLine > found.startLine || one.endLine < found.endLine) found = one;
  }
  return found;
}
