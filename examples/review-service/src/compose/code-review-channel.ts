// P4 Code Review: the channel that comments there, and whether it may.
import { createHttpClient } from '@criticizer/core/http';
import { type Channel, createExpiringSecrets } from '@criticizer/core/ports';
import { createCodeReviewChannel, createCodeReviewClient } from '@criticizer/notify/p4-code-review';
import type { P4ChangeFetcher } from '@criticizer/p4';
import type { CodeReviewConfiguration } from '../config/code-review-variables.js';
import type { Configuration } from '../config/configuration.js';
import { secretIn } from '../config/files.js';
import { isSentInTheClear } from '../config/values.js';
import type { Checks } from '../http/readiness.js';
import { checkChannel } from './check-channel.js';

type SecretPolicy = Configuration['secretPolicy'];

/** The operator named the address, so it may be private. */
function connect({ url, user, ticketFile }: CodeReviewConfiguration, policy: SecretPolicy) {
  const { source, name } = secretIn(ticketFile);
  const ticket = createExpiringSecrets({ source, ...policy, label: () => 'CODE_REVIEW_TICKET_FILE' });
  const http = createHttpClient({ allowPrivateOrigins: [new URL(url).origin] });
  return { http, client: createCodeReviewClient({ url, user, ticket: { source: ticket, name }, http }) };
}

/** The channel, which tells by the fetcher of its server what version of a review was judged. */
export function createCodeReview(
  codeReview: CodeReviewConfiguration,
  { secretPolicy, servers }: Pick<Configuration, 'secretPolicy' | 'servers'>,
  fetchers: readonly P4ChangeFetcher[],
): Channel {
  const { serverId = servers[0]?.serverId ?? '', maxComments, requestLimitMs, openTasks } = codeReview;
  const { client, http } = connect(codeReview, secretPolicy);
  const readContentDigest = fetchers.find((fetcher) => fetcher.serverId === serverId)?.readContentDigest;
  const options = { serverId, maxComments, requestLimitMs, openTasks, readContentDigest };
  return { ...createCodeReviewChannel({ client, ...options }), close: () => http.close() };
}

/**
 * Whether P4 Code Review is there, has the API and takes comments of the account; posts none. Warns where the
 * ticket travels unencrypted.
 */
export function checkCodeReview({
  channels: { codeReview },
  secretPolicy,
}: Pick<Configuration, 'channels' | 'secretPolicy'>): Checks {
  if (codeReview === null) return {};
  const { client, http } = connect(codeReview, secretPolicy);
  return {
    codeReview: checkChannel({
      async ask(limit) {
        await client.checkAccess(limit);
        const says = 'the ticket travels unencrypted: CODE_REVIEW_URL is plain http';
        return { host: client.host, ...(isSentInTheClear(codeReview.url) ? { says } : {}) };
      },
      close: () => http.close(),
    }),
  };
}
