import type { Change, ChangeSummary } from './change.js';

/** How much is read beyond one change. What lies beyond a limit is left out and said so. */
export interface ContextLimits {
  /** Most files that `read` gives the text of. */
  maxFiles: number;
  /** Most bytes of one file. */
  maxFileBytes: number;
  /** Most bytes of all texts together. */
  maxTotalBytes: number;
  /** Most calls of `find` and `search` that reach the source. */
  maxSearches: number;
  /** Most paths that one `find` gives, and most lines that one `search` gives. */
  maxHits: number;
}

/** Where a session may read, and how much. */
export interface ContextRequest {
  /** `//depot/dir/...` or `//depot/dir/file`. Nothing outside them is read, found or searched. */
  roots: readonly string[];
  limits: ContextLimits;
  /** Ends every call of the session. */
  signal: AbortSignal;
}

/** Why a file gave no text. */
export type ContextRefusal =
  /** No such file at the change's revision, or the server shows none. */
  | 'absent'
  /** Outside the roots, or outside what the reader may read. */
  | 'denied'
  | 'binary'
  /** Longer than `maxFileBytes`. */
  | 'oversize'
  /** `maxFiles` or `maxTotalBytes` is used up. */
  | 'budget'
  /** There, and not readable: its content is lost, or in no known encoding. */
  | 'unavailable';

/** A file outside the change, or why it cannot be read. */
export type ContextText =
  | {
      kind: 'text';
      path: string;
      /** Null for a file of a shelf. */
      revision: number | null;
      /** Decoded, without a byte order mark, line breaks as they are. Raw: nothing of it is redacted. */
      text: string;
    }
  | { kind: 'none'; reason: ContextRefusal };

/** A line that holds one of the words. */
export interface ContextHit {
  path: string;
  /** 1-based. */
  line: number;
  /** The line without its line break; cut after 1000 characters. Raw: nothing of it is redacted. */
  text: string;
}

/** What a session could not look up, each once. */
export type ContextShortfall =
  /** `maxSearches` is used up: a later `find` or `search` gave nothing. */
  | 'searches_used_up'
  /** A `find` or `search` had more than `maxHits`. */
  | 'hits_cut'
  /** The source refuses to search; lines come from files that were read, within the limits. */
  | 'search_refused'
  /** The source searches or lists fewer files than lie below the roots. */
  | 'scope_cut';

/**
 * Reads the context of one change, at the change's revision: what was submitted before it, or with it. The
 * change's own files are the change's: `read` gives their new side, `find` and `search` leave them out.
 */
export interface ContextSession {
  /**
   * The text of a file. A path that was read before is answered alike and costs nothing. Rejects
   * where the source as a whole cannot be reached.
   */
  read(path: string): Promise<ContextText>;
  /** Depot paths within the roots of files with these names (`mesh.h`) or path tails (`render/mesh.h`), sorted. */
  find(names: readonly string[]): Promise<readonly string[]>;
  /**
   * Lines that hold one of the words whole, by path and line, in text files within the roots, or
   * within one folder below them (`//depot/dir/...`). Throws `TypeError` for a word that
   * `isSearchWord` refuses.
   */
  search(words: readonly string[], within?: string): Promise<readonly ContextHit[]>;
  /** What was left out so far. */
  shortfalls(): readonly ContextShortfall[];
}

/**
 * Reads what explains a change from other files: definitions of what it uses, users of what it changes
 * (GRD-4). Binds each path to what may be read before the source is asked, and again for all that
 * the source answers. A file that may not be read is `denied`; an unusable one is an answer, no
 * failure. Rejects with typed `CriticizerError`s where the source is out, and with the reason of
 * the signal.
 */
export interface ContextReader {
  /** The version of this port that the part is written to. Wiring refuses a number that it does not know. */
  readonly contract: 1;
  /** The server of whose changes it reads the context; equal to that of the `ChangeFetcher`. */
  readonly serverId: string;
  /** Reads nothing yet. */
  open(change: ChangeSummary & Pick<Change, 'files'>, request: ContextRequest): ContextSession;
}
