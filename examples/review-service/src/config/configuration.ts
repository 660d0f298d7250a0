import { hostname } from 'node:os';
import { join } from 'node:path';
import type { SettingsInput } from '@criticizer/core';
import { createContentPolicy, parseRecipient } from '@criticizer/core/ports';
import type { z } from 'zod';
import { type ChannelConfiguration, readChannels } from './channel-variables.js';
import { checkCodeReviewServer } from './code-review-variables.js';
import {
  auditSchema,
  type DatabaseEnvironment,
  databaseSchema,
  type Environment,
  environmentSchema,
  serverSchema,
  settingsSchema,
  unknownDatabaseVariables,
  unknownVariables,
} from './environment.js';
import { type ConfiguredServer, readRecipientMap } from './files.js';
import { recipientSchema } from './mail-variables.js';
import { type ModelConfiguration, readModels } from './model-variables.js';
import { type PagerConfiguration, readPagers } from './pager-variables.js';
import { parseEnvironment, readAll } from './read-environment.js';
import { type MailRules, readMailRules } from './read-mail-rules.js';
import { readServers } from './read-servers.js';
import { readSettings } from './read-settings.js';
import { readSeal, type SealConfiguration } from './seal-variables.js';
import { UsageError } from './usage-error.js';
import { isLoopbackHost } from './values.js';

/**
 * Whether messages leave. `shadow`: none does. `redirect`: each mail goes to one address in place of its own, and
 * channels post nothing. `live`: all do.
 */
export type Delivery = { mode: 'shadow' } | { mode: 'redirect'; to: string } | { mode: 'live' };

/** Where the address of a Perforce user comes from. */
export type RecipientSource =
  | { kind: 'perforce' }
  | { kind: 'template'; template: string }
  | { kind: 'map'; addresses: Readonly<Record<string, string>> };

/** The mail server. */
export interface SmtpConfiguration {
  host: string;
  port: number;
  tls: 'implicit' | 'starttls' | 'none';
  helloName: string;
  login: { user: string; passwordFile: string } | null;
}

/** Who is mailed, and by which server. */
export interface MailConfiguration {
  smtp: SmtpConfiguration;
  from: string;
  domains: readonly string[];
  recipients: RecipientSource;
  /** Who is mailed beside author and reviewers. */
  rules: MailRules;
  /** Whether the reviewers that Perforce names are mailed too. */
  reviewers: boolean;
  /** URL where a reader stops the mails. */
  unsubscribe: string | undefined;
}

/** The configuration of the service, checked and complete. */
export interface Configuration {
  directory: string;
  secretsDirectory: string;
  /** At which age a credential expires, and what becomes of the work that needs it. */
  secretPolicy: { onExpiry: 'warn' | 'park'; warnAfterDays: number; maxAgeDays: number };
  database:
    | { kind: 'sqlite'; file: string }
    | { kind: 'postgres'; url: string; schema: string; passwordFile?: string | undefined };
  migrates: boolean;
  http: { host: string; port: number };
  logLevel: Environment['LOG_LEVEL'];
  minFreeBytes: number;
  settings: SettingsInput;
  servers: readonly ConfiguredServer[];
  /** Where p4 runs, where that is not in this process. */
  p4Runner: { socketPath: string; keyFile: string } | null;
  changeUrl: string | undefined;
  /** Where readers reach `/links`; undefined: mails have no links to hide a finding. */
  linksUrl: string | undefined;
  /** In order of preference; none: nothing is sent. */
  models: readonly ModelConfiguration[];
  /** Whether anything leaves. */
  delivery: Delivery;
  /** How people are mailed; null: nobody is, and reviews are posted to channels. */
  mail: MailConfiguration | null;
  /** By which server people are paged; null: there is none. */
  pagerMail: Pick<MailConfiguration, 'from' | 'smtp'> | null;
  /** Where reviews are posted. */
  channels: ChannelConfiguration;
  /** Where audit events are delivered to, and their shadow's endpoint where it has one; null: nowhere. */
  audit: { url: string; secretFile: string; shadow: { url: string; secretFile: string } | null } | null;
  /** How the audit trail is sealed; null: it is not. */
  seal: SealConfiguration | null;
  /** Who is paged. */
  pagers: PagerConfiguration;
}

function readDelivery(text: string): Delivery {
  if (text === 'live' || text === 'shadow') return { mode: text };
  return { mode: 'redirect', to: parseRecipient(text.slice('redirect:'.length)).address };
}

function toDatabase(env: DatabaseEnvironment): Configuration['database'] {
  const url = env.DATABASE_URL ?? `sqlite:${join(env.DATA_DIR, 'queue.sqlite')}`;
  if (url.startsWith('sqlite:')) return { kind: 'sqlite', file: url.slice('sqlite:'.length) };
  return { kind: 'postgres', url, schema: env.DATABASE_SCHEMA, passwordFile: env.DATABASE_PASSWORD_FILE };
}

/**
 * Reads where the stores are, and nothing else: no mistake in another variable or file keeps a
 * person from them. Throws `UsageError` for `DATA_DIR`, the `DATABASE_` variables, and unknown names of these.
 */
export function readDatabase(env: NodeJS.ProcessEnv): Configuration['database'] {
  return toDatabase(parseEnvironment(databaseSchema, env, { unknown: unknownDatabaseVariables }));
}

/** Where the encrypted artifacts lie, and nothing else. Throws `UsageError` as `readDatabase`. */
export function readArtifactDirectory(env: NodeJS.ProcessEnv): string {
  return join(parseEnvironment(databaseSchema, env, { unknown: unknownDatabaseVariables }).DATA_DIR, 'artifacts');
}

function toEndpoint(url: string | undefined, secretFile: string | undefined) {
  return url === undefined || secretFile === undefined ? null : { url, secretFile };
}

/** Where audit events go, and nothing else. Throws `UsageError` for these variables. */
export function readAudit(env: NodeJS.ProcessEnv): Configuration['audit'] {
  const { AUDIT_WEBHOOK_URL, AUDIT_WEBHOOK_SECRET_FILE, ...shadowed } = parseEnvironment(auditSchema, env);
  const endpoint = toEndpoint(AUDIT_WEBHOOK_URL, AUDIT_WEBHOOK_SECRET_FILE);
  const shadow = toEndpoint(shadowed.AUDIT_SHADOW_URL, shadowed.AUDIT_SHADOW_SECRET_FILE);
  return endpoint === null ? null : { ...endpoint, shadow };
}

function readSmtp(env: Environment, address: string): SmtpConfiguration {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const tls = url.protocol === 'smtps:' ? 'implicit' : isLoopbackHost(host) ? 'none' : 'starttls';
  const isFullName = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i.test(hostname());
  const passwordFile = env.SMTP_PASSWORD_FILE;
  return {
    host,
    port: url.port === '' ? (tls === 'implicit' ? 465 : 587) : Number(url.port),
    tls,
    helloName: env.SMTP_HELLO_NAME ?? (isFullName ? hostname() : '[127.0.0.1]'),
    login: passwordFile === undefined ? null : { user: decodeURIComponent(url.username), passwordFile },
  };
}

type Given = { recipients: RecipientSource; rules: MailRules };

function readMail(env: Environment, given: Given): MailConfiguration | null {
  const { SMTP_URL: url, MAIL_FROM: from, MAIL_DOMAINS: domains } = env;
  if (url === undefined || from === undefined || domains === undefined) return null;
  const more = { reviewers: env.MAIL_REVIEWERS === 'yes', unsubscribe: env.MAIL_UNSUBSCRIBE };
  return { smtp: readSmtp(env, url), from, domains, ...given, ...more };
}

/** Throws `UsageError` where somebody would be paged by mail, and there is no server for it. */
function checkPagers(pagers: PagerConfiguration, mail: Configuration['pagerMail']): PagerConfiguration {
  if (pagers.mail !== null && mail === null) throw new UsageError(['PAGER_MAIL: is set, and SMTP_URL is not']);
  return pagers;
}

/** Findings go to the domains that may be mailed; a list in the file stands. */
function withMailDomains(settings: SettingsInput, mailDomains: readonly string[] = []): SettingsInput {
  return { ...settings, egress: { mailDomains: [...mailDomains], ...settings.egress } };
}

/** Throws `UsageError` where findings for others would be redirected to an address that may get none. */
function checkRedirect(delivery: Delivery, { egress }: SettingsInput): void {
  if (delivery.mode !== 'redirect') return;
  const policy = createContentPolicy({ mailDomains: egress?.mailDomains, content: egress?.content });
  const level = policy.highest({ destination: { kind: 'mail', id: 'smtp' }, recipient: delivery.to });
  if (level !== 'findings' && level !== 'code')
    throw new UsageError([
      'DELIVERY: redirects to an address outside egress.mailDomains of SETTINGS_FILE: it would get findings that it may not have',
    ]);
}

function readRecipients(env: z.output<typeof recipientSchema>): RecipientSource {
  if (env.RECIPIENT_MAP_FILE !== undefined) return { kind: 'map', addresses: readRecipientMap(env.RECIPIENT_MAP_FILE) };
  return env.RECIPIENT_ADDRESS === undefined
    ? { kind: 'perforce' }
    : { kind: 'template', template: env.RECIPIENT_ADDRESS };
}

/**
 * Reads the configuration from an environment and the files that it names. Empty variables count as
 * not set. Without `needsPin` a server with `ssl:` may lack its pin, for the doctor who names it.
 * Throws one `UsageError` with a line for each mistake; values that may be secret are not
 * quoted.
 */
export function readConfiguration(env: NodeJS.ProcessEnv, { needsPin = true } = {}): Configuration {
  // Each reader parses what it needs, so that mistakes in the files are found beside those in variables.
  const { read, ...files } = readAll({
    read: () => parseEnvironment(environmentSchema, env, { unknown: unknownVariables }),
    servers: () =>
      readServers(parseEnvironment(serverSchema, env), { usesRunner: Boolean(env['P4_RUNNER_SOCKET']), needsPin }),
    models: () => readModels(env),
    settings: () => readSettings(parseEnvironment(settingsSchema, env), readModels(env)),
    recipients: () => readRecipients(parseEnvironment(recipientSchema, env)),
    mailRules: () => readMailRules(parseEnvironment(recipientSchema, env)),
  });
  const settings = withMailDomains(files.settings, read.MAIL_DOMAINS);
  const delivery = readDelivery(read.DELIVERY);
  checkRedirect(delivery, settings);
  const pagerMail = readMail(read, { recipients: files.recipients, rules: files.mailRules });
  const isMailed = (read.MAIL ?? (read.CODE_REVIEW_URL === undefined ? 'on' : 'off')) === 'on';
  const channels = readChannels(env);
  checkCodeReviewServer(channels.codeReview, files.servers);
  const { P4_RUNNER_SOCKET: socketPath, P4_RUNNER_KEY_FILE: keyFile } = read;
  return {
    directory: read.DATA_DIR,
    secretsDirectory: read.SECRETS_DIR,
    secretPolicy: {
      onExpiry: read.SECRET_ON_EXPIRY,
      warnAfterDays: Math.max(1, read.SECRET_MAX_AGE_DAYS - 10),
      maxAgeDays: read.SECRET_MAX_AGE_DAYS,
    },
    database: toDatabase(read),
    migrates: read.MIGRATE === 'auto',
    http: { host: read.HTTP_HOST, port: read.HTTP_PORT },
    logLevel: read.LOG_LEVEL,
    minFreeBytes: read.MIN_FREE_MB * 1_048_576,
    settings,
    servers: files.servers,
    p4Runner: socketPath === undefined || keyFile === undefined ? null : { socketPath, keyFile },
    changeUrl: read.CHANGE_URL,
    linksUrl: read.LINKS_URL,
    models: files.models,
    delivery,
    mail: isMailed ? pagerMail : null,
    pagerMail,
    channels,
    pagers: checkPagers(readPagers(env), pagerMail),
    audit: readAudit(env),
    seal: readSeal(env),
  };
}
