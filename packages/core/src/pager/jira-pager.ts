import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { checkArray, checkName, optional } from '../foundation/option-checks.js';
import { systemClock } from '../foundation/time/system-clock.js';
import { revealSecret } from '../secrets/secret.js';
import type { Alert, AlertSeverity } from './alert.js';
import type { Pager, PagerAnswer, PagerContext } from './pager.js';
import { answerPagerStatus, postPage, readJsonAnswer, unreadablePagerAnswer } from './pager-answer.js';
import {
  checkPagerSecret,
  checkPagerUrl,
  type HttpPagerOptions,
  httpPagerShape,
  type PagerSecret,
} from './pager-options.js';

/** Which integration of Jira Service Management is called. */
export interface JiraPagerOptions extends HttpPagerOptions {
  /** The key of an API integration, sent as `GenieKey`. */
  apiKey: PagerSecret;
  /**
   * Address of the alerts, without a slash at its end. Default
   * `https://api.atlassian.com/jsm/ops/integration/v2/alerts`. Opsgenie, until it ends in April 2027:
   * `https://api.opsgenie.com/v2/alerts`.
   */
  url?: string | undefined;
  /** Tags of every alert. Default none. */
  tags?: readonly string[] | undefined;
}

const optionShape: OptionShape<JiraPagerOptions> = {
  ...httpPagerShape,
  apiKey: checkPagerSecret,
  url: optional(checkPagerUrl),
  tags: optional((option, value) => {
    checkArray(option, value);
    for (const tag of value as readonly unknown[]) checkName(option, tag);
  }),
};

const publicUrl = 'https://api.atlassian.com/jsm/ops/integration/v2/alerts';
/** Longest `message` that the API takes. */
const maxMessage = 130;
const priorities: Readonly<Record<AlertSeverity, string>> = { critical: 'P1', error: 'P2', warning: 'P3' };

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/**
 * Opens and closes alerts of Jira Service Management, whose API is that of Opsgenie. `alias` is the
 * alert's key and deduplicates while the alert is open. 202 with a `requestId` is taken; 429 and 5xx
 * are retried; a close without an open alert (404) is taken; the rest is refused. Throws `TypeError`
 * for wrong options.
 */
export function createJiraPager(options: JiraPagerOptions): Pager {
  checkOptions('createJiraPager', options, optionShape);
  const { id, http, apiKey, url = publicUrl, source = 'criticizer', tags = [], clock = systemClock } = options;

  async function post(target: string, fields: object, context: PagerContext) {
    context.signal.throwIfAborted();
    const { current } = await apiKey.source.read(apiKey.name, { signal: context.signal });
    const headers = { authorization: `GenieKey ${revealSecret(current.secret).trim()}` };
    const response = await postPage(http, { url: target, headers, body: JSON.stringify(fields) }, context);
    const answer = answerPagerStatus(response, clock.nowMs());
    const isReadable = typeof readJsonAnswer(response)?.['requestId'] === 'string';
    return {
      response,
      answer: answer.kind === 'taken' && !isReadable ? unreadablePagerAnswer(response.status) : answer,
    };
  }

  async function trigger(alert: Alert, context: PagerContext): Promise<PagerAnswer> {
    const { key, kind, code, severity, summary, place, count, startedAt, episode } = alert;
    const details = { kind, code, count: String(count), episode: String(episode), ...place };
    const { answer } = await post(
      url,
      {
        message: cut(summary, maxMessage),
        alias: key,
        description: `${summary}\nSince ${startedAt.toISOString()}.`,
        priority: priorities[severity],
        details,
        ...{ source, tags },
      },
      context,
    );
    return answer;
  }

  return {
    contract: 1,
    id,
    trigger,
    async resolve({ key }, context) {
      const target = `${url}/${encodeURIComponent(key)}/close?identifierType=alias`;
      const { response, answer } = await post(target, { source, note: 'The cause is gone.' }, context);
      const isGone = response.status === 404 && typeof readJsonAnswer(response)?.['requestId'] === 'string';
      return isGone ? { kind: 'taken' } : answer;
    },
  };
}
