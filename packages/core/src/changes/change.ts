import type { ChangeContext } from './change-context.js';

/** What Perforce did to a file. `move/add` and `move/delete` come paired as one file with `oldPath`. */
export type ChangeAction = 'add' | 'edit' | 'delete' | 'branch' | 'integrate' | 'move' | 'import' | 'purge' | 'archive';

/** One hunk of a unified diff. Lines carry their mark: ' ' context, '+' new, '-' old. */
export interface Hunk {
  /** 1-based; 0 with `oldLines` 0 for an added file. */
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: readonly string[];
  /**
   * Heading of the function, type or key that encloses the hunk, as one line of the new side:
   * `GameServer::Tick`. Untrusted. Absent where the fetcher knows none.
   */
  section?: string | undefined;
  /** The last line of that side has no newline. */
  oldNoNewline?: boolean | undefined;
  newNoNewline?: boolean | undefined;
}

/** Why a file's text is not part of the review (coverage). */
export type FileSkip =
  | 'deleted'
  | 'binary'
  | 'symlink'
  | 'generated'
  | 'filtered'
  /** Kept from the model as `filtered` is, and not scanned for secrets either: the limits of a fetch left no room. */
  | 'unscanned'
  | 'oversize'
  | 'undecodable'
  | 'unchanged'
  /** Taken over from another branch as it is there: a merge, a copy, a populated branch. */
  | 'integrated'
  | 'purged'
  /** The server no longer has the content, or that of the revision before it. */
  | 'unavailable'
  /** The content is not the one whose size or digest the server declares. */
  | 'damaged'
  /** The server's path holds bytes or wildcards that no command can name. */
  | 'bad_path'
  | 'budget'
  | 'no_model'
  | 'error';

/** One file of a change: its paths, what was done to it, and its hunks or why it has none. */
export interface ChangedFile {
  /** Depot path as stored: `%40 %23 %2A %25` stay encoded. */
  path: string;
  /** Where a move or branch came from, when it may be shown. */
  oldPath: string | null;
  action: ChangeAction;
  /** Perforce type, `text+x`. */
  fileType: string;
  /** New revision; null while pending. */
  revision: number | null;
  /** Bytes of the new side, as the server says. */
  bytes: number | null;
  /** Null where text was fetched; else why not. */
  skipped: FileSkip | null;
  hunks: readonly Hunk[];
  /**
   * The whole new side, decoded, without a byte order mark, line breaks as they are. Absent where
   * the file was skipped, where it is longer than `FetchLimits.maxNewTextBytes`, and where the
   * fetcher gives none.
   */
  newText?: string | undefined;
  addedLines: number;
  removedLines: number;
  /** `utf8`, or what the decoder declares it was. */
  encoding: string | null;
}

/** A change without its contents: what policies and recipient resolvers see. */
export interface ChangeSummary {
  serverId: string;
  number: number;
  /** That it had before it was submitted. Absent: the same, or not known. */
  originalNumber?: number | undefined;
  /** `<serverId>/<number>`, made by `buildChangelistId` (INT-2). */
  changelistId: string;
  kind: 'submitted' | 'pending' | 'shelved';
  user: string;
  /** Untrusted. */
  description: string;
  /** By the Perforce server. */
  changedAt: Date;
  /** From the server's user table, where it has one. */
  userMail: string | null;
  /** Reviewers the server names: `reviews`, `Reviews:` fields. */
  reviewerMails: readonly string[];
  jobs: readonly string[];
}

/** A change with its files, as a fetcher read it. */
export interface Change extends ChangeSummary {
  files: readonly ChangedFile[];
  /** `partial-possible`: the server may have hidden files this user cannot list; the review must say so. */
  visibility: 'complete' | 'partial-possible';
  /**
   * Files left out because the allow-list denies them and the setting permits a partial review:
   * counted, never named.
   */
  deniedFiles: number;
  /**
   * Over revisions, digests and actions, hex: an unchanged re-shelve has the same (INT-2). Rows of
   * the database bear it, so it must lead nowhere without a key of the host's, as a plain digest of
   * contents would (RED-8).
   */
  contentDigest: string;
  /** What was read as its context (`ContextReader`), raw. Absent where nothing was. A fetcher gives none. */
  context?: ChangeContext | undefined;
}

export const skipReasons = [
  'path',
  'user',
  'kind',
  'size',
  'tag',
  /** A shelf that P4 Code Review has not called its test for (`intake.shelves`). */
  'not_in_review',
  /** A shelf without a word of `intake.tags`. */
  'not_tagged',
  'integration_only',
  'binary_only',
  /** All its text lies under `intake.skipPaths`, and no secret in it. */
  'filtered_only',
  'empty',
  'restricted',
  /** The same content was submitted for review under another number. */
  'same_content',
  /** A shelf of which a newer version is stored: the server holds only its newest content. */
  'superseded',
  /** Noticed and no longer there: a shelf that was deleted, or submitted under another number. */
  'gone',
  /** The review waited longer than `review.maxAgeMs`: an outage, a kill switch, a stopped worker. */
  'stale',
] as const;

/** Why a whole change is not reviewed; stored with the job (INT-1). */
export type SkipReason = (typeof skipReasons)[number];
