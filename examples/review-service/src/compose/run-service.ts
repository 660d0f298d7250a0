// The running process: endpoints first, then the database, then the work; and the same way back.
import { mkdirSync } from 'node:fs';
import {
  createLogSecurityEvents,
  errorFacts,
  isCriticizerError,
  type Logger,
  resolveSettings,
  systemClock,
  systemRandom,
  type Telemetry,
} from '@criticizer/core';
import { backoffMs } from '@criticizer/core/queue';
import type { Configuration } from '../config/configuration.js';
import { type HttpServer, startHttpServer } from '../http/http-server.js';
import { createMetrics } from '../http/metrics.js';
import {
  type Checks,
  checkClock,
  checkDisk,
  checkQueue,
  checkSecrets,
  createPollLog,
  type PollLog,
  readReadiness,
} from '../http/readiness.js';
import { openSealKey } from './audit-sealer.js';
import { createAuditSinks } from './audit-sinks.js';
import { createChannels } from './channels.js';
import { isContainmentRefusal } from './check-containment.js';
import {
  createMailers,
  createModels,
  createPagerMail,
  createServers,
  type NeededSecret,
  neededSecrets,
  serviceSecrets,
  writtenFolders,
} from './configured-parts.js';
import { describeDelivery } from './delivery.js';
import { migrateStores } from './migrate-stores.js';
import { type OpenStores, openStores } from './open-stores.js';
import { createPagers } from './pagers.js';
import { createRecipients } from './recipients.js';
import { composeReviewService, type ReviewService, type ReviewServiceOptions } from './review-service.js';
import { createSecretAlerts } from './secret-alerts.js';
import { warnOfStranded } from './stranded-mails.js';

/** What one process does: take changes in, work on them, or both. */
export interface Roles {
  intake: boolean;
  work: boolean;
}

/** First and longest pause between two tries to reach the database at the start. */
const startBackoff = { initialMs: 500, multiplier: 2, maxMs: 10_000 };
const outages: ReadonlySet<string> = new Set(['network', 'upstream', 'conflict', 'rate_limit']);

const isOutage = (error: unknown): boolean =>
  isCriticizerError(error) && outages.has(error.category) && !isContainmentRefusal(error);

/** How people are mailed; nothing where they are not. */
function composeMail(
  configuration: Configuration,
  logger: Logger,
): Pick<ReviewServiceOptions<unknown>, 'mailer' | 'recipients' | 'sender'> {
  const { mail } = configuration;
  if (mail === null) return {};
  const { from: address, unsubscribe } = mail;
  return {
    mailer: createMailers(configuration),
    recipients: (readers) => createRecipients(mail, logger, readers),
    sender: { address, name: 'Criticizer', host: address.split('@').at(-1) ?? '', unsubscribe },
  };
}

/** The composed service, with what was told to it about the outside. */
async function compose(
  configuration: Configuration,
  { stores }: OpenStores,
  observers: { logger: Logger; telemetry: ReturnType<typeof createMetrics>['telemetry']; onPolled(id: string): void },
): Promise<ReviewService<unknown>> {
  const { logger } = observers;
  const { changeUrl, linksUrl, directory, settings } = configuration;
  const parts = { securityEvents: createLogSecurityEvents(logger), logger };
  if (configuration.migrates) await migrateStores(stores, { audit: configuration.audit, logger });
  return composeReviewService({
    servers: createServers(configuration, parts),
    stores,
    llm: createModels(configuration, parts),
    ...composeMail(configuration, logger),
    channels: (fetchers) => createChannels(configuration, fetchers),
    changeUrl,
    linksUrl,
    secrets: serviceSecrets(configuration),
    directory,
    pagers: createPagers(configuration.pagers, () => createPagerMail(configuration)),
    alertSources: [createSecretAlerts(neededSecrets(configuration))],
    auditSinks: createAuditSinks(configuration.audit),
    auditSeal: await openSealKey(configuration),
    settings,
    ...observers,
  });
}

/** Repeats a start that a dependency's outage prevents, until the signal aborts. */
async function retryOutages<T>(start: () => Promise<T>, logger: Logger, signal: AbortSignal): Promise<T | null> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      return await start();
    } catch (error) {
      if (!isOutage(error)) throw error;
      const pauseMs = backoffMs(startBackoff, failures, systemRandom);
      logger.warn(
        { event: 'service.database.unreachable', ...errorFacts(error), pauseMs },
        'the database cannot be reached; the start is tried again',
      );
      await systemClock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }
  return null;
}

/** The checks of `/ready`; `isUp` once the service is composed. */
function createChecks(
  configuration: Configuration,
  { stores }: OpenStores,
  isUp: () => boolean,
  pollLog: PollLog | null,
  secrets: readonly NeededSecret[],
): Checks {
  const { clock } = resolveSettings(configuration.settings);
  return {
    service: async () => (isUp() ? { ok: true } : { ok: false, code: 'STARTING' }),
    queue: () => checkQueue(stores),
    secrets: () => checkSecrets(secrets),
    disk: () => checkDisk(writtenFolders(configuration), configuration.minFreeBytes),
    clock: () => checkClock(stores, clock.skewBudgetMs),
    ...(pollLog === null ? {} : { lastPoll: () => pollLog.check() }),
  };
}

/**
 * Runs until the signal aborts, then stops gracefully: endpoints, watchers, workers, stores.
 * `/live` answers at once, `/ready` once everything is up. Rejects where the start fails for good.
 */
export async function runService(
  configuration: Configuration,
  roles: Roles,
  { logger, signal, onListening }: { logger: Logger; signal: AbortSignal; onListening?: (url: string) => void },
): Promise<void> {
  mkdirSync(configuration.directory, { recursive: true, mode: 0o700 });
  const opened = openStores(configuration.database);
  const metrics = createMetrics();
  const polled = configuration.servers.map(({ serverId, pollSeconds }) => ({ serverId, pollMs: pollSeconds * 1_000 }));
  const pollLog = createPollLog(polled);
  let service: ReviewService<unknown> | null = null;
  const { secrets, stopWatching } = watchAges(configuration, { logger, telemetry: metrics.telemetry });
  const checks = createChecks(configuration, opened, () => service !== null, roles.intake ? pollLog : null, secrets);
  let http: HttpServer | undefined;
  try {
    http = await startHttpServer({
      ...configuration.http,
      servers: () => (roles.intake ? (service?.servers ?? null) : new Map()),
      links: () => (configuration.linksUrl === undefined ? undefined : (service?.answerLink ?? null)),
      readiness: () => readReadiness(checks),
      metrics: metrics.answer,
      logger,
    });
    const delivery = describeDelivery(configuration.delivery);
    logger.info({ event: 'service.listening', url: http.url, ...roles, delivery }, 'listening');
    onListening?.(http.url);
    const observers = { logger, telemetry: metrics.telemetry, onPolled: (id: string) => pollLog.record(id) };
    const start = async () => {
      const composed = await compose(configuration, opened, observers);
      await warnOfStranded(opened.stores, configuration, logger);
      if (roles.work) await composed.criticizer.start();
      return composed;
    };
    // A database that takes connections and says nothing is noticed after ten seconds.
    logger.info({ event: 'service.opening' }, 'opening the database');
    service = await retryOutages(start, logger, signal);
    if (service === null) return;
    if (roles.intake) service.startIntake();
    logger.info({ event: 'service.started' }, 'started');
    await untilAborted(signal);
    logger.info({ event: 'service.stopping' }, 'stopping: running reviews may finish');
  } finally {
    stopWatching();
    await http?.close();
    await service?.stop();
    await opened[Symbol.asyncDispose]();
    await metrics.close();
    logger.info({ event: 'service.stopped' }, 'stopped');
  }
}

/** Ages of secrets are looked at now and each hour, whoever asks for them; `checkSecrets` never rejects. */
function watchAges(configuration: Configuration, { logger, telemetry }: { logger: Logger; telemetry: Telemetry }) {
  const secrets = neededSecrets(configuration, { securityEvents: createLogSecurityEvents(logger), telemetry });
  void checkSecrets(secrets);
  const timer = setInterval(() => void checkSecrets(secrets), 3_600_000).unref();
  return { secrets, stopWatching: () => clearInterval(timer) };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
