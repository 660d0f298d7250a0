// The composition of the review service: which parts there are, and which of them needs which.
import { join } from 'node:path';
import {
  type Criticizer,
  createCriticizer,
  createLogSecurityEvents,
  type JobEvent,
  type Logger,
  noTelemetry,
  type RecipientResolver,
  revealSecret,
  type SecretSource,
  type SecurityEvents,
  type SettingsInput,
  type Stores,
  systemRandom,
  type Telemetry,
} from '@criticizer/core';
import { createFileArtifactStore, createLocalKeyRing } from '@criticizer/core/artifacts';
import { createAuditTrail } from '@criticizer/core/audit';
import { type AuditSink, createAuditSealer } from '@criticizer/core/audit-delivery';
import type { HttpClient } from '@criticizer/core/http';
import { createFindingLinks, createLinkHandler } from '@criticizer/core/links';
import type { LlmFallback, LlmProvider } from '@criticizer/core/llm';
import type { AlertSource, Pager } from '@criticizer/core/pager';
import {
  type Channel,
  type ContextReader,
  createKillSwitch,
  createOutboundGate,
  createStoppableTelemetry,
  type MailComposer,
  type Mailer,
} from '@criticizer/core/ports';
import { createReviewMailComposer } from '@criticizer/notify';
import {
  type AuditedAllowList,
  type ChangeWatcher,
  createChangeWatcher,
  createP4ChangeFetcher,
  createP4ContextReader,
  createSwarmReports,
  createSwarmTestEndpoint,
  createTicketWatch,
  createTriggerEndpoint,
  type HttpEndpoint,
  openAuditedAllowList,
  type P4ChangeFetcher,
  type P4ClientOptions,
  type SwarmReports,
  type TicketStatus,
  type TicketWatch,
  type WatchSettings,
} from '@criticizer/p4';
import { createPayloadRedactor, createRedactor } from '@criticizer/redact';
import { openAuditFlags } from './audit-flags.js';
import type { AuditSealParts } from './audit-sealer.js';
import { checkContainment } from './check-containment.js';

/** One Perforce server of the service. */
export interface ServedServer {
  /** Names the server in every key. */
  serverId: string;
  p4: Pick<
    P4ClientOptions,
    | 'containment'
    | 'executable'
    | 'maxConcurrent'
    | 'port'
    | 'runner'
    | 'ticket'
    | 'timeouts'
    | 'trustFingerprint'
    | 'user'
  >;
  /** True where the service user may list every file, so that no change has hidden ones. */
  hasFullListAccess?: boolean | undefined;
  /** Default: the fetcher's. */
  maxChangeFiles?: number | undefined;
  /** Depot paths that may be read. */
  allow: readonly string[];
  watch: WatchSettings;
  /** P4 Code Review (Swarm), where it calls the service as a test; at one server at most. */
  swarm?: { origin: string; http: HttpClient } | undefined;
}

export interface ReviewServiceOptions<Tx> {
  servers: readonly ServedServer[];
  stores: Stores<Tx>;
  llm: LlmProvider | LlmFallback | 'none';
  /** One or more; see `createCriticizer`. Default: nobody is mailed, and there is a channel. */
  mailer?: Mailer | readonly Mailer[] | undefined;
  /** Where reviews are posted besides mail; a function gets the fetchers, as `servers` are. Default: nowhere. */
  channels?: readonly Channel[] | ((fetchers: readonly P4ChangeFetcher[]) => readonly Channel[]) | undefined;
  /** Default: the people that the Perforce server names. */
  recipients?: RecipientResolver | ((readers: readonly ContextReader[]) => RecipientResolver) | undefined;
  /**
   * Address and name of the sender, the domain of Message-IDs, and where a reader stops the mails. Needed with
   * `mailer`.
   */
  sender?: { address: string; name: string; host: string; unsubscribe?: string | undefined } | undefined;
  /** The link in mails and in test runs: `https://swarm.example.com/changes/{change}`. */
  changeUrl?: string | undefined;
  /** Where readers reach what `answerLink` answers. Default: mails have no links to hide a finding. */
  linksUrl?: string | undefined;
  /** TRIGGER_SECRET, SWARM_SECRET, LINKS_SECRET, ARTIFACT_KEY, FINGERPRINT_KEY. */
  secrets: SecretSource;
  /** Encrypted artifacts lie here. */
  directory: string;
  /** Who is paged. Default: nobody. */
  pagers?: readonly Pager[] | undefined;
  /** Conditions that call them, in addition to those of the stores. */
  alertSources?: readonly AlertSource[] | undefined;
  /** Where audit events are delivered to. Default: nowhere. */
  auditSinks?: readonly AuditSink[] | undefined;
  /** By what audit events are sealed. Default: they are not. */
  auditSeal?: AuditSealParts | undefined;
  settings?: SettingsInput | undefined;
  logger: Logger;
  telemetry?: Telemetry | undefined;
  onEvent?: ((event: JobEvent) => void) | undefined;
  onTicket?: ((status: TicketStatus) => void) | undefined;
  /** Receives the id of a server whose poll went well. */
  onPolled?: ((serverId: string) => void) | undefined;
}

/** What the service has for one Perforce server. */
export interface ServerParts {
  watcher: ChangeWatcher;
  ticketWatch: TicketWatch;
  allowList: AuditedAllowList;
  /** Takes the calls of triggers. */
  trigger: HttpEndpoint;
  /** Takes the calls of P4 Code Review; absent where the server has none. */
  swarmTest: HttpEndpoint | undefined;
}

export interface ReviewService<Tx> extends AsyncDisposable {
  criticizer: Criticizer<Tx>;
  servers: ReadonlyMap<string, ServerParts>;
  /** Answers the links of mails; undefined without `linksUrl`. */
  answerLink: ((request: Request) => Promise<Response>) | undefined;
  /** Watches servers and tickets. */
  startIntake(): void;
  /** Ends what brings work in, then what does it. Idempotent. */
  stop(): Promise<void>;
}

/** One server with its policy, ready to be wired. */
interface OpenedServer extends Pick<ServedServer, 'hasFullListAccess' | 'maxChangeFiles' | 'swarm' | 'watch'> {
  reach: ServedServer['p4'] & { securityEvents: SecurityEvents; logger: Logger };
  scope: { serverId: string; allowList: AuditedAllowList; fingerprintKey: string };
}

function createServerParts<Tx>(
  { reach, scope, watch, swarm }: OpenedServer,
  { stores, secrets, logger, telemetry, onTicket, onPolled }: ReviewServiceOptions<Tx>,
  criticizer: Criticizer<Tx>,
  reports: SwarmReports | null,
): ServerParts {
  const { serverId, allowList } = scope;
  const { cursors, jobs } = stores;
  const secret = (name: string) => ({ secret: { source: secrets, name }, logger });
  const intake = createChangeWatcher({
    ...reach,
    ...scope,
    ...watch,
    hasCodeReview: swarm !== undefined,
    ...{ criticizer, jobs, cursors, telemetry },
    onPolled: () => onPolled?.(serverId),
  });
  const takesTests = swarm !== undefined && reports !== null;
  return {
    watcher: intake,
    ticketWatch: createTicketWatch({ ...reach, serverId, cursors, telemetry, onChange: onTicket }),
    allowList,
    trigger: createTriggerEndpoint({ intake, ...secret('TRIGGER_SECRET') }),
    swarmTest: takesTests ? createSwarmTestEndpoint({ intake, reports, ...secret('SWARM_SECRET') }) : undefined,
  };
}

function createSenderComposer(
  { address, name, host, unsubscribe }: NonNullable<ReviewServiceOptions<unknown>['sender']>,
  changeUrl: string | undefined,
): MailComposer {
  return createReviewMailComposer({ from: { address, name }, host, changeUrl, unsubscribe });
}

// #region wiring
/**
 * Wires the service and starts nothing: `criticizer.start()` begins the work, `startIntake()` the
 * watching. The stores must be migrated. Rejects where a secret is missing, the stores are out, or
 * a server requires a containment of p4 that the host does not have.
 */
// long: the wiring in one place, in the order in which one part needs the other
export async function composeReviewService<Tx>(options: ReviewServiceOptions<Tx>): Promise<ReviewService<Tx>> {
  const { stores, secrets, logger, directory, changeUrl } = options;
  const securityEvents = createLogSecurityEvents(logger);
  const observers = { securityEvents, logger };
  const redactor = createPayloadRedactor();
  const { auditSinks = [], auditSeal } = options;
  const destinations = auditSinks.map(({ id }) => id);
  const auditFlags = openAuditFlags(stores);
  const trail = { store: stores.audit, redactor, destinations, flags: auditFlags, random: systemRandom, logger };
  const audit = createAuditTrail(trail);
  const fingerprintKey = revealSecret((await secrets.read('FINGERPRINT_KEY')).current.secret);

  const actor = { type: 'service_account', id: 'review-service' } as const;
  const served = await Promise.all(
    options.servers.map(async ({ serverId, allow, p4, ...more }): Promise<OpenedServer> => {
      await checkContainment(p4, observers);
      const allowList = await openAuditedAllowList({ serverId, configured: { allow }, actor, stores, audit });
      return { ...more, reach: { ...p4, ...observers }, scope: { serverId, allowList, fingerprintKey } };
    }),
  );

  const { swarm, scope } = served.find((server) => server.swarm !== undefined) ?? {};
  const link = changeUrl?.replace('{server}', encodeURIComponent(scope?.serverId ?? ''));
  const telemetry = createStoppableTelemetry({
    telemetry: options.telemetry ?? noTelemetry,
    killSwitch: createKillSwitch({ documents: stores.documents }),
  });
  const outbound = createOutboundGate({
    killSwitch: createKillSwitch({ documents: stores.documents, securityEvents }),
    ...{ log: stores.egress, securityEvents },
  });
  const reporting = { serverId: scope?.serverId ?? '', jobs: stores.jobs, outbound, link };
  const reports = swarm === undefined ? null : createSwarmReports({ ...swarm, ...reporting, ...observers });
  const { sender } = options;
  const perforce = served.map(({ reach, scope, hasFullListAccess }) => ({ ...reach, ...scope, hasFullListAccess }));
  const { linksUrl: url, recipients, channels } = options;
  const readers = perforce.map((server) => createP4ContextReader(server));
  const findingLinks =
    url === undefined ? undefined : createFindingLinks({ url, secret: { source: secrets, name: 'LINKS_SECRET' } });
  const fetchers = perforce.map((server, at) =>
    createP4ChangeFetcher({ ...server, maxChangeFiles: served[at]?.maxChangeFiles }),
  );
  const criticizer = createCriticizer({
    stores,
    changes: fetchers,
    context: readers,
    redactor: createRedactor({ fingerprintKey }),
    llm: options.llm,
    mailer: options.mailer,
    recipients: typeof recipients === 'function' ? recipients(readers) : recipients,
    channels: typeof channels === 'function' ? channels(fetchers) : channels,
    composer: sender && createSenderComposer(sender, changeUrl),
    artifacts: {
      store: createFileArtifactStore({ directory: join(directory, 'artifacts') }),
      keys: createLocalKeyRing({ source: secrets, name: 'ARTIFACT_KEY' }),
    },
    audit,
    auditSinks,
    auditFlags,
    auditSealer: auditSeal && createAuditSealer({ stores, ...auditSeal, telemetry, ...observers }),
    pagers: options.pagers,
    alertSources: options.alertSources,
    findingLinks,
    kinds: reports === null ? [] : [reports.kind],
    settings: options.settings,
    telemetry,
    onEvent: options.onEvent,
    ...observers,
  });

  const servers = new Map(
    served.map((server) => [
      server.scope.serverId,
      createServerParts(server, { ...options, telemetry }, criticizer, reports),
    ]),
  );

  async function stop(): Promise<void> {
    await Promise.all(
      [...servers.values()].flatMap(({ watcher, ticketWatch }) => [watcher.stop(), ticketWatch.stop()]),
    );
    await criticizer.stop();
  }
  return {
    criticizer,
    servers,
    answerLink: findingLinks && createLinkHandler({ criticizer, links: findingLinks, logger: options.logger }),
    startIntake() {
      for (const { watcher, ticketWatch } of servers.values()) {
        watcher.start();
        ticketWatch.start();
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
// #endregion
