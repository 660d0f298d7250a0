// #region channel
import { createHttpClient } from '@criticizer/core/http';
import type { Channel, SecretSource } from '@criticizer/core/ports';
import { createCodeReviewChannel, createCodeReviewClient } from '@criticizer/notify/p4-code-review';
import type { P4ChangeFetcher } from '@criticizer/p4';

/** For `createCriticizer({ channels: [...] })`, with the fetcher that reads the changes. */
export function commentInCodeReview(fetcher: P4ChangeFetcher, secrets: SecretSource): Channel {
  const client = createCodeReviewClient({
    url: 'https://swarm.example.com',
    user: 'reviewbot',
    ticket: { source: secrets, name: 'CODE_REVIEW_TICKET' },
    http: createHttpClient(),
  });
  const { serverId, readContentDigest } = fetcher;
  return createCodeReviewChannel({ client, serverId, readContentDigest });
}
// #endregion
