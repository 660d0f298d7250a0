// #region compose
import {
  createCriticizer,
  createFileSecrets,
  createLogSecurityEvents,
  type Logger,
  revealSecret,
} from '@criticizer/core';
import { createFileArtifactStore, createLocalKeyRing } from '@criticizer/core/artifacts';
import { createHttpClient } from '@criticizer/core/http';
import { createOpenAiChatProvider } from '@criticizer/core/llm';
import { createReviewMailComposer } from '@criticizer/notify';
import { createSmtpMailer } from '@criticizer/notify/smtp';
import { createAllowList, createP4ChangeFetcher } from '@criticizer/p4';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { createRedactor } from '@criticizer/redact';

/** `secrets` is no part of `directory`: whoever gets a copy of the one has no key to the other. */
export async function createReviews(directory: string, secrets: string, trustFingerprint: string, logger: Logger) {
  const source = createFileSecrets({ directory: secrets });
  const fingerprintKey = revealSecret((await source.read('FINGERPRINT_KEY')).current.secret);
  const executable = '/usr/local/bin/p4';
  const securityEvents = createLogSecurityEvents(logger);
  const allowList = createAllowList({ allow: ['//depot/main/...'] });
  const server = {
    serverId: 'main',
    fingerprintKey,
    executable,
    port: 'ssl:perforce.example.com:1666',
    trustFingerprint,
  };
  const limits = { contextTokens: 128_000, maxOutputTokens: 8_192 };
  const model = { id: 'gateway', model: 'reviewer-1', baseUrl: 'https://llm.example.com/v1', limits };
  return createCriticizer({
    stores: createSqliteStores({ file: `${directory}/queue.sqlite`, migrate: 'auto' }),
    changes: createP4ChangeFetcher({
      ...server,
      user: 'reviewbot',
      ticket: { source, name: 'P4_TICKET' },
      allowList,
      securityEvents,
    }),
    redactor: createRedactor({ fingerprintKey }),
    llm: createOpenAiChatProvider({
      ...model,
      apiKey: { source, name: 'LLM_KEY' },
      http: createHttpClient({ securityEvents }),
    }),
    mailer: createSmtpMailer({ host: 'mail.example.com', helloName: 'reviews.example.com' }),
    composer: createReviewMailComposer({ from: { address: 'reviews@example.com' }, host: 'example.com' }),
    artifacts: {
      store: createFileArtifactStore({ directory: `${directory}/artifacts` }),
      keys: createLocalKeyRing({ source, name: 'ARTIFACT_KEY' }),
    },
    settings: {
      egress: {
        // Code goes to a host outside: say which paths may.
        policy: [{ paths: ['//depot/main/...'], providers: [model.id] }],
        // Findings go to these addresses; any other gets counts.
        mailDomains: ['example.com'],
      },
    },
  });
}
// #endregion

type Reviews = Awaited<ReturnType<typeof createReviews>>;

/** How a host uses it, once a changelist is there to be reviewed. */
export async function reviewChange(reviews: Reviews, number: number): Promise<string> {
  // #region submit
  await reviews.start();
  const { outcome, job } = await reviews.submit({ serverId: 'main', number, reviewVersion: 1 });
  // #endregion
  return `${outcome} ${job.id}`;
}
