// The P4 Code Review that reviews are posted to: its variables, and what they say.
import { z } from 'zod';
import { needing, type Rule } from './read-environment.js';
import { UsageError } from './usage-error.js';
import { absolutePath, anyEndpoint, whole } from './values.js';

export const codeReviewVariables = {
  CODE_REVIEW_URL: anyEndpoint
    .optional()
    .describe('P4 Code Review (Swarm): gets reviews as comments; no review is mailed then, unless MAIL is on.'),
  CODE_REVIEW_USER: z
    .string()
    .regex(
      /^[^\s:\p{Cc}]{1,128}$/u,
      'expected the name of an account, without white space, colon and control character',
    )
    .optional()
    .describe('The account that comments.'),
  CODE_REVIEW_TICKET_FILE: absolutePath.optional().describe('Its ticket, as p4 login -a -p prints it.'),
  CODE_REVIEW_SERVER_ID: z
    .string()
    .optional()
    .describe('The Perforce server whose changes are reviewed there; needed where there are several.'),
  CODE_REVIEW_MAX_COMMENTS: whole(0, 100)
    .optional()
    .describe('Comments at lines in a review; the summary has the others. Default 10.'),
  CODE_REVIEW_REQUEST_SECONDS: whole(1, 3_600)
    .optional()
    .describe('After so long a request has ended there. Default 120.'),
  CODE_REVIEW_TASKS: z.enum(['yes', 'no']).optional().describe('Whether each comment is an open task. Default no.'),
} as const;

type Given = z.output<z.ZodObject<typeof codeReviewVariables>>;

export const codeReviewRules: readonly Rule<Given>[] = [
  ...(['CODE_REVIEW_USER', 'CODE_REVIEW_TICKET_FILE'] as const).map(
    (name): Rule<Given> => [
      name,
      (env) => (env.CODE_REVIEW_URL === undefined) === (env[name] === undefined),
      'and CODE_REVIEW_URL belong together: set both or neither',
    ],
  ),
  ...needing<Given>('CODE_REVIEW_URL', [
    ...(['CODE_REVIEW_SERVER_ID', 'CODE_REVIEW_MAX_COMMENTS'] as const),
    ...(['CODE_REVIEW_REQUEST_SECONDS', 'CODE_REVIEW_TASKS'] as const),
  ]),
];

/** The P4 Code Review that gets reviews. */
export interface CodeReviewConfiguration {
  url: string;
  user: string;
  ticketFile: string;
  /** Undefined: the only server. */
  serverId: string | undefined;
  maxComments: number;
  requestLimitMs: number;
  openTasks: boolean;
}

/** Null where reviews are not posted there. */
export function readCodeReview(read: Given): CodeReviewConfiguration | null {
  const { CODE_REVIEW_URL: url, CODE_REVIEW_USER: user, CODE_REVIEW_TICKET_FILE: ticketFile } = read;
  if (url === undefined || user === undefined || ticketFile === undefined) return null;
  return {
    ...{ url, user, ticketFile, serverId: read.CODE_REVIEW_SERVER_ID },
    maxComments: read.CODE_REVIEW_MAX_COMMENTS ?? 10,
    requestLimitMs: (read.CODE_REVIEW_REQUEST_SECONDS ?? 120) * 1_000,
    openTasks: read.CODE_REVIEW_TASKS === 'yes',
  };
}

/** Throws `UsageError` where it is not plain whose changes are reviewed there. */
export function checkCodeReviewServer(
  codeReview: CodeReviewConfiguration | null,
  servers: readonly { serverId: string }[],
): void {
  if (codeReview === null) return;
  const { serverId } = codeReview;
  if (serverId === undefined && servers.length > 1)
    throw new UsageError(['CODE_REVIEW_SERVER_ID: is missing, and there are several servers']);
  if (serverId !== undefined && !servers.some((server) => server.serverId === serverId))
    throw new UsageError(['CODE_REVIEW_SERVER_ID: names no server of the configuration']);
}
