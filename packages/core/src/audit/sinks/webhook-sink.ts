import { checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { checkName, oneOf, optional, withMethods } from '../../foundation/option-checks.js';
import type { Random } from '../../foundation/time/random.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import { systemRandom } from '../../foundation/time/system-random.js';
import { answerStatus, toSinkTest } from './answer-status.js';
import type { AuditSink, SinkAnswer } from './audit-sink.js';
import { checkSinkSecret, type HttpSinkOptions, httpSinkShape, type SinkSecret } from './sink-options.js';
import { signWebhook } from './webhook-signature.js';
import { toCloudEvent, toWireEvent } from './wire-event.js';

/** Which endpoint gets the events, signed with what. */
export interface WebhookSinkOptions extends HttpSinkOptions {
  url: string;
  /** `whsec_` and Base64 of 24 to 64 bytes, or the Base64 alone. */
  secret: SinkSecret;
  /**
   * `event`: `{type, timestamp, data}` of Standard Webhooks. `cloudevents`: CloudEvents 1.0, structured
   * mode, at most 64 KiB. Default `event`.
   */
  format?: 'event' | 'cloudevents' | undefined;
  /** `source` of CloudEvents: names this installation. Default `/criticizer/audit`. */
  source?: string | undefined;
  random?: Pick<Random, 'uuid'> | undefined;
}

const optionShape: OptionShape<WebhookSinkOptions> = {
  ...httpSinkShape,
  secret: checkSinkSecret,
  format: optional(oneOf('event', 'cloudevents')),
  source: optional(checkName),
  random: optional(withMethods('uuid')),
};

/** 409 is the receiver's word that it has the key. */
const known = 409;

/**
 * Posts each event to one endpoint, signed as Standard Webhooks says, with the key in `webhook-id`
 * and in `Idempotency-Key` (AUD-4, AUD-15). 2xx and 409 are success; 3xx, 401, 403, 404 and 410
 * blame the endpoint, 400, 413 and 422 the event; 408, 429 and 5xx are retried, not before
 * `Retry-After`. Standard Webhooks has receivers keep ids for minutes: one that must
 * never act twice keeps them for the 24 hours of AUD-15. Throws `TypeError` for wrong options.
 */
export function createWebhookSink(options: WebhookSinkOptions): AuditSink {
  checkOptions('createWebhookSink', options, optionShape);
  const { id, url, http, secret, format = 'event', source = '/criticizer/audit' } = options;
  const { clock = systemClock, random = systemRandom } = options;
  const contentType = format === 'event' ? 'application/json' : 'application/cloudevents+json; charset=utf-8';

  async function post(messageId: string, body: string, signal: AbortSignal): Promise<SinkAnswer> {
    signal.throwIfAborted();
    const timestamp = Math.floor(clock.nowMs() / 1_000);
    const signature = await signWebhook({ id: messageId, timestamp, body }, secret, signal);
    const headers = {
      'content-type': contentType,
      'idempotency-key': messageId,
      'webhook-id': messageId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
    };
    const response = await http.exchange({ method: 'POST', url, headers, body }, { signal });
    if (response.status === known) return { kind: 'delivered', duplicate: true };
    return answerStatus(response, clock.nowMs());
  }

  return {
    contract: 1,
    id,
    send(event, { idempotencyKey, signal }) {
      const type = `audit.${event.action}`;
      const body =
        format === 'cloudevents'
          ? toCloudEvent(event, idempotencyKey, source)
          : JSON.stringify({
              type,
              timestamp: event.occurredAt.toISOString(),
              data: toWireEvent(event, idempotencyKey),
            });
      return post(idempotencyKey, body, signal);
    },
    /** Posts one signed message of the type `audit.connection_test`, which no event has. */
    async testConnection({ signal }) {
      const body = JSON.stringify({ type: 'audit.connection_test', timestamp: new Date(clock.nowMs()).toISOString() });
      return toSinkTest(await post(`test-${random.uuid()}`, body, signal));
    },
  };
}
