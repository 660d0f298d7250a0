import { checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { classifyStatus, isSuccess } from '../../foundation/failures/http-failure.js';
import { checkName, optional } from '../../foundation/option-checks.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import type { HttpResponse } from '../../http/http-client.js';
import { revealSecret } from '../../secrets/secret.js';
import { answerStatus, statusFailure, unreadableAnswer } from './answer-status.js';
import type { AuditSink, SinkAnswer } from './audit-sink.js';
import { createSendBatcher, sendInHalves } from './send-batcher.js';
import { checkSinkSecret, type HttpSinkOptions, httpSinkShape, type SinkSecret } from './sink-options.js';
import { toWireEvent } from './wire-event.js';

/** Which index or data stream gets the events, with which credential. */
export interface ElasticSinkOptions extends HttpSinkOptions {
  /** The cluster's address: `https://elastic.example:9200`. */
  url: string;
  /** Index or data stream. The privilege `create_doc` suffices. */
  index: string;
  /** Sent as `Authorization: ApiKey …`. Left out: none. */
  apiKey?: SinkSecret | undefined;
}

const optionShape: OptionShape<ElasticSinkOptions> = {
  ...httpSinkShape,
  index: checkName,
  apiKey: optional(checkSinkSecret),
};

const maxBatch = 200;
const maxBatchBytes = 4_000_000;

interface BulkItem {
  status: number;
  failure_store?: string | undefined;
  error?: { type?: string | undefined } | undefined;
}

/** The items of an answer, null for what is no answer of `_bulk` to `count` actions. */
function readItems({ body }: HttpResponse, count: number): readonly BulkItem[] | null {
  try {
    const { items } = JSON.parse(Buffer.from(body).toString()) as { items: { create: BulkItem }[] };
    if (!Array.isArray(items) || items.length !== count) return null;
    const read = items.map((item) => item.create);
    return read.every((item) => Number.isSafeInteger(item?.status)) ? read : null;
  } catch {
    return null;
  }
}

function judgeItem({ status, failure_store: failureStore, error }: BulkItem): SinkAnswer {
  const details = { status, ...(typeof error?.type === 'string' ? { error_type: error.type.slice(0, 128) } : {}) };
  if (failureStore === 'used') {
    // 201 as well: stored where nobody looks, and a repeat is stored there once more.
    const message = 'The event does not fit the mapping and went to the failure store.';
    return { kind: 'dead-letter', failure: { code: 'AUDIT_EVENT_REJECTED', message, about: 'event', details } };
  }
  if (isSuccess(status)) return { kind: 'delivered' };
  if (status === 409) return { kind: 'delivered', duplicate: true };
  if (status === 429 || status >= 500) return { kind: 'retry', failure: statusFailure(status, { details }) };
  const message = `The cluster refused the event with status ${status}.`;
  const about = status === 403 ? ('destination' as const) : ('event' as const);
  return { kind: 'confirm', failure: { code: classifyStatus(status).code, message, about, details } };
}

/**
 * Indexes events by `_bulk`, `create` alone, with the event's id as `_id`: a repeat answers 409, which
 * is success (AUD-15). A data stream dedupes within one backing index: after a rollover a repeat is
 * stored once more. Each item of an answer is judged by itself; what went to the failure store is a
 * dead letter. `@timestamp` is when the action happened. Throws `TypeError` for wrong options.
 */
export function createElasticSink(options: ElasticSinkOptions): AuditSink {
  checkOptions('createElasticSink', options, optionShape);
  const { id, http, index, apiKey, clock = systemClock } = options;
  const base = options.url.replace(/\/+$/, '');

  async function post(body: string, signal: AbortSignal): Promise<HttpResponse> {
    const version = apiKey === undefined ? undefined : (await apiKey.source.read(apiKey.name, { signal })).current;
    const headers = {
      'content-type': 'application/x-ndjson',
      ...(version === undefined ? {} : { authorization: `ApiKey ${revealSecret(version.secret)}` }),
    };
    const url = `${base}/${encodeURIComponent(index)}/_bulk`;
    return http.exchange({ method: 'POST', url, headers, body }, { signal });
  }

  async function sendBatch(actions: readonly string[], signal: AbortSignal): Promise<readonly SinkAnswer[]> {
    const response = await post(actions.join(''), signal);
    const { status } = response;
    if (status === 413 && actions.length > 1) return sendInHalves(actions, (half) => sendBatch(half, signal));
    if (isSuccess(status)) {
      const items = readItems(response, actions.length);
      return items === null ? actions.map(() => unreadableAnswer(status)) : items.map(judgeItem);
    }
    const answer = answerStatus(response, clock.nowMs());
    // A request that is refused whole, as malformed, would be so for every event.
    if (status === 400)
      return actions.map(() => ({ kind: 'confirm', failure: statusFailure(400, { about: 'destination' }) }));
    return actions.map(() => answer);
  }

  const batcher = createSendBatcher<string, SinkAnswer>({
    maxItems: maxBatch,
    maxBytes: maxBatchBytes,
    send: sendBatch,
  });

  return {
    contract: 1,
    id,
    async send(event, { idempotencyKey, signal }) {
      signal.throwIfAborted();
      const document = { '@timestamp': event.occurredAt.toISOString(), ...toWireEvent(event, idempotencyKey) };
      const action = `${JSON.stringify({ create: { _id: event.id } })}\n${JSON.stringify(document)}\n`;
      return batcher.add(action, Buffer.byteLength(action), signal);
    },
    /** Posts a bulk request without an action: 400 says that address and credential are right. */
    async testConnection({ signal }) {
      const response = await post('\n', signal);
      if (response.status === 400) return { ok: true };
      const answer = answerStatus(response, clock.nowMs());
      return { ok: false, failure: 'failure' in answer ? answer.failure : statusFailure(response.status) };
    },
  };
}
