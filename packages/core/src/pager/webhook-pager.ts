import { signWebhook } from '../audit/sinks/webhook-signature.js';
import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { systemClock } from '../foundation/time/system-clock.js';
import type { Alert } from './alert.js';
import type { Pager, PagerAnswer, PagerContext } from './pager.js';
import { answerPagerStatus, postPage } from './pager-answer.js';
import {
  checkPagerSecret,
  checkPagerUrl,
  type HttpPagerOptions,
  httpPagerShape,
  type PagerSecret,
} from './pager-options.js';

/** Which endpoint gets the alerts, signed with what. */
export interface WebhookPagerOptions extends HttpPagerOptions {
  url: string;
  /** `whsec_` and Base64 of 24 to 64 bytes, or the Base64 alone. */
  secret: PagerSecret;
}

const optionShape: OptionShape<WebhookPagerOptions> = {
  ...httpPagerShape,
  url: checkPagerUrl,
  secret: checkPagerSecret,
};

/** The receiver's word that it has this message already. */
const known = 409;

/** No dot: it joins the parts of a signed webhook. */
function nameMessage({ key, episode }: Alert, status: 'firing' | 'resolved'): string {
  return `${key.replaceAll('.', '_')}:${episode}:${status}`;
}

/**
 * Posts each alert to one endpoint, signed as Standard Webhooks says: `{type: "alert.firing" or
 * "alert.resolved", timestamp, data}`. `webhook-id` is the same at every attempt of one message.
 * `data.episode` lets the receiver drop a firing that arrives after the resolve of the same episode.
 * 2xx and 409 are taken; 408, 429 and 5xx are retried, the rest is refused. Throws `TypeError` for
 * wrong options.
 */
export function createWebhookPager(options: WebhookPagerOptions): Pager {
  checkOptions('createWebhookPager', options, optionShape);
  const { id, url, http, secret, source = 'criticizer', clock = systemClock } = options;

  async function post(alert: Alert, status: 'firing' | 'resolved', context: PagerContext): Promise<PagerAnswer> {
    context.signal.throwIfAborted();
    const { key, episode, kind, code, severity, summary, place, count, startedAt } = alert;
    const timestamp = Math.floor(clock.nowMs() / 1_000);
    const messageId = nameMessage(alert, status);
    const body = JSON.stringify({
      type: `alert.${status}`,
      timestamp: new Date(timestamp * 1_000).toISOString(),
      data: {
        ...{ key, episode, status, kind, code, severity, summary, place, count, source },
        started_at: startedAt.toISOString(),
      },
    });
    const signature = await signWebhook({ id: messageId, timestamp, body }, secret, context.signal);
    const headers = {
      'webhook-id': messageId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
    };
    const response = await postPage(http, { url, headers, body }, context);
    return response.status === known ? { kind: 'taken' } : answerPagerStatus(response, clock.nowMs());
  }

  return {
    contract: 1,
    id,
    trigger: (alert, context) => post(alert, 'firing', context),
    resolve: (alert, context) => post(alert, 'resolved', context),
  };
}
