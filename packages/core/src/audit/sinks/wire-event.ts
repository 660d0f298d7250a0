import type { JsonObject } from '../../foundation/json.js';
import type { AuditEvent } from '../../stores/audit-store.js';
import { toEventJson } from '../../stores/rows/audit-event-json.js';

/** What CloudEvents lets an intermediary drop: a message beyond this many bytes on the wire. */
const maxCloudEventBytes = 65_536;

/**
 * One event as sinks send it, with id and key for receivers that cannot dedupe. Sinks put
 * `occurred_at` into a field of its own, because they may replace or drop the time of what comes days late.
 */
export function toWireEvent(event: AuditEvent, idempotencyKey: string): JsonObject {
  return { id: event.id, idempotency_key: idempotencyKey, ...toEventJson(event) };
}

/**
 * The event in CloudEvents 1.0, structured mode. `source` and `id` name it for receivers that dedupe:
 * the id is the delivery's key, so that a requeued event is not taken for the one that was refused.
 * An envelope over 64 KiB has the payload replaced by its size and digest (ruling R5): an
 * intermediary may drop what is larger.
 */
export function toCloudEvent(event: AuditEvent, idempotencyKey: string, source: string): string {
  const data = toWireEvent(event, idempotencyKey);
  const write = (payload: JsonObject): string =>
    JSON.stringify({
      specversion: '1.0',
      id: idempotencyKey,
      source,
      type: `criticizer.audit.${event.action}`,
      time: event.occurredAt.toISOString(),
      ...(event.targetId === null ? {} : { subject: event.targetId }),
      datacontenttype: 'application/json',
      data: { ...data, payload },
    });
  const whole = write(event.payload);
  if (Buffer.byteLength(whole) <= maxCloudEventBytes) return whole;
  const bytes = Buffer.byteLength(JSON.stringify(event.payload));
  return write({ _payload_omitted: true, payload_bytes: bytes, payload_hash_sha256: event.payloadSha256 });
}
