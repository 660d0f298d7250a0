import type { Language } from '../language.js';

const maxImports = 400;
const maxColumns = 400;

/** Reads the paths of one line. */
type LineReader = (line: string) => readonly string[];

const include: LineReader = (line) => {
  const path = /^[ \t]{0,40}#[ \t]{0,8}(?:include|import)[ \t]{0,8}["<]([^">]{1,300})[">]/.exec(line)?.[1];
  return path === undefined ? [] : [path];
};
const script: LineReader = (line) => {
  const found = /(?:\bfrom|\bimport|\brequire)[ \t]{0,8}\(?[ \t]{0,8}['"`]([^'"`]{1,300})['"`]/.exec(line)?.[1];
  return found === undefined ? [] : scriptPaths(found);
};
const python: LineReader = (line) => {
  const [, from, names = ''] =
    /^[ \t]{0,80}from[ \t]+([\w.]{1,200})[ \t]+import[ \t]+\(?([^#]{0,300})/.exec(line) ?? [];
  if (from !== undefined) return pythonPaths(from, names.split(','));
  const modules = /^[ \t]{0,80}import[ \t]+([\w., \t]{1,300})/.exec(line)?.[1];
  return modules === undefined
    ? []
    : modules.split(',').flatMap((one) => pythonPaths(one.trim().split(' ')[0] ?? '', []));
};
const java: LineReader = (line) => {
  const [, isStatic, name] = /^[ \t]{0,40}import[ \t]+(static[ \t]+)?([\w.]{1,300})[ \t]{0,8};/.exec(line) ?? [];
  if (name === undefined) return [];
  const parts = name.split('.');
  return [`${(isStatic === undefined ? parts : parts.slice(0, -1)).join('/')}.java`];
};
const lua: LineReader = (line) => {
  const name = /\brequire[ \t]{0,8}\(?[ \t]{0,8}['"]([^'"]{1,300})['"]/.exec(line)?.[1]?.replaceAll('.', '/');
  return name === undefined ? [] : [`${name}.lua`, `${name}/init.lua`];
};
const cmake: LineReader = (line) => {
  const [, command, path] = /\b(include|add_subdirectory)[ \t]{0,8}\([ \t]{0,8}"?([\w./-]{1,300})/i.exec(line) ?? [];
  if (command === undefined || path === undefined) return [];
  return [command.toLowerCase() === 'include' ? withExtension(path, '.cmake') : `${path}/CMakeLists.txt`];
};
const xml: LineReader = (line) => {
  const path = /\b(?:Project|Include|schemaLocation|href|src)="([^"]{1,300}\.\w{1,12})"/.exec(line)?.[1];
  return path === undefined ? [] : [path];
};

/** C# names no file, and Go a folder: neither can be looked up by a path. */
const readers: Partial<Record<Language, LineReader>> = {
  ...{ c: include, cpp: include, hlsl: include, glsl: include, javascript: script, typescript: script },
  ...{ python, java, lua, cmake, xml },
};

/**
 * Tails of the paths that a text includes or imports, each once, in order: `engine/player.h`,
 * `util/strings.ts`. A name that leaves the extension open gives one tail for each that is usual.
 * At most 400. Empty for languages that name no files. (GRD-3)
 */
export function importsOf(text: string, language: Language): readonly string[] {
  const reader = readers[language];
  if (reader === undefined) return [];
  const tails = new Set<string>();
  for (const line of text.split('\n')) {
    for (const path of reader(line.slice(0, maxColumns))) {
      const tail = toTail(path);
      if (tail !== '') tails.add(tail);
    }
    if (tails.size >= maxImports) break;
  }
  return [...tails].slice(0, maxImports);
}

/** Without `./`, `../` and a leading `/`, and with `/` only. */
function toTail(path: string): string {
  return path
    .replaceAll('\\', '/')
    .replace(/^(?:\.{0,2}\/)+/, '')
    .trim();
}

/** Paths of a project's own modules; a bare name is a package. `.js` may mean `.ts`. */
function scriptPaths(from: string): readonly string[] {
  if (!/^(?:\.{1,2}\/|[@~]\/)/.test(from)) return [];
  const path = from.replace(/^[@~]\//, './');
  if (/\.(?:json|css|scss|less|vue|svelte|svg|graphql|md)$/.test(path)) return [path];
  const stem = path.replace(/\.(?:[cm]?[jt]sx?)$/, '');
  return [`${stem}.ts`, `${stem}.tsx`, `${stem}.js`, `${stem}.d.ts`, `${stem}/index.ts`, `${stem}/index.js`];
}

function pythonPaths(name: string, imported: readonly string[]): readonly string[] {
  const path = name.replace(/^\.+/, '').replaceAll('.', '/');
  const inside = imported.slice(0, 20).flatMap((one) => {
    const word = /^[ \t]*(\w{1,100})/.exec(one)?.[1];
    return word === undefined ? [] : [path === '' ? `${word}.py` : `${path}/${word}.py`];
  });
  return path === '' ? inside : [`${path}.py`, `${path}/__init__.py`, ...inside];
}

function withExtension(path: string, extension: string): string {
  return /\.\w+$/.test(path) ? path : `${path}${extension}`;
}
