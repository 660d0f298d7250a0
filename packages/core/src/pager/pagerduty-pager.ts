import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { optional } from '../foundation/option-checks.js';
import { systemClock } from '../foundation/time/system-clock.js';
import { revealSecret } from '../secrets/secret.js';
import type { Alert } from './alert.js';
import type { Pager, PagerAnswer, PagerContext } from './pager.js';
import { answerPagerStatus, postPage, readJsonAnswer, unreadablePagerAnswer } from './pager-answer.js';
import {
  checkPagerSecret,
  checkPagerUrl,
  type HttpPagerOptions,
  httpPagerShape,
  type PagerSecret,
} from './pager-options.js';

/** Which service of PagerDuty is called. */
export interface PagerDutyPagerOptions extends HttpPagerOptions {
  /** The integration key of a service, Events API v2: 32 characters. */
  routingKey: PagerSecret;
  /** Default `https://events.pagerduty.com/v2/enqueue`; EU accounts: `https://events.eu.pagerduty.com/v2/enqueue`. */
  url?: string | undefined;
}

const optionShape: OptionShape<PagerDutyPagerOptions> = {
  ...httpPagerShape,
  routingKey: checkPagerSecret,
  url: optional(checkPagerUrl),
};

const publicUrl = 'https://events.pagerduty.com/v2/enqueue';

/** What PagerDuty shows of an alert: severities are its own words, three of which are ours. */
function toPayload({ kind, code, severity, summary, place, count, startedAt, episode }: Alert, source: string) {
  return {
    summary,
    source,
    severity,
    timestamp: startedAt.toISOString(),
    component: place['stage'] ?? kind,
    class: code,
    custom_details: { kind, code, count, episode, ...place },
  };
}

/**
 * Triggers and resolves incidents by PagerDuty's Events API v2. `dedup_key` is the alert's key, so a
 * repeat of an open incident changes nothing there. 202 with its JSON is taken (the API processes it
 * later); 429 and 5xx are retried; 400 says that event or key is invalid, and is refused. After a
 * resolve the same key opens a new incident: whoever calls must not trigger late. Throws `TypeError`
 * for wrong options.
 */
export function createPagerDutyPager(options: PagerDutyPagerOptions): Pager {
  checkOptions('createPagerDutyPager', options, optionShape);
  const { id, http, routingKey, url = publicUrl, source = 'criticizer', clock = systemClock } = options;

  async function enqueue(action: 'trigger' | 'resolve', alert: Alert, context: PagerContext): Promise<PagerAnswer> {
    context.signal.throwIfAborted();
    const { current } = await routingKey.source.read(routingKey.name, { signal: context.signal });
    const body = JSON.stringify({
      routing_key: revealSecret(current.secret).trim(),
      event_action: action,
      dedup_key: alert.key,
      ...(action === 'trigger' ? { payload: toPayload(alert, source) } : {}),
    });
    const response = await postPage(http, { url, headers: {}, body }, context);
    const answer = answerPagerStatus(response, clock.nowMs());
    if (answer.kind !== 'taken' || readJsonAnswer(response)?.['status'] === 'success') return answer;
    return unreadablePagerAnswer(response.status);
  }

  return {
    contract: 1,
    id,
    trigger: (alert, context) => enqueue('trigger', alert, context),
    resolve: (alert, context) => enqueue('resolve', alert, context),
  };
}
