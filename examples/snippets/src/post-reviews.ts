// #region channel
import type { HttpClient } from '@criticizer/core/http';
import type { Channel, SecretSource } from '@criticizer/core/ports';
import { createWebhookChannel } from '@criticizer/notify/webhook';

/** Where reviews are posted, and where the signing secret lies. */
export interface ReviewEndpoint {
  url: string;
  /** Of `createHttpClient`. */
  http: HttpClient;
  /** Has WEBHOOK_SECRET: `whsec_` and Base64 of 24 to 64 bytes. */
  secrets: SecretSource;
}

/** For `createCriticizer({ channels: [...] })`. */
export function createReviewChannel({ url, http, secrets }: ReviewEndpoint): Channel {
  return createWebhookChannel({
    url,
    http,
    secret: { source: secrets, name: 'WEBHOOK_SECRET' },
    changeUrl: 'https://swarm.studio.example/changes/{change}',
  });
}
// #endregion
