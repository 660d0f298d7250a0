// From the configuration to the parts that the composition takes.
import { dirname, join } from 'node:path';
import {
  createFileSecrets,
  type Logger,
  Secret,
  type SecretSource,
  type SecurityEvents,
  type Telemetry,
} from '@criticizer/core';
import { createHttpClient } from '@criticizer/core/http';
import {
  createFallback,
  createLlmProvider,
  type LlmFallback,
  type LlmProvider,
  withTokenCounter,
} from '@criticizer/core/llm';
import { createExpiringSecrets, type ExpiringSecrets, type Mailer } from '@criticizer/core/ports';
import { createSmtpMailer } from '@criticizer/notify/smtp';
import { createP4CommandLimit, createP4RunnerClient } from '@criticizer/p4';
import { listChannelSecrets, noChannels } from '../config/channel-variables.js';
import type { Configuration, SmtpConfiguration } from '../config/configuration.js';
import { type ConfiguredServer, secretIn } from '../config/files.js';
import type { ModelConfiguration } from '../config/model-variables.js';
import { listPagerSecrets } from '../config/pager-variables.js';
import { channelDestinations } from './channels.js';
import { createDelivery } from './delivery.js';
import { loadTokenCounter } from './load-token-counter.js';
import type { PagerMail } from './pagers.js';
import type { ServedServer } from './review-service.js';

interface Observers {
  securityEvents: SecurityEvents;
  logger: Logger;
}

type SecretPolicy = Configuration['secretPolicy'];

/** A credential that a peer accepts; where the policy says so, it is not used once it has expired. */
function peerSecret(file: string, label: string, policy: SecretPolicy): ReturnType<typeof secretIn> {
  const { source, name } = secretIn(file);
  return { source: createExpiringSecrets({ source, ...policy, label: () => label }), name };
}

/** The provider of one model. The origin is one that the operator named, so it may be private. */
function createModel(model: ModelConfiguration, policy: SecretPolicy, observers: Observers): LlmProvider {
  const { id, protocol, baseUrl, keyFile, limits } = model;
  const counter = loadTokenCounter(model, observers.logger);
  const provider = createLlmProvider({
    ...{ id, protocol, baseUrl, limits },
    model: model.model,
    http: createHttpClient({ allowPrivateOrigins: [new URL(baseUrl).origin], ...observers }),
    apiKey: keyFile === undefined ? undefined : peerSecret(keyFile, `${model.prefix}KEY_FILE`, policy),
  });
  return counter === null ? provider : withTokenCounter(provider, counter);
}

/**
 * What reviews: the configured models, each a fallback of those before it, or none.
 * Throws `UsageError` for a tokenizer that is not there.
 */
export function createModels(
  { models, secretPolicy }: Pick<Configuration, 'models' | 'secretPolicy'>,
  observers: Observers,
): LlmProvider | LlmFallback | 'none' {
  const providers = models.map((model) => createModel(model, secretPolicy, observers));
  const [first] = providers;
  if (first === undefined) return 'none';
  return providers.length === 1 ? first : createFallback(providers);
}

function smtpCredentials({ user, passwordFile }: NonNullable<SmtpConfiguration['login']>, policy: SecretPolicy) {
  const password = peerSecret(passwordFile, 'SMTP_PASSWORD_FILE', policy);
  const userVersion = { current: { secret: new Secret(user), version: 'user' } };
  const secrets: SecretSource = {
    contract: 1,
    read: async (name, options) => (name === 'SMTP_USER' ? userVersion : password.source.read(password.name, options)),
  };
  return { secrets, userSecret: 'SMTP_USER', passwordSecret: 'SMTP_PASSWORD' };
}

/** The mailers for `DELIVERY`, the one for new mails first; none where nobody is mailed. */
export function createMailers({ delivery, mail, secretPolicy }: Configuration): readonly Mailer[] {
  if (mail === null) return [];
  const { login, ...reach } = mail.smtp;
  const credentials = login === null ? undefined : smtpCredentials(login, secretPolicy);
  const mailer = createSmtpMailer({ ...reach, credentials });
  return createDelivery(mailer, { delivery, domains: mail.domains });
}

/** What a mail pager sends by: the server itself, since a page goes whatever `DELIVERY` says. */
export function createPagerMail({ pagerMail: mail, secretPolicy }: Configuration): PagerMail {
  if (mail === null) throw new TypeError('createPagerMail: expected a configuration with a mail server');
  const { login, ...reach } = mail.smtp;
  const credentials = login === null ? undefined : smtpCredentials(login, secretPolicy);
  return { mailer: createSmtpMailer({ ...reach, credentials }), from: mail.from };
}

/** What the kill switch can stop alone, by its names. */
export function listStoppable({ models }: Pick<Configuration, 'models'>): readonly string[] {
  return [
    ...models.map(({ id }) => id),
    'mail:smtp',
    'mail:shadow',
    'code-review:swarm',
    ...channelDestinations,
    'sink:webhook',
    'sink:shadow:webhook',
    ...['webhook', 'pagerduty', 'jira', 'mail'].map((id) => `pager:${id}`),
    'telemetry:host',
  ];
}

/**
 * How a configured server is reached, by p4 in this process or through the runner, and how hard. All
 * that is done with one result counts towards one limit.
 */
export function reachServer(
  server: ConfiguredServer,
  { p4Runner, secretPolicy }: Pick<Configuration, 'p4Runner' | 'secretPolicy'>,
): ServedServer['p4'] {
  const { port, user, serverId, commandSeconds, contentsSeconds } = server;
  const limits = {
    maxConcurrent: createP4CommandLimit(server.maxConcurrent ?? 4),
    timeouts: { commandMs: commandSeconds * 1_000, contentsMs: contentsSeconds * 1_000 },
  };
  if (p4Runner !== null) {
    const { socketPath, keyFile } = p4Runner;
    return { ...limits, port, user, runner: createP4RunnerClient({ socketPath, serverId, key: secretIn(keyFile) }) };
  }
  return {
    ...limits,
    executable: server.executable,
    containment: server.containment,
    port,
    user,
    trustFingerprint: server.fingerprint,
    ticket:
      server.ticketFile === undefined
        ? undefined
        : peerSecret(server.ticketFile, `ticket of ${serverId}`, secretPolicy),
  };
}

function serveServer(server: ConfiguredServer, configuration: Configuration, observers: Observers): ServedServer {
  const { swarmUrl } = server;
  const origin = swarmUrl === undefined ? null : new URL(swarmUrl).origin;
  return {
    serverId: server.serverId,
    p4: reachServer(server, configuration),
    hasFullListAccess: server.fullListAccess,
    maxChangeFiles: server.maxChangeFiles,
    allow: server.allow,
    watch: { watch: server.watch, pollMs: server.pollSeconds * 1_000 },
    swarm:
      origin === null ? undefined : { origin, http: createHttpClient({ allowPrivateOrigins: [origin], ...observers }) },
  };
}

/** The Perforce servers of the configuration. */
export function createServers(configuration: Configuration, observers: Observers): readonly ServedServer[] {
  return configuration.servers.map((server) => serveServer(server, configuration, observers));
}

/** Folders that the service writes to: of artifacts, and of the SQLite file. */
export function writtenFolders({ directory, database }: Pick<Configuration, 'directory' | 'database'>): string[] {
  return [directory, ...(database.kind === 'sqlite' ? [dirname(database.file)] : [])];
}

/** The secrets of the service itself, one file each. */
export function serviceSecrets({ secretsDirectory }: Configuration): SecretSource {
  return createFileSecrets({ directory: secretsDirectory });
}

/** A secret of the configuration, by what a person calls it, and the file that holds it. */
export interface NeededSecret {
  label: string;
  file: string;
  source: ExpiringSecrets;
  name: string;
  /** False for the key of fingerprints, which no peer knows: with another one every content looks new. */
  ages: boolean;
}

/** Every secret that the configuration needs; ages and their warnings go to the observers. */
export function neededSecrets(
  configuration: Configuration,
  observers: { securityEvents?: SecurityEvents; telemetry?: Telemetry } = {},
): readonly NeededSecret[] {
  const source = serviceSecrets(configuration);
  const { secretPolicy } = configuration;
  const watch = (label: string, watched: SecretSource) =>
    createExpiringSecrets({ source: watched, ...secretPolicy, label: () => label, ...observers });
  const { models, mail, servers, database, p4Runner, audit, seal } = configuration;
  const hasSwarm = servers.some(({ swarmUrl }) => swarmUrl !== undefined);
  const own = [
    ...['ARTIFACT_KEY', 'FINGERPRINT_KEY', 'TRIGGER_SECRET', ...(hasSwarm ? ['SWARM_SECRET'] : [])],
    ...(configuration.linksUrl === undefined ? [] : ['LINKS_SECRET']),
  ];
  const files: readonly (readonly [string, string | undefined])[] = [
    ...models.map(({ prefix, keyFile }) => [`${prefix}KEY_FILE`, keyFile] as const),
    [
      'SMTP_PASSWORD_FILE',
      (mail ?? (configuration.pagers.mail === null ? null : configuration.pagerMail))?.smtp.login?.passwordFile,
    ],
    ['DATABASE_PASSWORD_FILE', database.kind === 'postgres' ? database.passwordFile : undefined],
    ['P4_RUNNER_KEY_FILE', p4Runner?.keyFile],
    ['AUDIT_WEBHOOK_SECRET_FILE', audit?.secretFile],
    ['AUDIT_SHADOW_SECRET_FILE', audit?.shadow?.secretFile],
    ['AUDIT_SEAL_KEY_FILE', seal?.keyFile],
    ...listPagerSecrets(configuration.pagers),
    ...listChannelSecrets(configuration.channels),
    ...(p4Runner === null ? servers : []).map(
      ({ serverId, ticketFile }) => [`ticket of ${serverId}`, ticketFile] as const,
    ),
  ];
  return [
    ...own.map((name) => ({
      ...{ label: name, file: join(configuration.secretsDirectory, name), name },
      ...{ source: watch(name, source), ages: name !== 'FINGERPRINT_KEY' },
    })),
    ...files.flatMap(([label, file]) => {
      if (file === undefined) return [];
      const { source: read, name } = secretIn(file);
      return [{ label, file, name, source: watch(label, read), ages: true }];
    }),
  ];
}

/** The secrets that one review at the terminal needs, which takes no triggers, tells nobody and seals nothing. */
export function reviewSecrets(configuration: Configuration, server: ConfiguredServer): readonly NeededSecret[] {
  const needed = neededSecrets({
    ...configuration,
    mail: null,
    channels: noChannels,
    seal: null,
    linksUrl: undefined,
    servers: [{ ...server, swarmUrl: undefined }],
  });
  return needed.filter(({ label }) => label !== 'TRIGGER_SECRET');
}

/** Those of them that reading and redacting a change needs, where nothing is sent or stored. */
export function fetchSecrets(configuration: Configuration, server: ConfiguredServer): readonly NeededSecret[] {
  const database: Configuration['database'] = { kind: 'sqlite', file: '' };
  const needed = reviewSecrets({ ...configuration, models: [], database }, server);
  return needed.filter(({ label }) => label !== 'ARTIFACT_KEY');
}
