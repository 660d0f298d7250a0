/** One `OWNERS` file: who owns the files of its folder and, unless a file below says otherwise, of those below. */
export interface OwnersFile {
  /** Owners of every file, as they stand there: not checked as addresses. */
  everyFile: readonly string[];
  /** Owners of files with such a name besides. */
  perFile: readonly { globs: readonly string[]; owners: readonly string[] }[];
  /** True: where nobody here owns a file, the folders above are not asked. */
  isTop: boolean;
  /** Lines that are none of these: `*`, `file:`, `include`, a name without a domain. */
  unread: number;
}

/** Lines of one file that are read: a file of owners is short, a file that is none may be anything. */
const maxLines = 1_000;
const maxGlobChars = 100;

/** What can be an address at all; the address is checked before it is used. */
const isAddressLike = (word: string): boolean => /^[^\s@]+@[^\s@]+$/.test(word);

const listed = (text: string): string[] => text.split(',').map((part) => part.trim());

interface Line {
  globs: readonly string[] | null;
  owners: readonly string[];
  isTop?: true;
}

function readLine(line: string): Line | null {
  if (/^set\s+noparent$/.test(line)) return { globs: null, owners: [], isTop: true };
  const at = line.startsWith('per-file') ? line.indexOf('=') : -1;
  if (at < 0) return isAddressLike(line) ? { globs: null, owners: [line] } : null;
  const globs = listed(line.slice('per-file'.length, at)).filter((glob) => glob !== '' && glob.length <= maxGlobChars);
  const owners = listed(line.slice(at + 1));
  return globs.length > 0 && owners.every(isAddressLike) ? { globs, owners } : null;
}

/**
 * Reads the lines that `OWNERS` files of Chromium and Gerrit have: an address a line,
 * `per-file *.sql = dba@example.com`, `set noparent`, comments with `#`. Never throws: any text is such
 * a file, and what it cannot read is counted.
 */
export function parseOwnersFile(text: string): OwnersFile {
  const lines = text.split(/\r\n|[\r\n]/);
  const wanted = lines.slice(0, maxLines).map((line) => line.replace(/#.*$/s, '').trim());
  const read = wanted.filter((line) => line !== '').map(readLine);
  const known = read.filter((line) => line !== null);
  return {
    everyFile: known.flatMap(({ globs, owners }) => (globs === null ? owners : [])),
    perFile: known.flatMap(({ globs, owners }) => (globs === null ? [] : [{ globs, owners }])),
    isTop: known.some(({ isTop }) => isTop === true),
    unread: read.length - known.length + Math.max(0, lines.length - maxLines),
  };
}

/** `*` and `?` match within a name. In time of glob times name, whatever both are. */
export function matchesGlob(glob: string, name: string): boolean {
  let [g, n, star, mark] = [0, 0, -1, 0];
  while (n < name.length) {
    if (glob[g] === '*') {
      [star, mark] = [g, n];
      g += 1;
    } else if (g < glob.length && (glob[g] === '?' || glob[g] === name[n])) {
      g += 1;
      n += 1;
    } else if (star >= 0) {
      mark += 1;
      [g, n] = [star + 1, mark];
    } else return false;
  }
  while (glob[g] === '*') g += 1;
  return g === glob.length;
}

/** The owners that a file names for a file with this name, each once. */
export function listOwners(file: OwnersFile, name: string): readonly string[] {
  const own = file.perFile.flatMap(({ globs, owners }) =>
    globs.some((glob) => matchesGlob(glob, name)) ? owners : [],
  );
  return [...new Set([...file.everyFile, ...own])];
}
