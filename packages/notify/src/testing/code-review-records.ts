/** A comment as the server keeps it and answers it. */
export interface CodeReviewComment {
  id: number;
  /** `reviews/N`, `changes/N` or `jobs/name`. */
  topic: string;
  context: CodeReviewContext;
  attachments: readonly never[];
  flags: string[];
  taskState: string;
  likes: string[];
  user: string;
  /** Seconds since 1970. */
  time: number;
  updated: number;
  edited: number | null;
  body: string;
  readBy: string[];
}

/** Where a comment is; empty for one about the whole topic. */
export interface CodeReviewContext {
  file?: string;
  /** A line, or its first and last; null where that side has none. */
  leftLine?: CodeReviewLine;
  rightLine?: CodeReviewLine;
  content?: readonly string[] | null;
  /** 1 to n, an index into the versions of the review. */
  version?: number;
  /** The comment that this one answers. */
  comment?: number;
  attribute?: string;
}

/** A line of a file, from 1; two numbers for a range. */
export type CodeReviewLine = number | readonly [number, number] | null;

/** A version of a review: a shelf or a submitted change. */
export interface CodeReviewVersion {
  /** The review's id while the version is the pending head, else the archive or submitted change. */
  change: number;
  /** The frozen copy of a pending head. */
  archiveChange?: number | undefined;
  user: string;
  time: number;
  pending: boolean;
  /** Text of each file at this version by depot path; what the page shows. */
  files: Readonly<Record<string, string>>;
}

/** A review, as the server keeps it. */
export interface CodeReviewRecord {
  id: number;
  author: string;
  description: string;
  isPrivate: boolean;
  changes: number[];
  commits: number[];
  versions: CodeReviewVersion[];
  participants: Set<string>;
  /** Those whom mentions with `*` or `!` made required. */
  requiredReviewers: Set<string>;
}

/** A mail that the server would have sent. */
export interface CodeReviewMail {
  topic: string;
  /** Who wrote the comments. */
  from: string;
  to: readonly string[];
  comments: readonly number[];
}

/** What the server knows; tests may read all of it. */
export interface CodeReviewState {
  /** Ticket of each user by name. */
  users: Map<string, string>;
  groups: Map<string, readonly string[]>;
  reviews: Map<number, CodeReviewRecord>;
  /** Changes by their first number, with the number that they were submitted under. */
  changes: Map<number, { user: string; isRestricted: boolean; submittedAs: number | null }>;
  jobs: Set<string>;
  comments: CodeReviewComment[];
  mails: CodeReviewMail[];
  /** Comments whose mail waits, by user and topic. */
  delayed: Map<string, number[]>;
  /** Depot paths that a user may not read. */
  unreadable: Map<string, Set<string>>;
  nextComment: number;
}

/** An answer of the server that is no success. */
export class CodeReviewRefusal extends Error {
  readonly status: number;
  /** A list of `{code, text}`, or for a validation what is wrong with each field. */
  readonly messages: unknown;
  constructor(status: number, text: string, messages: unknown = [{ code: status, text }]) {
    super(text);
    this.name = 'CodeReviewRefusal';
    this.status = status;
    this.messages = messages;
  }
}
