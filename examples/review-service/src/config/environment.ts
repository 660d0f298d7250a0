// Every variable that the service reads, with its form: the one schema.
import { createUrlTemplate } from '@criticizer/core';
import { z } from 'zod';
import { channelFamilies, channelRules, channelVariables, hasChannel } from './channel-variables.js';
import { mailRules, mailVariables } from './mail-variables.js';
import { describeModelVariables, modelVariables } from './model-variables.js';
import { describePagerVariables, pagerVariables } from './pager-variables.js';
import { applyRules, type Rule } from './read-environment.js';
import { sealRules, sealVariables } from './seal-variables.js';
import { absolutePath, endpoint, list, price, whole } from './values.js';

const changeUrl = z.string().superRefine((text, context) => {
  try {
    createUrlTemplate('CHANGE_URL', text, { names: ['change', 'server'], required: 'change' });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    context.addIssue({ code: 'custom', message: error.message.replace('CHANGE_URL: ', '') });
  }
});
const databaseUrl = z
  .string()
  .regex(/^(?:postgres(?:ql)?:\/\/\S+|sqlite:\/\S+)$/, 'expected postgres://host/database or sqlite:/absolute/file');
/** Which Perforce servers there are: of the service and of the p4 runner. */
export const serverVariables = {
  P4_SERVERS_FILE: absolutePath.optional().describe('JSON list of servers; in place of the P4 variables below.'),
  P4_SERVER_ID: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{0,62}$/, 'expected lower-case letters, digits, dots and dashes')
    .default('main')
    .describe('Names the server in every key; keep it when the port changes.'),
  P4PORT: z.string().optional().describe('ssl:perforce.example.com:1666'),
  P4USER: z.string().optional().describe('The service user.'),
  P4_TICKET_FILE: absolutePath.optional().describe('Its ticket, as p4 login -a -p prints it.'),
  P4_FINGERPRINT: z.string().optional().describe('Pin of the public key of the server, with ssl:. p4d -Gf prints it.'),
  P4_EXECUTABLE: absolutePath.default('/usr/local/bin/p4').describe('The p4 client; default /usr/local/bin/p4.'),
  P4_CONTAINMENT: z
    .enum(['auto', 'required', 'accept-none'])
    .default('auto')
    .describe("Keeps a server that drives p4 from the files of this host; with a runner it is the runner's."),
  P4_FULL_LIST_ACCESS: z.enum(['yes', 'no']).default('no').describe('Whether the user may list every file.'),
  ALLOW: list.optional().describe('Depot paths that may be read, with commas between.'),
  WATCH: list
    .pipe(z.array(z.enum(['submitted', 'shelved'])).min(1))
    .default(['submitted', 'shelved'])
    .describe('What the watcher looks for.'),
  POLL_SECONDS: whole(1, 86_400).default(30).describe('Pause between two polls.'),
  P4_MAX_CONCURRENT: whole(1, 64).optional().describe('Commands of p4 at a time; default 4, in a p4 runner 8.'),
  P4_COMMAND_SECONDS: whole(1, 3_600).default(60).describe('Longest run of one; default 60.'),
  P4_CONTENTS_SECONDS: whole(1, 3_600).default(300).describe('The same where it prints contents; default 300.'),
  P4_MAX_CHANGE_FILES: whole(1, 100_000).default(10_000).describe('Larger changes are skipped; default 10000.'),
  SWARM_URL: endpoint.optional().describe('P4 Code Review, where it calls the service as a test.'),
} as const;

/** What completes the settings, and says what models outside the house get. */
const settingsVariables = {
  SETTINGS_FILE: absolutePath.optional().describe('JSON with settings of docs/reference/settings.md.'),
  INTERNAL_HOSTS: list
    .default([])
    .describe('Models inside the house: llm.studio.example, or .studio.example for all below.'),
  LLM_PUBLIC_PATHS: list.optional().describe('Depot paths that may go to a model outside the house.'),
  LLM_DAILY_REQUESTS: whole(1, 999_999_999)
    .optional()
    .describe('Requests in 24 hours; this or the next is required there.'),
  LLM_DAILY_COST: price.optional().describe('Cost in 24 hours, by the prices.'),
} as const;

/** Where the stores are. */
const databaseVariables = {
  DATA_DIR: absolutePath.default('/var/lib/criticizer').describe('Encrypted artifacts, and the SQLite file.'),
  DATABASE_URL: databaseUrl.optional().describe('PostgreSQL, or a SQLite file; default DATA_DIR/queue.sqlite.'),
  DATABASE_PASSWORD_FILE: absolutePath.optional().describe('The password for DATABASE_URL.'),
  DATABASE_SCHEMA: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/, 'expected lower-case letters, digits and underscores')
    .default('criticizer')
    .describe('PostgreSQL schema of the tables.'),
} as const;

const variables = {
  ...databaseVariables,
  SECRETS_DIR: absolutePath.default('/run/secrets').describe('One file a secret, mode 0600 or 0400.'),
  SECRET_MAX_AGE_DAYS: whole(1, 3_650)
    .default(90)
    .describe('Age at which a credential expires; a warning 10 days before.'),
  SECRET_ON_EXPIRY: z
    .enum(['warn', 'park'])
    .default('warn')
    .describe('park: keys of models, the SMTP password and tickets are not used past that age.'),
  MIGRATE: z.enum(['auto', 'never']).default('auto').describe('Whether serve and worker migrate the database.'),
  HTTP_HOST: z.string().min(1).default('127.0.0.1').describe('Where the endpoints listen; TLS ends in front.'),
  HTTP_PORT: whole(0, 65_535).default(8_080).describe('0: any free port.'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info').describe('Default info.'),
  MIN_FREE_MB: whole(0, 999_999).default(512).describe('Free disk below which /ready fails.'),
  ...serverVariables,
  P4_RUNNER_SOCKET: absolutePath.optional().describe('Socket of a p4 runner, which has executable, ticket and pin.'),
  P4_RUNNER_KEY_FILE: absolutePath.optional().describe('The key that the runner has, too.'),
  CHANGE_URL: changeUrl.optional().describe('Link in mails: https://swarm.example.com/changes/{change}'),
  ...settingsVariables,
  ...mailVariables,
  AUDIT_WEBHOOK_URL: endpoint.optional().describe('Gets every audit event, signed by Standard Webhooks.'),
  AUDIT_WEBHOOK_SECRET_FILE: absolutePath
    .optional()
    .describe('Its signing secret: whsec_ and Base64 of 24 to 64 bytes.'),
  AUDIT_SHADOW_URL: endpoint
    .optional()
    .describe('Non-production endpoint that gets the same beside it, for the tenants of audit flag shadow.'),
  AUDIT_SHADOW_SECRET_FILE: absolutePath.optional().describe('Its own signing secret.'),
  ...sealVariables,
  LINKS_URL: endpoint
    .optional()
    .describe('Where readers reach /links of this service: mails then have links to hide a finding.'),
  ...channelVariables,
} as const;

/** What names the servers. */
export type ServerEnvironment = z.output<z.ZodObject<typeof serverVariables>>;
type Given = z.output<z.ZodObject<typeof variables>>;
/** Rules over the variables that name the servers. */
export const serverRules: readonly Rule<ServerEnvironment>[] = [
  ...(['P4PORT', 'P4USER', 'ALLOW'] as const).map(
    (name): Rule<ServerEnvironment> => [
      name,
      (env) => env.P4_SERVERS_FILE !== undefined || env[name] !== undefined,
      'is missing, and P4_SERVERS_FILE is not set',
    ],
  ),
  [
    'P4PORT',
    (env) => env.P4_SERVERS_FILE === undefined || env.P4PORT === undefined,
    'is set beside P4_SERVERS_FILE: unset one of them',
  ],
];
const mailNeeds = ['SMTP_URL', 'MAIL_FROM', 'MAIL_DOMAINS'] as const;

const rules: readonly Rule<Given>[] = [
  ...serverRules,
  [
    'P4_RUNNER_KEY_FILE',
    (env) => (env.P4_RUNNER_SOCKET === undefined) === (env.P4_RUNNER_KEY_FILE === undefined),
    'and P4_RUNNER_SOCKET belong together: set both or neither',
  ],
  // Nothing of mail may be missing where anything of it is set, and all of it where reviews are posted elsewhere.
  ...mailNeeds.map((name): Rule<Given> => {
    const isMailless = (env: Partial<Given>) => hasChannel(env) && mailNeeds.every((one) => env[one] === undefined);
    return [name, (env) => env[name] !== undefined || isMailless(env), 'is missing'];
  }),
  ['MAIL', (env) => env.MAIL !== 'off' || hasChannel(env), 'is off, and reviews are posted nowhere'],
  ['MAIL', (env) => env.MAIL !== 'on' || env.SMTP_URL !== undefined, 'is on, and SMTP_URL is not set'],
  ...mailRules,
  ...channelRules,
  [
    'DELIVERY',
    ({ DELIVERY: mode, SMTP_URL: url }) => url !== undefined || mode?.startsWith('redirect:') !== true,
    'redirects mails, and SMTP_URL is not set',
  ],
  [
    'AUDIT_WEBHOOK_SECRET_FILE',
    (env) => (env.AUDIT_WEBHOOK_URL === undefined) === (env.AUDIT_WEBHOOK_SECRET_FILE === undefined),
    'and AUDIT_WEBHOOK_URL belong together: set both or neither',
  ],
  [
    'AUDIT_SHADOW_SECRET_FILE',
    (env) => (env.AUDIT_SHADOW_URL === undefined) === (env.AUDIT_SHADOW_SECRET_FILE === undefined),
    'and AUDIT_SHADOW_URL belong together: set both or neither',
  ],
  [
    'AUDIT_SHADOW_URL',
    (env) => env.AUDIT_SHADOW_URL === undefined || env.AUDIT_WEBHOOK_URL !== undefined,
    'is the shadow of AUDIT_WEBHOOK_URL: set that too',
  ],
  ...sealRules,
];

/** The part of the environment that names the servers. */
export const serverSchema = applyRules(z.object(serverVariables), serverRules);

/** The part of the environment that names the stores. */
export const databaseSchema = z.object(databaseVariables);

/** The checked part of the environment that names the stores. */
export type DatabaseEnvironment = z.output<typeof databaseSchema>;

/** The part of the environment that makes the settings. */
export const settingsSchema = z.object(settingsVariables);

/** The checked part of the environment that makes the settings. */
export type SettingsEnvironment = z.output<typeof settingsSchema>;

/** The environment of the service. */
export const environmentSchema = applyRules(z.object(variables), rules);

/** The part of the environment that says where audit events go. */
export const auditSchema = z.object({
  AUDIT_WEBHOOK_URL: variables.AUDIT_WEBHOOK_URL,
  AUDIT_WEBHOOK_SECRET_FILE: variables.AUDIT_WEBHOOK_SECRET_FILE,
  AUDIT_SHADOW_URL: variables.AUDIT_SHADOW_URL,
  AUDIT_SHADOW_SECRET_FILE: variables.AUDIT_SHADOW_SECRET_FILE,
});

/** The checked environment. */
export type Environment = z.output<typeof environmentSchema>;

/** Names with the families that the service owns, so that a typing error is found. */
const families = ['LLM_', 'SMTP_', 'MAIL_', 'RECIPIENT_', 'DATABASE_', 'P4_', 'AUDIT_', 'PAGER_', ...channelFamilies];

/** Variables of the service's families that it does not know. */
export function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env).filter(
    (name) =>
      families.some((family) => name.startsWith(family)) &&
      !Object.hasOwn(variables, name) &&
      !Object.hasOwn(pagerVariables, name) &&
      !modelVariables.has(name),
  );
}

/** Those of `unknownVariables` that look like one of the database's. */
export function unknownDatabaseVariables(env: NodeJS.ProcessEnv): string[] {
  return unknownVariables(env).filter((name) => name.startsWith('DATABASE_'));
}

/** Name and meaning of every variable, for `--help`. */
export function describeVariables(): { name: string; text: string }[] {
  const own = Object.entries(variables).map(([name, schema]) => ({ name, text: schema.description ?? '' }));
  return [...own, ...describePagerVariables(), ...describeModelVariables()];
}
