import { join } from 'node:path';
import {
  type Criticizer,
  createCriticizer,
  createFileSecrets,
  createLogSecurityEvents,
  type JobEvent,
  type Logger,
  revealSecret,
  type Stores,
  silentLogger,
  type Telemetry,
} from '@criticizer/core';
import { createFileArtifactStore, createLocalKeyRing } from '@criticizer/core/artifacts';
import type { Mailer } from '@criticizer/core/ports';
import { createReviewMailComposer } from '@criticizer/notify';
import { createAllowList, createP4ChangeFetcher, createP4ContextReader, type P4Runner } from '@criticizer/p4';
import { createRedactor } from '@criticizer/redact';
import { createMailParts, type MailEndpoint } from './mail/mail-endpoint.js';
import { createModelProvider, type ModelEndpoint } from './model/model-endpoint.js';
import { secretIn } from './settings/secret-file.js';

/** How to reach a Perforce server, and what of it may be read. Survives JSON. */
export interface P4Connection {
  /** Names the server in every key. */
  serverId: string;
  /** The p4 client; absent: `runner` reads instead. */
  executable?: string | undefined;
  runner?: P4Runner | undefined;
  /** Default: the strongest that the host has. */
  containment?: 'accept-none' | undefined;
  port: string;
  user: string;
  trustFingerprint?: string | undefined;
  /** A private file that holds the ticket alone; absent: the server asks for none. */
  ticketFile?: string | undefined;
  allow: readonly string[];
  hasFullListAccess: boolean;
}

export interface ReviewServiceOptions {
  /** The folder that holds artifacts, secrets and the mail server's journal. */
  directory: string;
  /** On any database; they stay the caller's. */
  stores: Stores<unknown>;
  p4: P4Connection;
  model: ModelEndpoint;
  mail: MailEndpoint;
  /** How soon a killed run's work is taken up again. Default 4 s; a real service keeps the default of a minute. */
  leaseMs?: number | undefined;
  /** Jobs at a time in this process. Default 4. */
  concurrency?: number | undefined;
  onEvent?: ((event: JobEvent) => void) | undefined;
  logger?: Logger | undefined;
  telemetry?: Telemetry | undefined;
}

export interface ReviewService {
  criticizer: Criticizer<unknown>;
  mailer: Mailer;
  /** Lets running work finish within the grace (default 20 s), gives the rest back. */
  close(options?: { graceMs?: number | undefined }): Promise<void>;
}

/**
 * The whole composition: every part is the real one, wired as a host service would. Rejects with
 * what a wrong setting is, before anything runs.
 */
export async function createReviewService(options: ReviewServiceOptions): Promise<ReviewService> {
  const { directory, stores, leaseMs = 4_000, concurrency, logger = silentLogger } = options;
  const securityEvents = createLogSecurityEvents(logger);
  const secrets = createFileSecrets({ directory: join(directory, 'secrets'), securityEvents });
  const fingerprintKey = revealSecret((await secrets.read('FINGERPRINT_KEY')).current.secret);
  const { mailer, recipients } = createMailParts(directory, options.mail);
  const { ticketFile, allow, ...server } = options.p4;
  const model = createModelProvider(options.model, { securityEvents, logger });
  // Whoever names a model and an address in the demo's settings permits the model for whatever the
  // allow-list lets through, and findings for the address's domain.
  const mailDomain = (options.mail.to ?? options.mail.from).split('@').at(-1) ?? '';
  const egress = { policy: [{ paths: ['//...'], providers: [model.id] }], mailDomains: [mailDomain] };
  const perforce = {
    ...server,
    fingerprintKey,
    ticket: ticketFile === undefined ? undefined : secretIn(ticketFile),
    allowList: createAllowList({ allow }),
    securityEvents,
    logger,
  };
  const criticizer = createCriticizer({
    stores,
    changes: createP4ChangeFetcher(perforce),
    context: createP4ContextReader(perforce),
    redactor: createRedactor({ fingerprintKey }),
    llm: model,
    mailer,
    composer: createReviewMailComposer({
      from: { address: options.mail.from, name: 'Criticizer' },
      host: options.mail.from.split('@')[1] ?? '',
    }),
    recipients,
    artifacts: {
      store: createFileArtifactStore({ directory: join(directory, 'artifacts') }),
      keys: createLocalKeyRing({ source: secrets, name: 'ARTIFACT_KEY' }),
    },
    settings: { worker: { leaseMs, concurrency, pollMinMs: 50, pollMaxMs: 500 }, mail: { leaseMs }, egress },
    onEvent: options.onEvent,
    logger,
    telemetry: options.telemetry,
    securityEvents,
  });
  return { criticizer, mailer, close: (grace) => criticizer.stop(grace) };
}
