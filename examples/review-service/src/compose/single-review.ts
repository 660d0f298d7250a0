// A review of one change for the person at the terminal: queue and artifacts live in memory, nobody
// is mailed. The egress log and the kill switch are those of the service.
import {
  type Criticizer,
  type CriticizerOptions,
  createCriticizer,
  createLogSecurityEvents,
  createMemoryStores,
  createStaticRecipients,
  type Logger,
  type RecipientResolver,
  resolveSettings,
  revealSecret,
  type Stores,
  systemRandom,
} from '@criticizer/core';
import { createLocalKeyRing, createMemoryArtifactStore } from '@criticizer/core/artifacts';
import { createAuditTrail } from '@criticizer/core/audit';
import type { Change, ChangeFetcher, ContextReader, FetchOutcome, MemoryTx } from '@criticizer/core/ports';
import { createReviewMailComposer } from '@criticizer/notify';
import {
  type AllowList,
  createAllowList,
  createP4ChangeFetcher,
  createP4ContextReader,
  openAuditedAllowList,
} from '@criticizer/p4';
import { createPayloadRedactor, createRedactor } from '@criticizer/redact';
import type { Configuration } from '../config/configuration.js';
import type { ConfiguredServer } from '../config/files.js';
import { openAuditFlags } from './audit-flags.js';
import { listAuditDestinations } from './audit-sinks.js';
import { createModels, reachServer, serviceSecrets } from './configured-parts.js';
import { createShadowMailer } from './delivery.js';

/** A Criticizer over memory, and what it read. */
export interface SingleReview {
  criticizer: Criticizer<MemoryTx>;
  /** Reads a change as a review would; each number once. */
  fetch(number: number, signal: AbortSignal): Promise<FetchOutcome>;
  /** The change that was fetched last; null where it was skipped. Not redacted. */
  fetched(): Change | null;
  /** Reads other files of the server, such as those that name owners. */
  readers: readonly ContextReader[];
}

/** A fetcher that reads each change once, and keeps the last one. */
function rememberFetched(inner: ChangeFetcher): ChangeFetcher & { last(): FetchOutcome | null } {
  let last: { number: number; outcome: FetchOutcome } | null = null;
  return {
    contract: 1,
    serverId: inner.serverId,
    async fetch(number, options) {
      if (last?.number !== number) last = { number, outcome: await inner.fetch(number, options) };
      return last.outcome;
    },
    last: () => last?.outcome ?? null,
  };
}

/**
 * Stores in memory, whose egress log, documents and samples are those of the service, and whose
 * suppressions are read there: what is hidden in a review is hidden here. The samples
 * hold what the models took of the budgets, so that a review here counts, and is refused, like any.
 */
export function shareEgress(memory: Stores<MemoryTx>, shared: Stores<unknown>): Stores<MemoryTx> {
  const { storeId } = memory;
  const { egress, documents, samples, suppressions } = shared;
  return {
    ...memory,
    egress: { storeId, append: (records) => egress.append(records), list: (filter) => egress.list(filter) },
    documents: {
      storeId,
      read: (name) => documents.read(name),
      write: (name, version, value) => documents.write(name, version, value),
    },
    suppressions: { ...memory.suppressions, listInForce: (id) => suppressions.listInForce(id) },
    samples: {
      storeId,
      add: (added, options) => samples.add(added, options),
      read: (name, options) => samples.read(name, options),
    },
  };
}

interface SingleReviewOptions {
  configuration: Configuration;
  server: ConfiguredServer;
  /** The stores of the service, where something is to be sent: requests and the allow-list are recorded there. */
  stores?: Stores<unknown> | undefined;
  /** Whom the service mails and how, and where it posts, for a dry run. Default: nobody, and nothing is delivered. */
  mails?:
    | {
        mailer: CriticizerOptions<MemoryTx>['mailer'];
        recipients(readers: readonly ContextReader[]): RecipientResolver;
        channels: CriticizerOptions<MemoryTx>['channels'];
      }
    | undefined;
  logger: Logger;
}

async function openAllowList({ configuration, server, stores, logger }: SingleReviewOptions): Promise<AllowList> {
  const { serverId, allow } = server;
  if (stores === undefined) return createAllowList({ allow });
  const redactor = createPayloadRedactor();
  const destinations = listAuditDestinations(configuration.audit);
  const flags = openAuditFlags(stores);
  const audit = createAuditTrail({ store: stores.audit, redactor, destinations, flags, random: systemRandom, logger });
  const actor = { type: 'service_account', id: 'review-service' } as const;
  return openAuditedAllowList({ serverId, configured: { allow }, actor, stores, audit });
}

/** Wires it; nothing is read or sent yet. Rejects where a secret is missing. */
export async function composeSingleReview(options: SingleReviewOptions): Promise<SingleReview> {
  const { configuration, server, stores, mails, logger } = options;
  const secrets = serviceSecrets(configuration);
  const fingerprintKey = revealSecret((await secrets.read('FINGERPRINT_KEY')).current.secret);
  const observers = { securityEvents: createLogSecurityEvents(logger), logger };
  const redactor = createRedactor({ fingerprintKey });
  const perforce = {
    ...reachServer(server, configuration),
    ...observers,
    serverId: server.serverId,
    allowList: await openAllowList(options),
    fingerprintKey,
    hasFullListAccess: server.fullListAccess,
  };
  const fetcher = rememberFetched(createP4ChangeFetcher({ ...perforce, maxChangeFiles: server.maxChangeFiles }));
  const reader = createP4ContextReader(perforce);
  const memory = createMemoryStores();
  // Without mail nobody gets what this composer writes.
  const from = configuration.mail?.from ?? 'criticizer@localhost.invalid';
  const criticizer = createCriticizer({
    stores: stores === undefined ? memory : shareEgress(memory, stores),
    changes: fetcher,
    context: reader,
    redactor,
    llm: createModels(configuration, observers),
    mailer: mails === undefined ? createShadowMailer() : mails.mailer,
    channels: mails?.channels,
    recipients: mails?.recipients([reader]) ?? createStaticRecipients([]),
    composer: createReviewMailComposer({
      from: { address: from },
      host: from.split('@').at(-1) ?? '',
    }),
    artifacts: {
      store: createMemoryArtifactStore(),
      keys: createLocalKeyRing({ source: secrets, name: 'ARTIFACT_KEY' }),
    },
    settings: configuration.settings,
    ...observers,
  });
  const { fetch: limits } = resolveSettings(configuration.settings);
  return {
    criticizer,
    readers: [reader],
    fetch: (number, signal) => fetcher.fetch(number, { limits, signal }),
    fetched() {
      const last = fetcher.last();
      return last?.kind === 'change' ? last.change : null;
    },
  };
}
