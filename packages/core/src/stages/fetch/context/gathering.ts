import type { Change, ChangedFile, Hunk } from '../../../changes/change.js';
import type { ChangeContext, ContextPiece, ContextTarget } from '../../../changes/change-context.js';
import type { ContextHit, ContextSession } from '../../../changes/context-reader.js';
import { type ContextRoots, createContextRoots } from '../../../changes/context-roots.js';
import { nearestFirst } from '../../../changes/nearest-paths.js';
import { isSearchWord } from '../../../changes/search-words.js';
import type { OutlinedFile } from '../../../outline/names/definitions-of.js';
import { importsOf } from '../../../outline/names/imports-of.js';
import { namesUsed } from '../../../outline/names/names-used.js';
import type { PathFilter } from '../../job/path-filter.js';
import { listChangedNames } from './changed-names.js';
import { chooseUses, showUse, takeTurns } from './choose-uses.js';
import { type FileSides, readSides } from './file-sides.js';
import { findDefinitions } from './find-definitions.js';
import { allDeclared, looksLikeDefinition, toOutlined } from './read-outlines.js';
import { counterpartsOf, isNamedByFile, typeFilesOf } from './related-files.js';

/** Names whose users are looked for in one change: each costs the server a search. */
const MAX_CHANGED_NAMES = 14;
/** Files with uses that are read. */
const MAX_USER_FILES = 24;
/** Names whose definitions are looked for, and file names under which. */
const MAX_USED_NAMES = 24;
const MAX_TAILS = 120;
/** Searches for definitions that no file name leads to, and files that are read for each. */
const MAX_DEFINITION_SEARCHES = 6;
const MAX_FILES_OF_A_DEFINITION = 3;

/** By name and file, the hunks. */
type Targets = Map<string, Map<number, Set<number>>>;

function addTarget(targets: Targets, name: string, file: number, hunk: number): void {
  const files = targets.get(name) ?? new Map<number, Set<number>>();
  targets.set(name, files.set(file, (files.get(file) ?? new Set()).add(hunk)));
}

function targetsOf(targets: Targets, name: string): ContextTarget[] {
  return mergeTargets(
    [...(targets.get(name) ?? [])].map(([file, hunks]) => ({ file, hunks: [...hunks] })),
    [],
  );
}

function mergeTargets(some: readonly ContextTarget[], others: readonly ContextTarget[]): ContextTarget[] {
  const hunks = new Map<number, readonly number[]>();
  for (const one of [...some, ...others])
    hunks.set(
      one.file,
      [...new Set([...(hunks.get(one.file) ?? []), ...one.hunks])].sort((a, b) => a - b),
    );
  return [...hunks].sort(([a], [b]) => a - b).map(([file, own]) => ({ file, hunks: own }));
}

/** A file of the change with its place there. */
interface ShownFile {
  at: number;
  file: ChangedFile;
  sides: FileSides;
}

type FoundPiece = Omit<ContextPiece, 'file'> & { path: string };

/** What is found, in the order of its use: a deadline keeps what was found by then. */
export class Gathering {
  private readonly files = new Map<string, OutlinedFile>();
  private readonly pieces: FoundPiece[] = [];
  private wasCut = false;

  private readonly change: Change;
  private readonly filter: PathFilter;
  private readonly maxPieces: number;
  /** In lower case: whether case counts is known to the reader alone. */
  private readonly roots: ContextRoots;

  constructor(
    change: Change,
    filter: PathFilter,
    { maxPieces, roots }: { maxPieces: number; roots: readonly string[] },
  ) {
    this.change = change;
    this.filter = filter;
    this.maxPieces = maxPieces;
    this.roots = createContextRoots(roots.map((root) => root.toLowerCase()));
  }

  async gather(session: ContextSession): Promise<void> {
    const shown = this.shownFiles();
    await this.addUsers(session, shown);
    await this.addDefinitions(session, shown);
  }

  isCut(): boolean {
    return this.wasCut;
  }

  context(): ChangeContext | null {
    if (this.pieces.length === 0) return null;
    const paths = [...new Set(this.pieces.map(({ path }) => path))];
    const files = paths.map((path) => ({ path, text: this.files.get(path)?.text ?? '' }));
    return { files, pieces: this.pieces.map(({ path, ...piece }) => ({ ...piece, file: paths.indexOf(path) })) };
  }

  /** The files whose text the model may see. */
  private shownFiles(): readonly ShownFile[] {
    return [...this.change.files.entries()].flatMap(([at, file]) => {
      const isShown = (file.skipped === null || file.skipped === 'deleted') && !this.filter.skips(file.path);
      return isShown ? [{ at, file, sides: readSides(file) }] : [];
    });
  }

  private async addUsers(session: ContextSession, shown: readonly ShownFile[]): Promise<void> {
    const targets = nameUsers(shown);
    const words = [...targets.keys()].slice(0, MAX_CHANGED_NAMES);
    const hits = await Promise.all(words.map((word) => session.search([word])));
    const uses = takeTurns(words.map((word, at) => chooseUses(word, hits[at] ?? [], (paths) => this.rank(paths))));
    const paths = [...new Set(uses.map(({ path }) => path))];
    if (paths.length > MAX_USER_FILES) this.wasCut = true;
    await this.load(session, paths.slice(0, MAX_USER_FILES));
    for (const { word, path, line } of uses) {
      const file = this.files.get(path);
      if (file === undefined) continue;
      const of = targetsOf(targets, word);
      this.add(path, { kind: 'user', name: word, form: 'lines', ...showUse(file.outline, line), of });
    }
  }

  private async addDefinitions(session: ContextSession, shown: readonly ShownFile[]): Promise<void> {
    const used = nameDefinitions(shown);
    const names = [...used.targets.keys()].slice(0, MAX_USED_NAMES);
    if (names.length === 0) return;
    if (used.tails.length > 0) await this.load(session, this.rank(await session.find(used.tails)));
    const known = new Set([...this.files.values()].flatMap(({ outline }) => [...allDeclared(outline)]));
    const unknown = names.filter((name) => used.fresh.has(name) && !known.has(name));
    await this.searchDefinitions(session, unknown, used);
    for (const { path, ...piece } of findDefinitions(names, [...this.files.values()]))
      this.add(path, { ...piece, kind: 'definition', of: targetsOf(used.targets, piece.name) });
  }

  /** Reads files that define names which no import leads to: of the changed file's folder, then of the roots. */
  private async searchDefinitions(session: ContextSession, names: readonly string[], used: UsedNames): Promise<void> {
    let left = names.slice(0, MAX_DEFINITION_SEARCHES);
    let searches = MAX_DEFINITION_SEARCHES;
    for (const scopeOf of [(name: string) => this.folderOf(targetsOf(used.targets, name)), () => undefined]) {
      const some = left.slice(0, searches);
      searches -= some.length;
      const hits = await Promise.all(some.map((name) => session.search([name], scopeOf(name))));
      const paths = some.map((name, at) => this.rankDefining(name, hits[at] ?? []));
      await this.load(session, paths.flat());
      left = some.filter((_, at) => paths[at]?.length === 0);
    }
  }

  private rankDefining(name: string, hits: readonly ContextHit[]): readonly string[] {
    const defining = hits.filter(({ path, text }) => looksLikeDefinition(text, name, path)).map(({ path }) => path);
    return this.rank([...new Set(defining)]).slice(0, MAX_FILES_OF_A_DEFINITION);
  }

  private folderOf(targets: readonly ContextTarget[] = []): string | undefined {
    const path = this.change.files[targets[0]?.file ?? -1]?.path;
    return path === undefined ? undefined : `${path.slice(0, path.lastIndexOf('/'))}/...`;
  }

  private async load(session: ContextSession, paths: readonly string[]): Promise<void> {
    const wanted = [...new Set(paths)].filter((path) => this.mayShow(path) && !this.files.has(path));
    const found = await Promise.all(wanted.map(async (path) => ({ path, read: await session.read(path) })));
    for (const { path, read } of found) if (read.kind === 'text') this.files.set(path, toOutlined(path, read.text));
  }

  /** A reader names paths of the roots alone; one that does not must not widen what a model sees. */
  private mayShow(path: string): boolean {
    return this.roots.holds(path.toLowerCase()) && !this.filter.skips(path);
  }

  /** Lines that another piece shows already are shown once, for the hunks of both. */
  private add(path: string, piece: Omit<ContextPiece, 'file'>): void {
    const endLine = Math.min(piece.endLine, this.files.get(path)?.text.split('\n').length ?? 0);
    if (piece.startLine > endLine) return;
    const at = this.pieces.findIndex(
      (one) => one.path === path && one.startLine <= piece.startLine && one.endLine >= endLine,
    );
    const known = this.pieces[at];
    if (known !== undefined) this.pieces[at] = { ...known, of: mergeTargets(known.of, piece.of) };
    else if (this.pieces.length < this.maxPieces) this.pieces.push({ ...piece, path, endLine });
    else this.wasCut = true;
  }

  private rank(paths: readonly string[]): readonly string[] {
    return nearestFirst(
      paths,
      this.change.files.map(({ path }) => path),
    );
  }
}

/** Names whose users are looked for, the most telling first, with the hunks that change them. */
function nameUsers(shown: readonly ShownFile[]): Targets {
  const targets: Targets = new Map();
  const names = shown.flatMap(({ at, file, sides }) => {
    const own = (file.oldPath ?? file.path).replace(/^.*\//, '');
    const changed = listChangedNames(sides).map((one) => ({ ...one, at }));
    return isNamedByFile(file) ? [{ at, name: own, rank: 0, hunk: 0 }, ...changed] : changed;
  });
  for (const { at, name, hunk } of names.sort((a, b) => a.rank - b.rank))
    if (isSearchWord(name)) addTarget(targets, name, at, hunk);
  return targets;
}

/** Names of which definitions are looked for. */
interface UsedNames {
  targets: Targets;
  /** Those that new lines use and old ones did not. */
  fresh: ReadonlySet<string>;
  /** Names and path tails of files that may hold definitions. */
  tails: readonly string[];
}

const linesMarked = ({ lines }: Hunk, marks: RegExp): string =>
  lines.flatMap((line) => (marks.test(line) ? [line.slice(1)] : [])).join('\n');

function nameDefinitions(shown: readonly ShownFile[]): UsedNames {
  const targets: Targets = new Map();
  const fresh = new Set<string>();
  const [near, imported] = [new Set<string>(), new Set<string>()];
  for (const { at, file, sides } of shown) {
    if (file.hunks.length === 0) continue;
    const own = allDeclared(sides.new.outline);
    for (const tail of counterpartsOf(file.path)) near.add(tail);
    for (const tail of importsOf(file.newText ?? '', sides.language)) imported.add(tail);
    for (const [hunk, one] of file.hunks.entries()) {
      const [added, removed, kept] = [/^\+/, /^-/, /^ /].map((mark) =>
        namesUsed(linesMarked(one, mark), sides.language),
      );
      for (const name of new Set([...(added ?? []), ...(kept ?? [])])) {
        if (own.has(name)) continue;
        addTarget(targets, name, at, hunk);
        for (const tail of typeFilesOf(name, file.path)) near.add(tail);
        if (added?.includes(name) === true && removed?.includes(name) !== true && isSearchWord(name)) fresh.add(name);
      }
    }
  }
  return { targets, fresh, tails: [...new Set([...near, ...imported])].slice(0, MAX_TAILS) };
}
