// The reference service: one Perforce server watched, its triggers taken, its changes reviewed and mailed.
import { join } from 'node:path';
import {
  type Criticizer,
  createCriticizer,
  createLogSecurityEvents,
  type JobEvent,
  type Logger,
  revealSecret,
  type SecretSource,
  type SettingsInput,
  type Stores,
  systemRandom,
} from '@criticizer/core';
import { createFileArtifactStore, createLocalKeyRing } from '@criticizer/core/artifacts';
import { createAuditTrail } from '@criticizer/core/audit';
import type { HttpClient } from '@criticizer/core/http';
import type { LlmProvider } from '@criticizer/core/llm';
import type { Mailer } from '@criticizer/core/ports';
import { createReviewMailComposer } from '@criticizer/notify';
import {
  type AuditedAllowList,
  type ChangeWatcher,
  createChangeWatcher,
  createP4ChangeFetcher,
  createSwarmReports,
  createSwarmTestEndpoint,
  createTicketWatch,
  createTriggerEndpoint,
  openAuditedAllowList,
  type P4ClientOptions,
  type TicketStatus,
  type TicketWatch,
  type WatchSettings,
} from '@criticizer/p4';
import { createPayloadRedactor, createRedactor } from '@criticizer/redact';
import { startEndpoints } from './http-endpoints.js';

export interface ReviewServiceOptions<Tx> {
  /** Names the Perforce server in every key. */
  serverId: string;
  p4: Pick<P4ClientOptions, 'executable' | 'port' | 'trustFingerprint' | 'user'>;
  /** True where the service user may list every file, so that no change has hidden ones. */
  hasFullListAccess?: boolean | undefined;
  /** Depot paths that may be read. */
  allow: readonly string[];
  watch: WatchSettings;
  stores: Stores<Tx>;
  llm: LlmProvider;
  mailer: Mailer;
  /** P4 Code Review (Swarm), where it calls the service as a test. */
  swarm?: { origin: string; http: HttpClient; allowPlainLoopback?: boolean | undefined } | undefined;
  /** The link in mails and in test runs: `https://swarm.example.com/changes/{change}`. */
  changeUrl?: string | undefined;
  /** P4_TICKET, TRIGGER_SECRET, SWARM_SECRET, ARTIFACT_KEY, FINGERPRINT_KEY. */
  secrets: SecretSource;
  /** Encrypted artifacts lie here. */
  directory: string;
  /** Of the HTTP endpoints; 0: any free one. */
  httpPort: number;
  settings?: SettingsInput | undefined;
  logger: Logger;
  onEvent?: ((event: JobEvent) => void) | undefined;
  onTicket?: ((status: TicketStatus) => void) | undefined;
}

export interface ReviewService<Tx> extends AsyncDisposable {
  /** Of the endpoints. */
  url: string;
  criticizer: Criticizer<Tx>;
  watcher: ChangeWatcher;
  ticketWatch: TicketWatch;
  allowList: AuditedAllowList;
}

// #region wiring
/**
 * Starts everything, in the order in which one part needs the other. Rejects, with nothing left
 * running, where a part cannot start.
 */
export async function startReviewService<Tx>(options: ReviewServiceOptions<Tx>): Promise<ReviewService<Tx>> {
  const { serverId, stores, secrets, logger, directory } = options;
  const securityEvents = createLogSecurityEvents(logger);
  const reach = { ...options.p4, ticket: { source: secrets, name: 'P4_TICKET' }, securityEvents, logger };

  await stores.migrate();
  const audit = createAuditTrail({
    store: stores.audit,
    redactor: createPayloadRedactor(),
    destinations: [],
    random: systemRandom,
    logger,
  });
  const actor = { type: 'service_account', id: 'review-service' } as const;
  const allowList = await openAuditedAllowList({
    serverId,
    configured: { allow: options.allow },
    actor,
    stores,
    audit,
  });

  const where = { jobs: stores.jobs, link: options.changeUrl, securityEvents, logger };
  const reports = options.swarm === undefined ? null : createSwarmReports({ ...options.swarm, ...where });
  const fingerprintKey = revealSecret((await secrets.read('FINGERPRINT_KEY')).current.secret);
  const scope = { serverId, allowList, fingerprintKey };
  const criticizer = createCriticizer({
    stores,
    changes: createP4ChangeFetcher({ ...reach, ...scope, hasFullListAccess: options.hasFullListAccess }),
    redactor: createRedactor({ fingerprintKey }),
    llm: options.llm,
    mailer: options.mailer,
    composer: createReviewMailComposer({
      from: { address: 'reviews@example.test', name: 'Criticizer' },
      host: 'reviews.example.test',
      changeUrl: options.changeUrl,
    }),
    artifacts: {
      store: createFileArtifactStore({ directory: join(directory, 'artifacts') }),
      keys: createLocalKeyRing({ source: secrets, name: 'ARTIFACT_KEY' }),
    },
    kinds: reports === null ? [] : [reports.kind],
    settings: options.settings,
    securityEvents,
    logger,
    onEvent: options.onEvent,
  });
  const intake = { ...reach, ...scope, criticizer, jobs: stores.jobs };
  const watcher = createChangeWatcher({ ...intake, ...options.watch, cursors: stores.cursors });
  const ticketWatch = createTicketWatch({ ...reach, serverId, cursors: stores.cursors, onChange: options.onTicket });

  const taking = (name: string) => ({ intake: watcher, secret: { source: secrets, name }, logger });
  const trigger = createTriggerEndpoint(taking('TRIGGER_SECRET'));
  const swarmTest = reports === null ? undefined : createSwarmTestEndpoint({ ...taking('SWARM_SECRET'), reports });
  const health = async () => ({ status: 'ok', queue: await stores.jobs.depth() });
  await criticizer.start();
  const endpoints = await startEndpoints({ port: options.httpPort, trigger, swarmTest, health, logger }).catch(
    async (error: unknown) => {
      await criticizer.stop();
      throw error;
    },
  );
  watcher.start();
  ticketWatch.start();
  return {
    url: endpoints.url,
    criticizer,
    watcher,
    ticketWatch,
    allowList,
    async [Symbol.asyncDispose]() {
      await endpoints.close(); // first what brings work in, last what does it
      await Promise.all([watcher.stop(), ticketWatch.stop()]);
      await criticizer.stop();
    },
  };
}
// #endregion
