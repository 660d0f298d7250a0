// Where reviews are posted besides mail: the variables of each channel, and what they say.
import { z } from 'zod';
import {
  chatFamilies,
  chatRules,
  chatVariables,
  hasChat,
  listChatSecrets,
  readSlack,
  readTeams,
  type SlackConfiguration,
  type TeamsConfiguration,
} from './chat-variables.js';
import {
  type CodeReviewConfiguration,
  codeReviewRules,
  codeReviewVariables,
  readCodeReview,
} from './code-review-variables.js';
import { applyRules, needing, parseEnvironment, type Rule } from './read-environment.js';
import { absolutePath, anyEndpoint, whole } from './values.js';

const webhookVariables = {
  WEBHOOK_URL: anyEndpoint.optional().describe('Gets every review, signed by Standard Webhooks.'),
  WEBHOOK_SECRET_FILE: absolutePath.optional().describe('Its signing secret: whsec_ and Base64 of 24 to 64 bytes.'),
  WEBHOOK_KEEPS_IDS_HOURS: whole(0, 8_760)
    .optional()
    .describe('How long it drops a repeated id; 0: not at all. Default 75.'),
} as const;

/** Of every channel. */
export const channelVariables = { ...webhookVariables, ...chatVariables, ...codeReviewVariables } as const;

type Given = z.output<z.ZodObject<typeof channelVariables>>;

export const channelRules: readonly Rule<Given>[] = [
  ...codeReviewRules,
  [
    'WEBHOOK_SECRET_FILE',
    (env) => (env.WEBHOOK_URL === undefined) === (env.WEBHOOK_SECRET_FILE === undefined),
    'and WEBHOOK_URL belong together: set both or neither',
  ],
  ...needing<Given>('WEBHOOK_URL', ['WEBHOOK_KEEPS_IDS_HOURS']),
  ...chatRules,
];

/** True where reviews are posted anywhere, so that nobody need be mailed. */
export const hasChannel = (env: Partial<Given>): boolean =>
  env.WEBHOOK_URL !== undefined || hasChat(env) || env.CODE_REVIEW_URL !== undefined;

/** Beginnings of their names, so that a typing error is found. */
export const channelFamilies = ['WEBHOOK_', 'CODE_REVIEW_', ...chatFamilies] as const;

/** Which endpoint gets reviews. */
export interface WebhookConfiguration {
  url: string;
  secretFile: string;
  /** How long it keeps ids, in milliseconds. */
  idsKeptMs: number;
}

/** Where reviews are posted; null: not there. */
export interface ChannelConfiguration {
  webhook: WebhookConfiguration | null;
  slack: SlackConfiguration | null;
  teams: TeamsConfiguration | null;
  codeReview: CodeReviewConfiguration | null;
}

function readWebhook(read: Given): WebhookConfiguration | null {
  const { WEBHOOK_URL: url, WEBHOOK_SECRET_FILE: secretFile, WEBHOOK_KEEPS_IDS_HOURS: hours = 75 } = read;
  return url === undefined || secretFile === undefined ? null : { url, secretFile, idsKeptMs: hours * 3_600_000 };
}

const schema = applyRules(z.object(channelVariables), channelRules);

/** Where reviews are posted, and nothing else. Throws `UsageError` for these variables. */
export function readChannels(env: NodeJS.ProcessEnv): ChannelConfiguration {
  const read = parseEnvironment(schema, env);
  const chats = { slack: readSlack(read), teams: readTeams(read) };
  return { webhook: readWebhook(read), ...chats, codeReview: readCodeReview(read) };
}

/** Reviews are posted nowhere. */
export const noChannels: ChannelConfiguration = { webhook: null, slack: null, teams: null, codeReview: null };

/** The files of secrets that channels need, by the variable that names each. */
export function listChannelSecrets({ webhook, slack, teams, codeReview }: ChannelConfiguration) {
  return [
    ['WEBHOOK_SECRET_FILE', webhook?.secretFile],
    ['CODE_REVIEW_TICKET_FILE', codeReview?.ticketFile],
    ...listChatSecrets(slack, teams),
  ] as const;
}
