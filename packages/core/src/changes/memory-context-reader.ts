import type { ChangedFile } from './change.js';
import type {
  ContextHit,
  ContextReader,
  ContextRequest,
  ContextSession,
  ContextShortfall,
  ContextText,
} from './context-reader.js';
import { createContextRoots, endsInSteps } from './context-roots.js';
import { createWordMatcher } from './search-words.js';

/** Longest line that a hit gives, in characters. */
const MAX_HIT_CHARS = 1000;

/** What `createMemoryContextReader` takes. */
export interface MemoryContextOptions {
  serverId: string;
  /** The tree as every change sees it, by depot path. A text with a NUL counts as binary. */
  files: ReadonlyMap<string, string>;
  /** Paths that may not be read. Default: none. */
  isDenied?: ((path: string) => boolean) | undefined;
}

/** Files given by the host: for tests, and for reviews of changes that come from elsewhere. */
export function createMemoryContextReader(options: MemoryContextOptions): ContextReader {
  return {
    contract: 1,
    serverId: options.serverId,
    open: ({ files }, request) => openSession(options, files, request),
  };
}

// long: the verbs of one session over its budget
function openSession(
  { files, isDenied = () => false }: MemoryContextOptions,
  changed: readonly ChangedFile[],
  { roots, limits, signal }: ContextRequest,
): ContextSession {
  const scope = createContextRoots(roots);
  const own = new Map(changed.map((file) => [file.path, file]));
  const answers = new Map<string, ContextText>();
  const shortfalls = new Set<ContextShortfall>();
  let [filesLeft, bytesLeft, searchesLeft] = [limits.maxFiles, limits.maxTotalBytes, limits.maxSearches];

  const load = (path: string): ContextText => {
    if (!scope.holds(path) || isDenied(path)) return none('denied');
    const file = own.get(path);
    const text = file === undefined ? files.get(path) : file.newText;
    if (text === undefined) return none(file === undefined || file.skipped === 'deleted' ? 'absent' : 'unavailable');
    if (text.includes('\0')) return none('binary');
    const bytes = Buffer.byteLength(text);
    if (bytes > limits.maxFileBytes) return none('oversize');
    if (filesLeft < 1 || bytes > bytesLeft) return none('budget');
    filesLeft -= 1;
    bytesLeft -= bytes;
    return { kind: 'text', path, revision: file?.revision ?? null, text };
  };

  let listed: readonly string[] | null = null;
  const others = (): readonly string[] => {
    listed ??= [...files.keys()].filter((path) => scope.holds(path) && !own.has(path) && !isDenied(path)).sort();
    return listed;
  };

  const spendSearch = (): boolean => {
    signal.throwIfAborted();
    searchesLeft -= 1;
    if (searchesLeft < 0) shortfalls.add('searches_used_up');
    return searchesLeft >= 0;
  };

  const cut = <T>(found: readonly T[]): readonly T[] => {
    if (found.length > limits.maxHits) shortfalls.add('hits_cut');
    return found.slice(0, limits.maxHits);
  };

  return {
    async read(path) {
      signal.throwIfAborted();
      const answer = answers.get(path) ?? load(path);
      answers.set(path, answer);
      return answer;
    },
    async find(names) {
      if (!spendSearch()) return [];
      return cut(others().filter((path) => names.some((name) => endsInSteps(path, name))));
    },
    async search(words, within) {
      const matches = createWordMatcher(words);
      if (!spendSearch()) return [];
      if (within !== undefined && !scope.holdsScope(within)) return [];
      const searched = createContextRoots(within === undefined ? roots : [within]);
      const texts = others().flatMap((path) => (searched.holds(path) ? [[path, files.get(path) ?? ''] as const] : []));
      return cut(texts.flatMap(([path, text]) => (text.includes('\0') ? [] : hitsIn(path, text, matches))));
    },
    shortfalls: () => [...shortfalls],
  };
}

function none(reason: Extract<ContextText, { kind: 'none' }>['reason']): ContextText {
  return { kind: 'none', reason };
}

/** The lines of a text that match, numbered. */
export function hitsIn(path: string, text: string, matches: (line: string) => boolean): ContextHit[] {
  return text
    .split(/\r?\n/)
    .flatMap((line, at) => (matches(line) ? [{ path, line: at + 1, text: line.slice(0, MAX_HIT_CHARS) }] : []));
}
