// Every variable that the service reads, with its form: the one schema.
import { createUrlTemplate } from '@criticizer/core';
import { parseRecipient } from '@criticizer/core/ports';
import { z } from 'zod';
import { noModel, protocols } from './llm-protocols.js';
import { absolutePath, address, domain, endpoint, isLoopbackHost, list, whole } from './values.js';

const positive = z
  .string()
  .regex(/^[0-9]{1,6}(?:\.[0-9]{1,6})?$/, 'expected a price such as 1.25')
  .transform(Number);
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
const smtpUrl = z.string().superRefine((text, context) => {
  const url = /^smtps?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : null;
  const hasMore = url !== null && (!['', '/'].includes(url.pathname) || url.search + url.hash !== '');
  const refuse = (message: string): void => context.addIssue({ code: 'custom', message });
  if (url === null || url.hostname === '' || hasMore)
    refuse('expected an address such as smtp://user@mail.example.com:587 or smtps://user@mail.example.com');
  else if (url.password !== '') refuse('expected no password in the address: put it into the file SMTP_PASSWORD_FILE');
});
const delivery = z
  .string()
  .regex(/^(?:shadow|live|redirect:\S+)$/, 'expected shadow, redirect:ADDRESS or live')
  .superRefine((text, context) => {
    const target = text.startsWith('redirect:') ? address.safeParse(text.slice('redirect:'.length)) : null;
    if (target?.success === false)
      context.addIssue({ code: 'custom', message: 'expected one address behind redirect:' });
  });

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
  P4_FINGERPRINT: z.string().optional().describe('Pin of the server key, with ssl:.'),
  P4_EXECUTABLE: absolutePath.default('/usr/local/bin/p4'),
  P4_FULL_LIST_ACCESS: z.enum(['yes', 'no']).default('no').describe('Whether the user may list every file.'),
  ALLOW: list.optional().describe('Depot paths that may be read, with commas between.'),
  WATCH: list
    .pipe(z.array(z.enum(['submitted', 'shelved'])).min(1))
    .default(['submitted', 'shelved'])
    .describe('What the watcher looks for.'),
  POLL_SECONDS: whole(1, 86_400).default(30).describe('Pause between two polls.'),
  SWARM_URL: endpoint.optional().describe('P4 Code Review, where it calls the service as a test.'),
} as const;

const variables = {
  DATA_DIR: absolutePath.default('/var/lib/criticizer').describe('Encrypted artifacts, and the SQLite file.'),
  SECRETS_DIR: absolutePath.default('/run/secrets').describe('One file a secret, mode 0600 or 0400.'),
  DATABASE_URL: databaseUrl.optional().describe('PostgreSQL, or a SQLite file; default DATA_DIR/queue.sqlite.'),
  DATABASE_PASSWORD_FILE: absolutePath.optional().describe('The password for DATABASE_URL.'),
  DATABASE_SCHEMA: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/, 'expected lower-case letters, digits and underscores')
    .default('criticizer')
    .describe('PostgreSQL schema of the tables.'),
  MIGRATE: z.enum(['auto', 'never']).default('auto').describe('Whether serve and worker migrate the database.'),
  HTTP_HOST: z.string().min(1).default('127.0.0.1').describe('Where the endpoints listen; TLS ends in front.'),
  HTTP_PORT: whole(0, 65_535).default(8_080).describe('0: any free port.'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  MIN_FREE_MB: whole(0, 999_999).default(512).describe('Free disk below which /ready fails.'),
  SETTINGS_FILE: absolutePath.optional().describe('JSON with settings of docs/reference/settings.md.'),
  ...serverVariables,
  P4_RUNNER_SOCKET: absolutePath.optional().describe('Socket of a p4 runner, which has executable, ticket and pin.'),
  P4_RUNNER_KEY_FILE: absolutePath.optional().describe('The key that the runner has, too.'),
  CHANGE_URL: changeUrl.optional().describe('Link in mails: https://swarm.example.com/changes/{change}'),
  LLM_PROTOCOL: z
    .string()
    .refine((name) => protocols.includes(name), `expected one of ${protocols.join(', ')}`)
    .describe(`One of ${protocols.join(', ')}.`),
  LLM_BASE_URL: endpoint.optional().describe('As the SDK of the vendor takes it.'),
  LLM_MODEL: z.string().min(1).optional().describe('As the vendor names it.'),
  LLM_KEY_FILE: absolutePath.optional().describe('The API key; required but on this machine.'),
  LLM_CONTEXT_TOKENS: whole(1_000, 100_000_000).default(128_000),
  LLM_MAX_OUTPUT_TOKENS: whole(256, 1_000_000).default(8_192),
  LLM_PRICE_INPUT: positive.optional().describe('Per million tokens, for forecast.'),
  LLM_PRICE_OUTPUT: positive.optional().describe('Per million tokens, for forecast.'),
  SMTP_URL: smtpUrl.describe('smtp:// is STARTTLS, smtps:// TLS from the first byte.'),
  SMTP_PASSWORD_FILE: absolutePath.optional(),
  SMTP_HELLO_NAME: z.string().min(1).optional().describe('Name of this host in EHLO.'),
  MAIL_FROM: address.describe('The sender.'),
  MAIL_DOMAINS: list.pipe(z.array(domain).min(1)).describe('Domains that may be mailed, with commas between.'),
  MAIL_REVIEWERS: z
    .enum(['yes', 'no'])
    .default('no')
    .describe('Whether reviewers are mailed too, not the author alone.'),
  RECIPIENT_ADDRESS: z
    .string()
    .refine((text) => text.split('{user}').length === 2, 'expected {user} once, such as {user}@studio.example')
    .optional()
    .describe('In place of the Email of the Perforce user.'),
  RECIPIENT_MAP_FILE: absolutePath.optional().describe('JSON object of Perforce user to address.'),
  DELIVERY: delivery.default('shadow').describe('shadow, redirect:ADDRESS or live.'),
} as const;

/** True where a mail may go to the address. */
export function isInDomains(mail: string, domains: readonly string[]): boolean {
  return domains.includes(parseRecipient(mail).recipientKey.split('@').at(-1) ?? '');
}

/** What names the servers. */
export type ServerEnvironment = z.output<z.ZodObject<typeof serverVariables>>;
type Given = z.output<z.ZodObject<typeof variables>>;
/** A rule over several variables; it reads whatever of them is in form. */
type Rule = readonly [name: string, isMet: (given: Partial<Given>) => boolean, message: string];

const hostOf = (url: string): string => new URL(url).hostname;
/** Rules over the variables that name the servers. */
export const serverRules: readonly Rule[] = [
  ...(['P4PORT', 'P4USER', 'ALLOW'] as const).map(
    (name): Rule => [
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
const rules: readonly Rule[] = [
  ...serverRules,
  [
    'P4_RUNNER_KEY_FILE',
    (env) => (env.P4_RUNNER_SOCKET === undefined) === (env.P4_RUNNER_KEY_FILE === undefined),
    'and P4_RUNNER_SOCKET belong together: set both or neither',
  ],
  ...(['LLM_BASE_URL', 'LLM_MODEL'] as const).map(
    (name): Rule => [
      name,
      (env) => env.LLM_PROTOCOL === undefined || env.LLM_PROTOCOL === noModel || env[name] !== undefined,
      'is missing',
    ],
  ),
  [
    'LLM_KEY_FILE',
    ({ LLM_BASE_URL: url, LLM_KEY_FILE: file }) =>
      url === undefined || file !== undefined || isLoopbackHost(hostOf(url)),
    'is missing: name a file of mode 0600 that holds the API key',
  ],
  [
    'SMTP_PASSWORD_FILE',
    ({ SMTP_URL: url, SMTP_PASSWORD_FILE: file }) =>
      url === undefined || (new URL(url).username === '') === (file === undefined),
    'and a user in SMTP_URL belong together: set both or neither',
  ],
  [
    'RECIPIENT_MAP_FILE',
    (env) => env.RECIPIENT_MAP_FILE === undefined || env.RECIPIENT_ADDRESS === undefined,
    'is set beside RECIPIENT_ADDRESS: unset one of them',
  ],
  [
    'DELIVERY',
    ({ DELIVERY: mode, MAIL_DOMAINS: domains }) =>
      mode === undefined ||
      domains === undefined ||
      !mode.startsWith('redirect:') ||
      isInDomains(mode.slice('redirect:'.length), domains),
    'redirects to an address outside MAIL_DOMAINS',
  ],
];

const always = { when: () => true };

/** A schema with rules: every mistake is an issue of its own, those over several variables too. */
export function applyRules<T extends z.ZodType>(schema: T, added: readonly Rule[]): T {
  return added.reduce((ruled, [name, isMet, message]) => {
    const check = (given: unknown): boolean => isMet(given as Partial<Given>);
    return ruled.refine(check, { path: [name], message, ...always });
  }, schema);
}

/** The environment of the service. */
export const environmentSchema = applyRules(z.object(variables), rules);

/** The checked environment. */
export type Environment = z.output<typeof environmentSchema>;

/** Names with the families that the service owns, so that a typing error is found. */
const families = ['LLM_', 'SMTP_', 'MAIL_', 'RECIPIENT_', 'DATABASE_', 'P4_'];

/** Variables of the service's families that it does not know. */
export function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env).filter(
    (name) => families.some((family) => name.startsWith(family)) && !Object.hasOwn(variables, name),
  );
}

/** Name and meaning of every variable, for `--help`. */
export function describeVariables(): { name: string; text: string }[] {
  return Object.entries(variables).map(([name, schema]) => ({ name, text: schema.description ?? '' }));
}
