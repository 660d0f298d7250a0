// Who is paged: the pagers of the configuration.
import { createHttpClient } from '@criticizer/core/http';
import {
  createJiraPager,
  createMailPager,
  createPagerDutyPager,
  createWebhookPager,
  type Pager,
} from '@criticizer/core/pager';
import type { Mailer } from '@criticizer/core/ports';
import { secretIn } from '../config/files.js';
import type { PagerConfiguration } from '../config/pager-variables.js';

/** What mails of a pager go by. */
export interface PagerMail {
  mailer: Mailer;
  from: string;
}

/** A client for origins that the operator named, so they may be private. */
function reach(...urls: readonly (string | undefined)[]) {
  const named = urls.filter((url) => url !== undefined);
  return createHttpClient({ allowPrivateOrigins: named.map((url) => new URL(url).origin) });
}

/** Ends the pager's own connections with it. */
function closing(pager: Pager, end: () => Promise<void>): Pager {
  return { ...pager, close: end };
}

/** The pagers of the configuration. `mail` makes the mailer where there is a mail pager. */
export function createPagers(
  { source, webhook, pagerDuty, jira, mail }: PagerConfiguration,
  openMail: () => PagerMail,
): readonly Pager[] {
  const pagers: Pager[] = [];
  if (webhook !== null) {
    const http = reach(webhook.url);
    const { url, secretFile } = webhook;
    const secret = secretIn(secretFile);
    pagers.push(closing(createWebhookPager({ id: 'webhook', http, url, secret, source }), () => http.close()));
  }
  if (pagerDuty !== null) {
    const http = reach(pagerDuty.url);
    const { url, keyFile } = pagerDuty;
    const pager = createPagerDutyPager({ id: 'pagerduty', http, url, routingKey: secretIn(keyFile), source });
    pagers.push(closing(pager, () => http.close()));
  }
  if (jira !== null) {
    const http = reach(jira.url);
    const pager = createJiraPager({ id: 'jira', http, url: jira.url, apiKey: secretIn(jira.keyFile), source });
    pagers.push(closing(pager, () => http.close()));
  }
  if (mail !== null) {
    const { mailer, from } = openMail();
    const pager = createMailPager({ id: 'mail', mailer, to: mail, from, source });
    pagers.push(closing(pager, async () => mailer.close?.()));
  }
  return pagers;
}
