// Where the team chats: the variables of Slack and Teams, and what they say.
import { z } from 'zod';
import { needing, type Rule } from './read-environment.js';
import { absolutePath, endpoint, list } from './values.js';

const conversation = /^[CDG][A-Z0-9]{1,40}$/;
const host = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

const conversations = list.refine(
  (ids) =>
    ids.length > 0 && ids.length <= 100 && ids.every((id) => conversation.test(id)) && new Set(ids).size === ids.length,
  'expected ids such as C0123456789, with commas between: at most 100, none twice',
);

export const chatVariables = {
  SLACK_TOKEN_FILE: absolutePath.optional().describe('Bot token of the app that posts to Slack.'),
  SLACK_CONVERSATIONS: conversations.optional().describe('Where it posts: ids such as C0123456789, commas between.'),
  SLACK_LOOKUP: z
    .enum(['on', 'off'])
    .optional()
    .describe('off: the app has no history scope, so a lost answer is left to mail.ambiguity. Default on.'),
  SLACK_API_URL: endpoint.optional().describe('Default https://slack.com/api; GovSlack: https://slack-gov.com/api.'),
  SLACK_WEBHOOK_FILE: absolutePath
    .optional()
    .describe('Address of an incoming webhook of Slack, in place of an app: no look-up.'),
  TEAMS_WORKFLOW_FILE: absolutePath.optional().describe('Address of a Workflows webhook of Microsoft Teams.'),
  TEAMS_HOSTS: list
    .refine((hosts) => hosts.length > 0 && hosts.every((one) => host.test(one)), 'expected hosts, commas between')
    .optional()
    .describe('Hosts that the address may have. Default *.logic.azure.com,*.environment.api.powerplatform.com.'),
} as const;

type Given = z.output<z.ZodObject<typeof chatVariables>>;

export const chatRules: readonly Rule<Given>[] = [
  [
    'SLACK_CONVERSATIONS',
    (env) => (env.SLACK_TOKEN_FILE === undefined) === (env.SLACK_CONVERSATIONS === undefined),
    'and SLACK_TOKEN_FILE belong together: set both or neither',
  ],
  [
    'SLACK_WEBHOOK_FILE',
    (env) => env.SLACK_WEBHOOK_FILE === undefined || env.SLACK_TOKEN_FILE === undefined,
    'and SLACK_TOKEN_FILE are two ways to Slack: set one',
  ],
  ...needing<Given>('SLACK_TOKEN_FILE', ['SLACK_API_URL', 'SLACK_LOOKUP']),
  ...needing<Given>('TEAMS_WORKFLOW_FILE', ['TEAMS_HOSTS']),
];

/** True where reviews are posted to a chat. */
export const hasChat = (env: Partial<Given>): boolean =>
  [env.SLACK_TOKEN_FILE, env.SLACK_WEBHOOK_FILE, env.TEAMS_WORKFLOW_FILE].some((file) => file !== undefined);

/** Beginnings of their names, so that a typing error is found. */
export const chatFamilies = ['SLACK_', 'TEAMS_'] as const;

/** Which app posts to Slack, or which incoming webhook. */
export type SlackConfiguration =
  | { kind: 'app'; tokenFile: string; conversations: readonly string[]; hasLookup: boolean; url: string | undefined }
  | { kind: 'webhook'; addressFile: string };

/** Which Workflows webhook of Teams gets reviews. */
export interface TeamsConfiguration {
  addressFile: string;
  /** Undefined: those of Power Automate. */
  hosts: readonly string[] | undefined;
}

/** The way to Slack; null: none. */
export function readSlack(read: Given): SlackConfiguration | null {
  const { SLACK_TOKEN_FILE: tokenFile, SLACK_CONVERSATIONS: ids, SLACK_WEBHOOK_FILE: addressFile } = read;
  if (tokenFile !== undefined && ids !== undefined)
    return {
      ...{ kind: 'app', tokenFile, conversations: ids },
      ...{ hasLookup: read.SLACK_LOOKUP !== 'off', url: read.SLACK_API_URL },
    };
  return addressFile === undefined ? null : { kind: 'webhook', addressFile };
}

/** The way to Teams; null: none. */
export function readTeams(read: Given): TeamsConfiguration | null {
  const { TEAMS_WORKFLOW_FILE: addressFile, TEAMS_HOSTS: hosts } = read;
  return addressFile === undefined ? null : { addressFile, hosts };
}

/** The files of secrets that chats need, by the variable that names each. */
export function listChatSecrets(slack: SlackConfiguration | null, teams: TeamsConfiguration | null) {
  return [
    ['SLACK_TOKEN_FILE', slack?.kind === 'app' ? slack.tokenFile : undefined],
    ['SLACK_WEBHOOK_FILE', slack?.kind === 'webhook' ? slack.addressFile : undefined],
    ['TEAMS_WORKFLOW_FILE', teams?.addressFile],
  ] as const;
}
