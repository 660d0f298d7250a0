// Who is paged: compiled, and shown by docs/how-to/be-paged.md.
// #region pagers
import { createFileSecrets } from '@criticizer/core';
import type { HttpClient } from '@criticizer/core/http';
import { createPagerDutyPager, createWebhookPager, type Pager } from '@criticizer/core/pager';

/** For `createCriticizer({ pagers })`. The keys are files PAGERDUTY_KEY and PAGER_WEBHOOK_SECRET, mode 0600. */
export function createPagers(http: HttpClient, webhookUrl: string): readonly Pager[] {
  const source = createFileSecrets({ directory: '/run/secrets' });
  return [
    createPagerDutyPager({ id: 'pagerduty', http, source: 'prod', routingKey: { source, name: 'PAGERDUTY_KEY' } }),
    createWebhookPager({ id: 'hook', http, url: webhookUrl, secret: { source, name: 'PAGER_WEBHOOK_SECRET' } }),
  ];
}
// #endregion
