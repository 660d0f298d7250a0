import type { HttpClient } from '@criticizer/core/http';
import {
  checkBoolean,
  checkedElsewhere,
  checkName,
  checkOptions,
  checkWhole,
  createUrlTemplate,
  nested,
  type OptionCheck,
  type OptionShape,
  optional,
  signWebhook,
  withMethods,
} from '@criticizer/core/internal';
import {
  type Channel,
  type Clock,
  type FrozenPost,
  isCriticizerError,
  type SecretSource,
  type SendContext,
  type SendOutcome,
  systemClock,
} from '@criticizer/core/ports';
import { checkPlainHttp } from '../loopback.js';
import { checkChannelId } from '../option-shapes.js';
import { composeReviewWebhook } from './compose-review-webhook.js';
import { readNetworkFailure, readStatus } from './webhook-outcome.js';

/** Which endpoint gets the reviews, signed with what. */
export interface WebhookChannelOptions {
  /** Of rows, content levels and the kill switch (`webhook:<id>`). Default `webhook`. */
  id?: string | undefined;
  /**
   * Address of the endpoint, https, without user, password and fragment. Plain http for this machine, and for an
   * origin in `allowPrivateOrigins` of `http`: reviews then travel unencrypted. Its path and query may be secret: no
   * error and no log holds them.
   */
  url: string;
  /**
   * The signing secret: `whsec_` and Base64 of 24 to 64 bytes, or the Base64 alone. Read before every send; during
   * a rotation a message has both signatures.
   */
  secret: { source: SecretSource; name: string };
  /** Of `createHttpClient`: it reaches public hosts, and private origins that it was given. The caller closes it. */
  http: HttpClient;
  /**
   * How long the receiver keeps ids and drops a repeat, in milliseconds: while that lasts, a message whose answer
   * was lost is sent again under its id. 0: it keeps none, and `mail.ambiguity` decides. Default 75 hours, as
   * Standard Webhooks repeats.
   */
  idsKeptMs?: number | undefined;
  /** For one attempt, in milliseconds: 1 to 2,147,483,647. Default 20,000. */
  timeoutMs?: number | undefined;
  /** Link to the change: `https://swarm.example.com/changes/{change}`, in which `{server}` may occur. Default: none. */
  changeUrl?: string | undefined;
  /** False: the review does not wait for the endpoint. Default true. */
  required?: boolean | undefined;
  clock?: Pick<Clock, 'nowMs'> | undefined;
}

/** An endpoint gets one message a review. */
const TARGET = 'endpoint';
const IDS_KEPT_MS = 75 * 3_600_000;
const TIMEOUT_MS = 20_000;
/** Of an answer: only its status is read. */
const MAX_RESPONSE_BYTES = 65_536;

const checkUrl: OptionCheck = (option, value) => {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  const isFit = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password + url.hash === '';
  if (!isFit) throw new TypeError(`${option}: expected an https address without user, password and fragment`);
};

/** The longest that a timer of Node can wait. */
const MAX_TIMEOUT_MS = 2_147_483_647;
const MAX_IDS_KEPT_MS = 100 * 366 * 86_400_000;

const optionShape: OptionShape<WebhookChannelOptions> = {
  id: optional(checkChannelId),
  url: checkUrl,
  secret: nested<WebhookChannelOptions['secret']>({ source: withMethods('read'), name: checkName }),
  http: withMethods('exchange'),
  idsKeptMs: optional((option, value) => checkWhole(option, value, 0, MAX_IDS_KEPT_MS)),
  timeoutMs: optional((option, value) => checkWhole(option, value, 1, MAX_TIMEOUT_MS)),
  changeUrl: optional(checkedElsewhere),
  required: optional(checkBoolean),
  clock: optional(withMethods('nowMs')),
};

/**
 * Posts each review to one endpoint, signed as Standard Webhooks says (NOT-1): `webhook-id` is the row's key and the
 * same at every attempt, `webhook-timestamp` and `webhook-signature` are the attempt's. The body is
 * `reviewWebhookSchema`, at most 20,000 bytes. At least once; once where the receiver keeps ids. 2xx
 * and 409 are success; a redirect is not followed. `send` rejects with what the secret source throws and with
 * `SECRET_REJECTED` (parks). Throws `TypeError` for wrong options.
 */
export function createWebhookChannel(options: WebhookChannelOptions): Channel {
  checkOptions('createWebhookChannel', options, optionShape);
  checkPlainHttp('createWebhookChannel: url', options.url, options.http);
  const { id = 'webhook', url, secret, http, clock = systemClock, required = true } = options;
  const { idsKeptMs = IDS_KEPT_MS, timeoutMs = TIMEOUT_MS, changeUrl } = options;
  const { host } = new URL(url);
  const names = { names: ['change', 'server'], required: 'change' } as const;
  const linkTo =
    changeUrl === undefined ? undefined : createUrlTemplate('createWebhookChannel: changeUrl', changeUrl, names);

  async function send(post: FrozenPost, { key, signal, onPhase }: SendContext): Promise<SendOutcome> {
    signal.throwIfAborted();
    const body = JSON.stringify(post.body);
    const timestamp = Math.floor(clock.nowMs() / 1_000);
    const signature = await signWebhook({ id: key, timestamp, body }, secret, signal);
    const bytes = Buffer.from(body);
    await onPhase('envelope');
    signal.throwIfAborted();
    await onPhase('data', { host, bytes });
    const headers = {
      'content-type': 'application/json',
      'webhook-id': key,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
    };
    const limits = { signal, timeoutMs, maxResponseBytes: MAX_RESPONSE_BYTES };
    try {
      const response = await http.exchange({ method: 'POST', url, headers, body: bytes }, limits);
      return readStatus(response, key, clock.nowMs());
    } catch (error) {
      // After the data phase, core reads any throw as "may be sent".
      if (signal.aborted || !isCriticizerError(error)) throw error;
      return readNetworkFailure(error);
    }
  }

  return {
    contract: 1,
    id,
    destination: { kind: 'webhook', id },
    host,
    capabilities: {
      idempotency: idsKeptMs === 0 ? 'none' : { ttlMs: idsKeptMs },
      ...{ lookup: 'none', settleMs: 0, retentionMs: 0 },
    },
    async plan(review) {
      const { number, serverId } = review.counts.change;
      const link = linkTo?.({ change: number, server: serverId });
      const body = composeReviewWebhook(review, { changeUrl: link, target: TARGET });
      return [{ target: TARGET, body, content: body.data.content, required }];
    },
    send,
  };
}
