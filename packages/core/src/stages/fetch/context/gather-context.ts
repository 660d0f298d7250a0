import type { Change } from '../../../changes/change.js';
import type { ChangeContext, ContextPiece, ContextTarget } from '../../../changes/change-context.js';
import type { ContextHit, ContextReader, ContextSession, ContextShortfall } from '../../../changes/context-reader.js';
import { isContextRoot } from '../../../changes/context-roots.js';
import { nearestFirst } from '../../../changes/nearest-paths.js';
import { isSearchWord } from '../../../changes/search-words.js';
import { CriticizerError, isCriticizerError } from '../../../foundation/errors.js';
import type { Clock } from '../../../foundation/time/clock.js';
import { withDeadline } from '../../../foundation/time/with-deadline.js';
import type { Settings } from '../../../settings/settings.js';
import type { PathFilter } from '../../job/path-filter.js';
import { counterpartsOf, isNamedByFile, namesChangedIn, namesUsedIn, tailsImported } from './code-words.js';
import { findDefinitions, namesDefinedIn } from './find-definitions.js';

/** What reading context found, and what it left out. */
export interface GatheredContext {
  /** Null where nothing was found. */
  context: ChangeContext | null;
  shortfalls: readonly (ContextShortfall | 'deadline' | 'pieces_cut' | 'failed')[];
  /** Code of the failure where `shortfalls` has `failed`. */
  errorCode: string | null;
}

export interface GatherOptions {
  reader: ContextReader;
  settings: Settings['review']['context'];
  /** Files that it skips are kept from the model, so they are not read. */
  filter: PathFilter;
  clock: Pick<Clock, 'sleep'>;
  signal: AbortSignal;
}

/** Names that are looked for in one change: each costs the server a search. */
const MAX_CHANGED_NAMES = 8;
const MAX_USED_NAMES = 24;
/** Lines shown on each side of a use. */
const LINES_ROUND = 6;
/** Files with uses of one name that are shown, nearest first, and uses in each. */
const MAX_USER_FILES = 6;
const MAX_USES = 2;
const outages: ReadonlySet<string> = new Set(['network', 'rate_limit', 'auth']);

/**
 * Reads what explains a change (GRD-4): users of the names that it changes and of the files that it
 * changes by name, then definitions of the names that its hunks use, by includes, counterpart and
 * type name. Rejects with the signal's reason, and with an outage of the server; whatever else fails
 * or takes too long is left out and said so.
 */
export async function gatherContext(change: Change, options: GatherOptions): Promise<GatheredContext> {
  const { reader, settings, signal, clock } = options;
  const stop = new AbortController();
  const { maxFiles, maxFileBytes, maxTotalBytes, maxSearches, maxHits } = settings;
  const limits = { maxFiles, maxFileBytes, maxTotalBytes, maxSearches, maxHits };
  const found = new Gathering(change, options.filter, settings.maxPieces);
  const shortfalls = new Set<GatheredContext['shortfalls'][number]>();
  let session: ContextSession | null = null;
  let errorCode: string | null = null;
  try {
    const roots = rootsFor(change, settings.roots);
    if (roots.length > 0) {
      session = reader.open(change, { roots, limits, signal: AbortSignal.any([signal, stop.signal]) });
      const late = () => new DeadlinePassed();
      await withDeadline({ clock, ms: settings.deadlineMs, call: 'context', signal, late }, found.gather(session));
    }
  } catch (error) {
    signal.throwIfAborted();
    if (isCriticizerError(error) && (error.parks || outages.has(error.category))) throw error;
    shortfalls.add(error instanceof DeadlinePassed ? 'deadline' : 'failed');
    if (!(error instanceof DeadlinePassed)) errorCode = isCriticizerError(error) ? error.code : 'UNKNOWN';
  } finally {
    stop.abort(new CriticizerError('STORE_TIMEOUT', 'Reading beside a change has ended.', { category: 'upstream' }));
  }
  for (const one of session?.shortfalls() ?? []) shortfalls.add(one);
  if (found.isCut()) shortfalls.add('pieces_cut');
  return { context: found.context(), shortfalls: [...shortfalls].sort(), errorCode };
}

class DeadlinePassed extends Error {}

/** The settings' roots, or the first two folders of each changed file. */
function rootsFor({ files }: Change, roots: readonly string[] | null): readonly string[] {
  const top = files.map(({ path }) => /^\/\/[^/]+\/[^/]+(?=\/)/.exec(path)?.[0] ?? /^\/\/[^/]+/.exec(path)?.[0]);
  const own = [...new Set(top)].flatMap((folder) => (folder === undefined ? [] : [`${folder}/...`]));
  return (roots ?? own).filter(isContextRoot);
}

type Targets = Map<string, ContextTarget[]>;

function addTarget(targets: Targets, name: string, file: number, hunk: number): void {
  const known = targets.get(name) ?? [];
  const last = known.at(-1);
  if (last?.file === file) known[known.length - 1] = { file, hunks: [...new Set([...last.hunks, hunk])] };
  else known.push({ file, hunks: [hunk] });
  targets.set(name, known);
}

/** What is found, in the order of its use: a deadline keeps what was found by then. */
class Gathering {
  private readonly texts = new Map<string, string>();
  private readonly pieces: (Omit<ContextPiece, 'file'> & { path: string })[] = [];
  private wasCut = false;

  private readonly change: Change;
  private readonly filter: PathFilter;
  private readonly maxPieces: number;

  constructor(change: Change, filter: PathFilter, maxPieces: number) {
    this.change = change;
    this.filter = filter;
    this.maxPieces = maxPieces;
  }

  async gather(session: ContextSession): Promise<void> {
    await this.addUsers(session);
    await this.addDefinitions(session);
  }

  isCut(): boolean {
    return this.wasCut;
  }

  context(): ChangeContext | null {
    if (this.pieces.length === 0) return null;
    const paths = [...new Set(this.pieces.map(({ path }) => path))];
    const files = paths.map((path) => ({ path, text: this.texts.get(path) ?? '' }));
    return { files, pieces: this.pieces.map(({ path, ...piece }) => ({ ...piece, file: paths.indexOf(path) })) };
  }

  /** Places and hunks of the files whose text the model may see. */
  private shownFiles() {
    return [...this.change.files.entries()].filter(
      ([, { skipped, path }]) => (skipped === null || skipped === 'deleted') && !this.filter.skips(path),
    );
  }

  private async addUsers(session: ContextSession): Promise<void> {
    const targets: Targets = new Map();
    for (const [at, file] of this.shownFiles()) {
      const name = file.path.slice(file.path.lastIndexOf('/') + 1);
      if (isNamedByFile(file)) addTarget(targets, (file.oldPath ?? name).replace(/^.*\//, ''), at, 0);
      for (const [hunk, one] of file.hunks.entries())
        for (const word of namesChangedIn(one, file.newText)) addTarget(targets, word, at, hunk);
    }
    const words = [...targets.keys()].filter(isSearchWord).slice(0, MAX_CHANGED_NAMES);
    if (words.length === 0) return;
    const hits = await session.search(words);
    const byWord = words.map((word) => ({ word, hits: hits.filter(({ text }) => text.includes(word)) }));
    const wanted = byWord.map(({ word, hits: own }) => ({ word, uses: this.chooseUses(own) }));
    await this.load(
      session,
      wanted.flatMap(({ uses }) => uses.map(({ path }) => path)),
    );
    for (const { word, uses } of wanted)
      for (const { path, lines } of uses)
        for (const line of lines)
          this.add(path, {
            ...{ kind: 'user', name: word, form: 'lines', of: targets.get(word) ?? [] },
            ...{ startLine: Math.max(1, line - LINES_ROUND), endLine: line + LINES_ROUND },
          });
  }

  private chooseUses(hits: readonly ContextHit[]): readonly { path: string; lines: readonly number[] }[] {
    const byPath = new Map<string, number[]>();
    for (const { path, line } of hits) byPath.set(path, [...(byPath.get(path) ?? []), line]);
    return this.rank([...byPath.keys()])
      .slice(0, MAX_USER_FILES)
      .map((path) => ({ path, lines: apart(byPath.get(path) ?? []).slice(0, MAX_USES) }));
  }

  private async addDefinitions(session: ContextSession): Promise<void> {
    const targets: Targets = new Map();
    const tails = new Set<string>();
    for (const [at, file] of this.shownFiles()) {
      if (file.hunks.length === 0) continue;
      for (const tail of [...counterpartsOf(file.path), ...tailsImported(file.newText ?? '', file.path)])
        tails.add(tail);
      const used = file.hunks.map(({ lines }) =>
        namesUsedIn(lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1))),
      );
      const own = namesDefinedIn(file.newText ?? '', used.flat());
      for (const [hunk, names] of used.entries())
        for (const name of names) if (!own.has(name)) addTarget(targets, name, at, hunk);
      const extension = /\.[A-Za-z0-9]+$/.exec(file.path)?.[0] ?? '';
      for (const name of targets.keys()) if (/^[A-Z]/.test(name)) tails.add(name + extension);
    }
    const names = [...targets.keys()].slice(0, MAX_USED_NAMES);
    if (names.length === 0 || tails.size === 0) return;
    const paths = this.rank(await session.find([...tails]));
    await this.load(session, paths);
    const files = [...this.texts].map(([path, text]) => ({ path, text }));
    for (const { path, ...piece } of findDefinitions(names, files))
      this.add(path, { ...piece, kind: 'definition', of: targets.get(piece.name) ?? [] });
  }

  private async load(session: ContextSession, paths: readonly string[]): Promise<void> {
    const wanted = [...new Set(paths)].filter((path) => !this.filter.skips(path) && !this.texts.has(path));
    for (const read of await Promise.all(wanted.map((path) => session.read(path))))
      if (read.kind === 'text') this.texts.set(read.path, read.text);
  }

  private add(path: string, piece: Omit<ContextPiece, 'file'>): void {
    const text = this.texts.get(path);
    if (text === undefined) return;
    if (this.pieces.length >= this.maxPieces) {
      this.wasCut = true;
      return;
    }
    const endLine = Math.min(piece.endLine, text.split('\n').length);
    if (piece.startLine <= endLine) this.pieces.push({ ...piece, path, endLine });
  }

  private rank(paths: readonly string[]): readonly string[] {
    return nearestFirst(
      paths,
      this.change.files.map(({ path }) => path),
    );
  }
}

/** Lines of which none shows what another shows. */
function apart(lines: readonly number[]): readonly number[] {
  const kept: number[] = [];
  for (const line of lines) if (line - (kept.at(-1) ?? Number.NEGATIVE_INFINITY) > LINES_ROUND) kept.push(line);
  return kept;
}
