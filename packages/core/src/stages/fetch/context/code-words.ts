import type { ChangedFile, Hunk } from '../../../changes/change.js';

/** Words of most languages that name nothing of a project. */
const common = new Set(
  `abstract and as assert async await auto base bool boolean break byte case catch char class const continue data
  default def defer delete do double elif else end enum except export extends extern false final finally float for
  foreach from func function get global go goto if implements import in include inline instanceof int interface
  internal is key lambda len let list local long map match mod module namespace new nil none not null object of
  operator or out override package pass print private protected public raise range read readonly ref repeat require
  return self set short signed sizeof static str string struct super switch template then this throw throws to true
  try type typedef typename typeof undefined union unless unsigned until use using value var virtual void volatile
  when where while with write yield None True False Self String Object`.split(/\s+/),
);

const isName = (word: string): boolean => !common.has(word) && !/^\d/.test(word);

/** The line without texts in quotes and without what follows a comment mark: cut to 400 characters. */
function bareCode(line: string): string {
  return line
    .slice(0, 400)
    .replace(/"(?:[^"\\]|\\.){0,200}"|'(?:[^'\\]|\\.){0,200}'|`[^`]{0,200}`/g, '""')
    .replace(/\/\/.*$|\/\*.*$|(?:^|\s)(?:#(?!\s*(?:include|define))|--).*$/, '');
}

function countWords(lines: readonly string[], pattern: RegExp): readonly string[] {
  const words = lines.flatMap((line) => [...bareCode(line).matchAll(pattern)].map((match) => match[1] ?? match[0]));
  return [...new Set(words.filter(isName))];
}

/** Names that lines call, or that look like types and constants; those called come first. */
export function namesUsedIn(lines: readonly string[]): readonly string[] {
  const called = countWords(lines, /([\p{L}_$][\p{L}\p{N}_$]{2,127})\s*\(/gu);
  const upper = countWords(lines, /(?<![\p{L}\p{N}_$])([A-Z][\p{L}\p{N}_$]{2,127})(?![\p{L}\p{N}_$])/gu);
  return [...new Set([...called, ...upper])];
}

const declared =
  /(?:\b(?:class|struct|enum|interface|union|trait|record|type|def|func|fn|function|const|let|var|val|static|constexpr|define|local)\s+(?:class\s+|struct\s+)?(?:\([^)]{0,80}\)\s*)?(?:[\w:<>*&]{1,80}\s+)?([\p{L}_$][\p{L}\p{N}_$]{2,127}))/gu;
const header = /^\s*(?:[\w:<>,*&~[\]]+\s+)+[*&]*(?:\w+::)*([\p{L}_$][\p{L}\p{N}_$]{2,127})\s*\(/gu;
const assigned = /^\s*[-"']?([\p{L}_$][\p{L}\p{N}_.$-]{2,127})["']?\s*(?::(?!:)|=(?!=))/gu;

/**
 * Names that the changed lines of a hunk declare, set or list, then the function or type round it:
 * what others may use. A removed name counts as well.
 */
export function namesChangedIn(hunk: Hunk, newText: string | undefined): readonly string[] {
  const lines = hunk.lines.filter((line) => /^[+-]/.test(line)).map((line) => line.slice(1));
  const entries = countWords(lines, /^\s*([A-Z][A-Za-z0-9_]{2,127})\s*(?:=[^;]*)?,?\s*$/gu);
  const own = [declared, header, assigned].flatMap((pattern) => countWords(lines, pattern));
  const round = newText === undefined ? [] : namesRound(newText.split('\n'), hunk.newStart);
  return [...new Set([...own.filter((word) => !/^(?:return|else)$/.test(word)), ...entries, ...round])];
}

/** Names of the headers above a line that are further to the left, nearest first, two at most. */
function namesRound(lines: readonly string[], line: number): readonly string[] {
  const names: string[] = [];
  let left = Number.POSITIVE_INFINITY;
  for (let at = Math.min(line + 2, lines.length - 1); at >= 0 && names.length < 2 && left > 0; at -= 1) {
    const text = lines[at] ?? '';
    const indent = text.search(/\S/);
    if (indent === -1 || indent >= left || /^\s*[{}()\]#]/.test(text)) continue;
    left = indent;
    if (/^\s*(?:if|for|while|switch|else|case|return|try|catch|with)\b/.test(text)) continue;
    const [name] = [header, declared].flatMap((pattern) => countWords([text], pattern));
    if (name !== undefined) names.push(name);
  }
  return names;
}

/** Path tails that a text includes or imports: `render/mesh.h`, `lib/util.ts`. */
export function tailsImported(text: string, path: string): readonly string[] {
  const extension = /\.[A-Za-z0-9]+$/.exec(path)?.[0] ?? '';
  const tails = new Set<string>();
  for (const line of text.split('\n').slice(0, 400)) {
    const quoted =
      /^\s*(?:#\s*include|import|export|from|(?:const|let|var|local)\b.*\brequire)\b.{0,200}?["'<]([^"'<>]{1,200})["'>]/.exec(
        line,
      );
    const dotted = /^\s*(?:import|from|using)\s+(?:static\s+)?([A-Za-z_][\w.]{1,200})/.exec(line);
    const name = quoted?.[1] ?? dotted?.[1]?.replaceAll('.', '/');
    if (name === undefined) continue;
    const steps = name.split('/').filter((step) => step !== '.' && step !== '..' && step !== '');
    const tail = steps.join('/');
    if (tail === '') continue;
    const bare = tail.replace(/\.(?:js|mjs|cjs|jsx)$/, '');
    if (/\.(?:h|hh|hpp|hlsl|inc|inl)$/.test(tail) || tail === bare + extension) tails.add(tail);
    else for (const end of [extension, ...(extension === '.ts' ? ['.tsx', '/index.ts'] : [])]) tails.add(bare + end);
  }
  return [...tails].slice(0, 40);
}

const pairs: readonly (readonly string[])[] = [
  ['.h', '.hpp', '.hh', '.c', '.cc', '.cpp', '.cxx', '.inl', '.m', '.mm'],
  ['.ts', '.tsx', '.js', '.jsx', '.d.ts'],
];

/** Names of files with the same stem that belong to a file: its header, its implementation. */
export function counterpartsOf(path: string): readonly string[] {
  const [, stem = '', extension = ''] = /([^/]*?)(\.[A-Za-z0-9.]+)$/.exec(path) ?? [];
  const group = pairs.find((one) => one.includes(extension)) ?? [];
  return stem === '' ? [] : group.filter((one) => one !== extension).map((one) => stem + one);
}

/** True for a file that code names by its file name: data, settings, scripts, shaders, and what is gone. */
export function isNamedByFile({ path, action, oldPath }: Pick<ChangedFile, 'path' | 'action' | 'oldPath'>): boolean {
  return (
    action === 'delete' ||
    oldPath !== null ||
    /\.(?:ini|json|ya?ml|xml|csv|tsv|toml|cfg|conf|txt|lua|sql|hlsl|glsl|shader|vert|frag|proto)$/i.test(path)
  );
}
