import {
  type ContextRoots,
  checkSearchWords,
  createContextRoots,
  createWordMatcher,
  endsInSteps,
  hitsIn,
  nearestFirst,
} from '@criticizer/core/internal';
import {
  type Change,
  type ChangeSummary,
  type ContextHit,
  type ContextRequest,
  type ContextSession,
  type ContextShortfall,
  type ContextText,
  isCriticizerError,
} from '@criticizer/core/ports';
import type { P4Client } from '../client/p4-client.js';
import { parseFileType } from '../fetch/file-type.js';
import type { AllowList } from '../policy/allow-list.js';
import { deniedError, deniedReason } from '../policy/path-policy.js';
import { findReadableScopes, isWhollyReadable } from '../policy/readable-scopes.js';
import { findAsOf } from './as-of.js';
import {
  type ContextTexts,
  type ContextTextsOptions,
  createContextTexts,
  report,
  type WantedText,
} from './context-texts.js';
import { encodeTail, isTail, operandsFor } from './find-operands.js';
import { grepLines } from './grep-lines.js';
import { type ListedFile, listFiles } from './list-files.js';
import { inNarrower, narrowScopes } from './narrow-scopes.js';

/** What all sessions of a reader share. */
export interface SessionParts extends Omit<ContextTextsOptions, 'caseHandling' | 'limits' | 'changelistId'> {
  client: P4Client;
  /** The allow-list for this server's case handling. */
  readAllowList(signal: AbortSignal): Promise<AllowList>;
  /** Called where the server refuses to search. */
  onSearchRefused(code: string): void;
}

/** Most files that are listed to search them one by one. */
const maxListed = 5_000;
/** Lines that `grep` may give for each one that is kept. */
const maxRawFactor = 50;
/** Failures after which a search goes on by reading; everything else is an outage, or a violation. */
const refusals: ReadonlySet<string> = new Set([
  'P4_PERMISSION_DENIED',
  'P4_INCOMPATIBLE',
  'P4_SERVER_LIMIT',
  'P4_UNCLASSIFIED_WARNING',
  'P4_FAILED',
]);

interface Opened {
  allowList: AllowList;
  asOf: number;
  texts: ContextTexts;
}

/** Reads the context of one change. */
export class P4ContextSession implements ContextSession {
  private readonly roots: ContextRoots;
  private readonly own: ReadonlyMap<string, Change['files'][number]>;
  private readonly answers = new Map<string, Promise<ContextText>>();
  private readonly missing = new Set<ContextShortfall>();
  private waiting: { wanted: WantedText; resolve(text: ContextText): void; reject(error: unknown): void }[] = [];
  private reading: Promise<void> = Promise.resolve();
  private opened: Promise<Opened> | null = null;
  private searchesLeft: number;
  private canGrep = true;

  constructor(
    private readonly parts: SessionParts,
    private readonly change: ChangeSummary & Pick<Change, 'files'>,
    private readonly request: ContextRequest,
  ) {
    this.roots = createContextRoots(request.roots);
    this.own = new Map(change.files.map((file) => [file.path, file]));
    this.searchesLeft = request.limits.maxSearches;
  }

  shortfalls(): readonly ContextShortfall[] {
    return [...this.missing];
  }

  async read(path: string): Promise<ContextText> {
    this.request.signal.throwIfAborted();
    const known = this.answers.get(path);
    if (known !== undefined) return known;
    const answer = this.readNew(path);
    this.answers.set(path, answer);
    answer.catch(() => this.answers.delete(path)); // what failed is read again
    return answer;
  }

  private async readNew(path: string): Promise<ContextText> {
    const file = this.own.get(path);
    if (!this.roots.holds(path)) return none('denied');
    if (file?.newText !== undefined) return { kind: 'text', path, revision: file.revision, text: file.newText };
    if (file !== undefined && file.skipped !== null) return none(refusalOf(file.skipped));
    const { allowList, asOf } = await this.open();
    if (!allowList.check(path).allowed) return none('denied');
    const isOfShelf = file !== undefined && this.change.kind !== 'submitted';
    const at = isOfShelf ? `@=${this.change.number}` : `@${asOf}`;
    return new Promise((resolve, reject) => {
      this.waiting.push({ wanted: { path, at }, resolve, reject });
      if (this.waiting.length === 1) this.reading = this.reading.then(() => this.readWaiting());
    });
  }

  /** All that was asked for since the last reading, with two commands. */
  private async readWaiting(): Promise<void> {
    const batch = this.waiting;
    this.waiting = [];
    try {
      const { texts } = await this.open();
      const answers = await texts.read(
        batch.map(({ wanted }) => wanted),
        this.request.signal,
      );
      for (const [at, { resolve }] of batch.entries()) resolve(answers[at] ?? none('unavailable'));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async find(names: readonly string[]): Promise<readonly string[]> {
    const tails = names.filter(isTail).map(encodeTail);
    if (!this.spendSearch() || tails.length === 0) return [];
    const { allowList, asOf } = await this.open();
    const { maxHits } = this.request.limits;
    const scopes = this.request.roots.flatMap((root) => findReadableScopes(root, allowList));
    const listed = await this.inNarrowerScopes(scopes, (some) =>
      listFiles(
        this.parts.client,
        tails.flatMap((tail) => operandsFor(some, tail, asOf)),
        {
          max: maxHits * 2 + this.own.size,
          signal: this.request.signal,
        },
      ),
    );
    const paths = (listed ?? []).map(({ path }) => path);
    const found = paths.filter(
      (path) => this.isShown(path, allowList) && tails.some((tail) => endsInSteps(path, tail)),
    );
    return this.cut([...new Set(found)].sort());
  }

  async search(words: readonly string[], within?: string): Promise<readonly ContextHit[]> {
    checkSearchWords(words);
    if (!this.spendSearch()) return [];
    if (within !== undefined && !this.roots.holdsScope(within)) return [];
    const { allowList } = await this.open();
    const roots = within === undefined ? this.request.roots : [within];
    const scopes = roots.flatMap((root) => findReadableScopes(root, allowList));
    const hits = (this.canGrep ? await this.grep(words, scopes) : null) ?? (await this.searchByReading(words, scopes));
    return this.cut(hits.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1)));
  }

  /** Null where the server refuses to search. */
  private async grep(words: readonly string[], scopes: readonly string[]): Promise<ContextHit[] | null> {
    try {
      return await this.inNarrowerScopes(scopes, async (some) => {
        const operands = await this.listOperands(some);
        const hits = new Map<string, ContextHit>();
        await Promise.all([...new Set(words)].map((word) => this.grepWord(word, operands, hits)));
        return [...hits.values()];
      });
    } catch (error) {
      if (!isCriticizerError(error) || !refusals.has(error.code)) throw error;
      if (this.canGrep) this.parts.onSearchRefused(error.code); // once, however many searches run
      this.canGrep = false;
      return null;
    }
  }

  private async grepWord(word: string, operands: readonly string[], hits: Map<string, ContextHit>): Promise<void> {
    const { allowList } = await this.open();
    const { maxHits } = this.request.limits;
    const matches = createWordMatcher([word]);
    let raw = 0;
    await grepLines(
      this.parts.client,
      { word, operands },
      {
        signal: this.request.signal,
        onCut: () => this.missing.add('scope_cut'),
        take: (line) => {
          const verdict = allowList.check(line.path);
          if (!verdict.allowed) {
            const why = deniedReason(verdict);
            report({ ...this.parts, changelistId: this.change.changelistId }, { path: line.path, why });
            throw deniedError(why, 1);
          }
          raw += 1;
          if (this.isShown(line.path, allowList) && matches(line.text)) hits.set(`${line.path}:${line.line}`, line);
          const isEnough = hits.size > maxHits || raw > maxHits * maxRawFactor;
          if (isEnough) this.missing.add('hits_cut');
          return !isEnough;
        },
      },
    );
  }

  /** What is named to `grep`: folders of which every file may be read, and the readable files of the others. */
  private async listOperands(scopes: readonly string[]): Promise<readonly string[]> {
    const { allowList, asOf } = await this.open();
    const whole = scopes.filter((scope) => isWhollyReadable(scope, allowList));
    const listed = await this.listReadable(scopes.filter((scope) => !whole.includes(scope)));
    return [...whole, ...listed.map(({ path }) => path)].map((operand) => `${operand}@${asOf}`);
  }

  /** Text files below the scopes that may be read. */
  private async listReadable(scopes: readonly string[]): Promise<readonly ListedFile[]> {
    const { allowList, asOf } = await this.open();
    const operands = scopes.map((scope) => `${scope}@${asOf}`);
    const listed = await listFiles(this.parts.client, operands, { max: maxListed, signal: this.request.signal });
    if (listed.length >= maxListed) this.missing.add('scope_cut');
    return listed.filter(({ path, type }) => {
      const { content } = parseFileType(type);
      return this.isShown(path, allowList) && (content === 'text' || content === 'utf16');
    });
  }

  /** Reads the nearest files and looks for the words, with at most half of the files that are left to read. */
  private async searchByReading(words: readonly string[], scopes: readonly string[]): Promise<ContextHit[]> {
    this.missing.add('search_refused');
    const { texts } = await this.open();
    const listed = (await this.inNarrowerScopes(scopes, (some) => this.listReadable(some))) ?? [];
    const paths = listed.map(({ path }) => path);
    const near = nearestFirst(paths, this.changedPaths()).slice(0, Math.floor(texts.filesLeft() / 2));
    if (near.length < listed.length) this.missing.add('scope_cut');
    const read = await Promise.all(near.map((path) => this.read(path)));
    const matches = createWordMatcher(words);
    return read.flatMap((one) => (one.kind === 'text' ? hitsIn(one.path, one.text, matches) : []));
  }

  /** `inNarrower` for the changed files of the session. */
  private inNarrowerScopes<T>(scopes: readonly string[], run: (scopes: readonly string[]) => Promise<T>): Promise<T> {
    return inNarrower(narrowScopes(scopes, this.changedPaths()), run, () => this.missing.add('scope_cut'));
  }

  private changedPaths(): readonly string[] {
    return this.change.files.map(({ path }) => path);
  }

  /** A readable file within the roots that is none of the change. */
  private isShown(path: string, allowList: AllowList): boolean {
    return this.roots.holds(path) && !this.own.has(path) && allowList.check(path).allowed;
  }

  private spendSearch(): boolean {
    this.request.signal.throwIfAborted();
    this.searchesLeft -= 1;
    if (this.searchesLeft < 0) this.missing.add('searches_used_up');
    return this.searchesLeft >= 0;
  }

  private cut<T>(found: readonly T[]): readonly T[] {
    const { maxHits } = this.request.limits;
    if (found.length > maxHits) this.missing.add('hits_cut');
    return found.slice(0, maxHits);
  }

  private open(): Promise<Opened> {
    this.opened ??= this.openNow();
    this.opened.catch(() => {
      this.opened = null;
    });
    return this.opened;
  }

  private async openNow(): Promise<Opened> {
    const { parts, change, request } = this;
    const allowList = await parts.readAllowList(request.signal);
    const asOf = await findAsOf(parts.client, change, request.signal);
    const { caseHandling } = allowList;
    const { limits } = request;
    const texts = createContextTexts({ ...parts, allowList, caseHandling, limits, changelistId: change.changelistId });
    return { allowList, asOf, texts };
  }
}

function none(reason: Extract<ContextText, { kind: 'none' }>['reason']): ContextText {
  return { kind: 'none', reason };
}

function refusalOf(
  skipped: NonNullable<Change['files'][number]['skipped']>,
): Extract<ContextText, { kind: 'none' }>['reason'] {
  if (skipped === 'deleted' || skipped === 'purged') return 'absent';
  return skipped === 'binary' || skipped === 'symlink' ? 'binary' : skipped === 'oversize' ? 'oversize' : 'unavailable';
}
