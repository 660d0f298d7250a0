import { checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { isSuccess } from '../../foundation/failures/http-failure.js';
import { checkObject, optional } from '../../foundation/option-checks.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import type { HttpResponse } from '../../http/http-client.js';
import { revealSecret } from '../../secrets/secret.js';
import { answerStatus, toSinkTest, unreadableAnswer } from './answer-status.js';
import type { AuditSink, SinkAnswer } from './audit-sink.js';
import { toLogsRequest } from './otlp-record.js';
import { checkSinkSecret, type HttpSinkOptions, httpSinkShape, type SinkSecret } from './sink-options.js';

/** Which collector gets the events. */
export interface OtlpLogsSinkOptions extends HttpSinkOptions {
  /** The whole address: `https://collector.example:4318/v1/logs`. */
  url: string;
  /** The value of the header that authenticates. Left out: none. */
  credential?: SinkSecret | undefined;
  /** Name of that header. Default `authorization`. */
  credentialHeader?: string | undefined;
  /** Attributes of the resource. Default `service.name` `criticizer`. */
  resource?: Readonly<Record<string, string>> | undefined;
}

/** What the HTTP client sets itself, or what must not be sent on. */
const reservedHeaders: ReadonlySet<string> = new Set(
  'connection content-length content-type expect host keep-alive te trailer transfer-encoding upgrade'.split(' '),
);

function checkHeaderName(option: string, value: unknown): void {
  const isToken = typeof value === 'string' && /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(value);
  if (!isToken || reservedHeaders.has(value.toLowerCase()))
    throw new TypeError(`${option}: expected the name of a header that authenticates, such as authorization`);
}

const optionShape: OptionShape<OtlpLogsSinkOptions> = {
  ...httpSinkShape,
  credential: optional(checkSinkSecret),
  credentialHeader: optional(checkHeaderName),
  resource: optional(checkObject),
};

/** What a collector says back is small; more is no answer of the protocol. */
const maxResponseBytes = 4 * 1_024 * 1_024;

function judgeSuccess({ status, body }: HttpResponse): SinkAnswer {
  if (body.byteLength === 0) return { kind: 'delivered' };
  let rejected: number;
  try {
    const { partialSuccess } = JSON.parse(Buffer.from(body).toString()) as {
      partialSuccess?: { rejectedLogRecords?: number | string } | null;
    };
    rejected = Number(partialSuccess?.rejectedLogRecords ?? 0); // a 64-bit integer: text or number
  } catch {
    return unreadableAnswer(status);
  }
  if (rejected === 0) return { kind: 'delivered' };
  if (!Number.isFinite(rejected)) return unreadableAnswer(status);
  const message = 'The collector rejected the log record; the protocol forbids to send it again.';
  return { kind: 'dead-letter', failure: { code: 'AUDIT_EVENT_REJECTED', message, about: 'event' } };
}

/**
 * Sends each event as one log record over OTLP/HTTP in JSON. One a request: a partial success does
 * not say which records fell, and must not be retried. OTLP forbids to retry 500 and other 5xx; AUD-13
 * asks for it, and is followed. A collector drops no repeat: `audit.idempotency_key` is an attribute.
 * Throws `TypeError` for wrong options.
 */
export function createOtlpLogsSink(options: OtlpLogsSinkOptions): AuditSink {
  checkOptions('createOtlpLogsSink', options, optionShape);
  const { id, http, url, credential, credentialHeader = 'authorization', clock = systemClock } = options;
  const { resource = { 'service.name': 'criticizer' } } = options;

  async function post(body: string, signal: AbortSignal): Promise<SinkAnswer> {
    signal.throwIfAborted();
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (credential !== undefined) {
      const { current } = await credential.source.read(credential.name, { signal });
      headers[credentialHeader] = revealSecret(current.secret);
    }
    const response = await http.exchange({ method: 'POST', url, headers, body }, { signal, maxResponseBytes });
    return isSuccess(response.status) ? judgeSuccess(response) : answerStatus(response, clock.nowMs());
  }

  return {
    contract: 1,
    id,
    send: (event, { idempotencyKey, signal }) => post(toLogsRequest(event, idempotencyKey, resource), signal),
    /** Sends a request without a record, which the protocol allows. */
    async testConnection({ signal }) {
      return toSinkTest(await post('{"resourceLogs":[]}', signal));
    },
  };
}
