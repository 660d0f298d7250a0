import { checkOptions, type OptionShape } from '../../foundation/check-options.js';
import type { JsonObject } from '../../foundation/json.js';
import { checkBoolean, checkName, optional, withMethods } from '../../foundation/option-checks.js';
import type { Random } from '../../foundation/time/random.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import { systemRandom } from '../../foundation/time/system-random.js';
import type { HttpResponse } from '../../http/http-client.js';
import { revealSecret } from '../../secrets/secret.js';
import type { AuditSink, SinkAnswer } from './audit-sink.js';
import { createSendBatcher, sendInHalves } from './send-batcher.js';
import { checkSinkSecret, type HttpSinkOptions, httpSinkShape, type SinkSecret } from './sink-options.js';
import { judgeSplunkAnswer, readSplunkReply } from './splunk-answer.js';
import { toWireEvent } from './wire-event.js';

/** Which collector gets the events, under which token, as what. */
export interface SplunkSinkOptions extends HttpSinkOptions {
  /** The collector's address: `https://splunk.example:8088`. */
  url: string;
  /** The HEC token. */
  token: SinkSecret;
  /**
   * True: an event counts as delivered once an indexer has confirmed it; the token has indexer
   * acknowledgement on. False: once the collector has parsed it, in batches. Default true.
   */
  acknowledge?: boolean | undefined;
  /** Default: the token's. */
  index?: string | undefined;
  /** Default `criticizer:audit`. */
  sourcetype?: string | undefined;
  random?: Pick<Random, 'uuid'> | undefined;
}

const optionShape: OptionShape<SplunkSinkOptions> = {
  ...httpSinkShape,
  token: checkSinkSecret,
  acknowledge: optional(checkBoolean),
  index: optional(checkName),
  sourcetype: optional(checkName),
  random: optional(withMethods('uuid')),
};

const maxBatch = 100;
const maxBatchBytes = 1_000_000;
const pollMs = 2_000;
/** An acknowledgement that has not come by then never will: behind a load balancer it may sit elsewhere. */
const ackDeadlineMs = 300_000;

// long: one collector: sending, prefixes, acknowledgements and a test share its address and token
/**
 * Sends events to a Splunk HTTP Event Collector (AUD-4). With `acknowledge` each event goes alone,
 * since an acknowledgement reads true once: the delivery's row keeps channel and ackId, and `poll`
 * looks for it later; one that does not come within 5 minutes is sent again under its key. A batch
 * fails by prefix: what comes before the named event was taken, what comes after it is sent again
 * at once. Splunk drops no repeat: `idempotency_key` is an indexed field, to dedupe by in a search.
 * `time` is when the action happened. Throws `TypeError` for wrong options.
 */
export function createSplunkSink(options: SplunkSinkOptions): AuditSink {
  checkOptions('createSplunkSink', options, optionShape);
  const { id, http, token, acknowledge = true, index, sourcetype = 'criticizer:audit' } = options;
  const { clock = systemClock, random = systemRandom } = options;
  const base = options.url.replace(/\/+$/, '');
  const channel = random.uuid();

  async function post(path: string, body: string, signal: AbortSignal, onChannel = channel): Promise<HttpResponse> {
    const { current } = await token.source.read(token.name, { signal });
    const headers = {
      authorization: `Splunk ${revealSecret(current.secret)}`,
      'content-type': 'application/json',
      'x-splunk-request-channel': onChannel,
    };
    return http.exchange({ method: 'POST', url: `${base}${path}`, headers, body }, { signal });
  }

  function taken(ackId: number | undefined): SinkAnswer {
    if (ackId === undefined || !acknowledge) return { kind: 'delivered' };
    return { kind: 'accepted', receipt: { channel, ack_id: ackId, taken_at: clock.nowMs() }, pollAfterMs: pollMs };
  }

  async function sendBatch(lines: readonly string[], signal: AbortSignal): Promise<readonly SinkAnswer[]> {
    if (lines.length === 0) return [];
    const response = await post('/services/collector/event', lines.join('\n'), signal);
    const verdict = judgeSplunkAnswer(response, lines.length, clock.nowMs());
    switch (verdict.kind) {
      case 'all':
        return lines.map(() => verdict.answer);
      case 'taken':
        return lines.map(() => taken(verdict.ackId));
      case 'prefix': {
        const before = lines.slice(0, verdict.at).map(() => taken(verdict.ackId));
        const rest = await sendBatch(lines.slice(verdict.at + 1), signal);
        return [...before, { kind: 'confirm', failure: verdict.failure }, ...rest];
      }
      case 'too-large': {
        if (lines.length === 1) {
          const message = 'The collector refuses this event, alone, for its size or form.';
          return [{ kind: 'confirm', failure: { code: 'HTTP_TOO_LARGE', message, about: 'event' } }];
        }
        return sendInHalves(lines, (half) => sendBatch(half, signal));
      }
    }
  }

  const batcher = createSendBatcher<string, SinkAnswer>({
    maxItems: acknowledge ? 1 : maxBatch,
    maxBytes: maxBatchBytes,
    send: sendBatch,
  });

  function unconfirmed(receipt: JsonObject): SinkAnswer {
    if (clock.nowMs() - Number(receipt['taken_at']) < ackDeadlineMs)
      return { kind: 'accepted', receipt, pollAfterMs: pollMs };
    const message = 'No indexer confirmed the event in time; it is sent again under its key.';
    return { kind: 'retry', failure: { code: 'AUDIT_ACK_MISSING', message, about: 'event' } };
  }

  return {
    contract: 1,
    id,
    async send(event, { idempotencyKey, signal }) {
      signal.throwIfAborted();
      const line = JSON.stringify({
        time: event.occurredAt.getTime() / 1_000,
        sourcetype,
        ...(index === undefined ? {} : { index }),
        event: toWireEvent(event, idempotencyKey),
        fields: { audit_id: event.id, idempotency_key: idempotencyKey, action: event.action },
      });
      return batcher.add(line, Buffer.byteLength(line), signal);
    },
    async poll(receipt, { signal }) {
      const ackId = Number(receipt['ack_id']);
      const answer = await post(
        '/services/collector/ack',
        JSON.stringify({ acks: [ackId] }),
        signal,
        String(receipt['channel']),
      ).catch((error: unknown) => {
        signal.throwIfAborted();
        if (clock.nowMs() - Number(receipt['taken_at']) >= ackDeadlineMs) throw error;
        return null; // the question is lost, not the event
      });
      if (answer === null || answer.status !== 200) return unconfirmed(receipt);
      try {
        const { acks } = JSON.parse(Buffer.from(answer.body).toString()) as { acks: Record<string, unknown> };
        return acks[String(ackId)] === true ? { kind: 'delivered' } : unconfirmed(receipt);
      } catch {
        return unconfirmed(receipt);
      }
    },
    /** Posts no event: the collector checks the token before it misses the data (code 5). */
    async testConnection({ signal }) {
      const response = await post('/services/collector/event', '', signal);
      if (readSplunkReply(response)?.code === 5) return { ok: true };
      const verdict = judgeSplunkAnswer(response, 1, clock.nowMs());
      if (verdict.kind === 'all' && 'failure' in verdict.answer) return { ok: false, failure: verdict.answer.failure };
      const message = 'The address answers, and not as an event collector does.';
      return { ok: false, failure: { code: 'HTTP_MALFORMED', message, about: 'destination' } };
    },
  };
}
