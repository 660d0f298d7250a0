import type { Change, SkipReason } from './change.js';

/** How much of a change is read. Beyond them a file is cut or listed without its text. */
export interface FetchLimits {
  /** Most files whose text is fetched. */
  maxFiles: number;
  /** Most bytes of one file's side. */
  maxFileBytes: number;
  /** Most bytes of text in all. */
  maxTotalBytes: number;
  /** Unchanged lines round each hunk. */
  contextLines: number;
  /** Longest new side, in bytes of UTF-8, that comes whole beside its hunks (`ChangedFile.newText`); 0: none. */
  maxNewTextBytes: number;
}

/** What a fetcher found: the change, or why it is not to be reviewed. */
export type FetchOutcome = { kind: 'change'; change: Change } | { kind: 'skipped'; reason: SkipReason; detail: string };

/** How a change is read. */
export interface FetchRequest {
  limits: FetchLimits;
  signal: AbortSignal;
  /**
   * True for the depot path of a file that is only scanned for secrets and kept from the model
   * (`intake.skipPaths`). The fetcher reads such files last, with what the others leave of
   * `maxFiles` and `maxTotalBytes`, and skips the rest of them as `unscanned`. Absent: none is.
   */
  isScanOnly?: ((depotPath: string) => boolean) | undefined;
}

/**
 * The one enforcement point for what may be read from Perforce (P4-2): every path is checked
 * against the allow-list before a command is issued and again on everything the server returns.
 * Throws typed `CriticizerError`s; a violation fails closed and emits a security event.
 */
export interface ChangeFetcher {
  /** The version of this port that the part is written to. Wiring refuses a number that it does not know. */
  readonly contract: 1;
  /** Names the server in every key; `^[a-z0-9][a-z0-9.-]{0,62}$`. */
  readonly serverId: string;
  fetch(number: number, request: FetchRequest): Promise<FetchOutcome>;
}
