import type { JsonObject } from '../../foundation/json.js';
import type { AuditEvent } from '../audit-store.js';

/** An event as it leaves the house, to sinks and in an export: the names of the tables, times as RFC 3339 in UTC. */
export function toEventJson(event: AuditEvent): JsonObject {
  return {
    id: event.id,
    occurred_at: event.occurredAt.toISOString(),
    recorded_at: event.createdAt.toISOString(),
    actor_type: event.actorType,
    actor_id: event.actorId,
    tenant_id: event.tenantId,
    trace_id: event.traceId,
    request_id: event.requestId,
    action: event.action,
    target_type: event.targetType,
    target_id: event.targetId,
    result_status: event.resultStatus,
    http_status: event.httpStatus,
    source_ip: event.sourceIp,
    user_agent: event.userAgent,
    payload: event.payload,
    payload_hash_sha256: event.payloadSha256,
    schema_version: event.schemaVersion,
  };
}
