import {
  checkBoolean,
  checkFunction,
  checkName,
  type OptionCheck,
  type OptionShape,
  optional,
  withMethods,
} from '@criticizer/core/internal';
import { checkChannelId } from '../option-shapes.js';
import type { ReadContentDigest } from './bind-version.js';
import type { CodeReviewClient } from './code-review-client.js';

/** Where reviews are posted, and what of them. */
export interface CodeReviewChannelOptions {
  client: CodeReviewClient;
  /** The Perforce server whose changes are reviewed there: changes of another get no post. */
  serverId: string;
  /** Names the channel in rows, in settings as `code-review:<id>`. Default `swarm`. */
  id?: string | undefined;
  /**
   * `readContentDigest` of the p4 fetcher that reads the changes, with the same key: tells which version of a
   * review was judged. Left out: comments on shelves are at files, and name the line.
   */
  readContentDigest?: ReadContentDigest | undefined;
  /** Comments at lines in one review, gravest findings first: 0 to 100. Default 10; the summary has the rest. */
  maxComments?: number | undefined;
  /**
   * After so long a request whose answer was lost has ended on the server, in milliseconds, 1,000 to
   * 3,600,000: its own limit, or that of a proxy before it. Default 120,000.
   */
  requestLimitMs?: number | undefined;
  /** True: each comment at a line is an open task; some servers let nobody approve before. Default false. */
  openTasks?: boolean | undefined;
  /** False: a review ends though a comment could not be posted. Default true. */
  required?: boolean | undefined;
  /** Tells how long ago a review was planned. Default: the system's. */
  nowMs?: (() => number) | undefined;
}

function between(least: number, most: number): (option: string, value: unknown) => void {
  return (option, value) => {
    if (!Number.isSafeInteger(value) || Number(value) < least || Number(value) > most)
      throw new TypeError(`${option}: expected an integer from ${least} to ${most}`);
  };
}

const checkMethods = withMethods(
  'findReview',
  'readReview',
  'findOwnComments',
  'postComment',
  'editComment',
  'archiveComment',
);

const checkClient: OptionCheck = (option, value) => {
  checkMethods(option, value);
  if (typeof (value as Partial<CodeReviewClient>).host !== 'string')
    throw new TypeError(`${option}: expected a client with the name of its host`);
};

export const channelShape: OptionShape<CodeReviewChannelOptions> = {
  client: checkClient,
  serverId: checkName,
  id: optional(checkChannelId),
  readContentDigest: optional(checkFunction),
  maxComments: optional(between(0, 100)),
  requestLimitMs: optional(between(1_000, 3_600_000)),
  openTasks: optional(checkBoolean),
  required: optional(checkBoolean),
  nowMs: optional(checkFunction),
};
