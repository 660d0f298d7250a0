import type { JsonObject } from '../../foundation/json.js';
import type {
  AuditDeadLetter,
  AuditDelivery,
  AuditDeliveryState,
  AuditEvent,
  AuditOperatorStatus,
} from '../audit-store.js';
import { canonicalAddress } from '../source-ip.js';
import { type Instant, parsed, toDate, toDateOrNull } from './row-values.js';

/** A row of `audit_events`, JSON as text. */
export interface AuditEventRow {
  id: string;
  occurred_at_utc: Instant;
  actor_type: AuditEvent['actorType'];
  actor_id: string | null;
  tenant_id: string | null;
  trace_id: string | null;
  request_id: string | null;
  action: string;
  target_type: string | null;
  target_id: string | null;
  result_status: AuditEvent['resultStatus'];
  http_status: number | null;
  source_ip: string | null;
  user_agent: string | null;
  payload_redacted: string;
  payload_hash_sha256: string;
  schema_version: number;
  created_at_utc: Instant;
}

/** Reads an audit event from its row. */
export function toAuditEvent(row: AuditEventRow): AuditEvent {
  return {
    id: row.id,
    occurredAt: toDate(row.occurred_at_utc),
    actorType: row.actor_type,
    actorId: row.actor_id,
    tenantId: row.tenant_id,
    traceId: row.trace_id,
    requestId: row.request_id,
    action: row.action,
    targetType: row.target_type,
    targetId: row.target_id,
    resultStatus: row.result_status,
    httpStatus: row.http_status,
    // PostgreSQL writes some IPv6 addresses with a dotted tail.
    sourceIp: row.source_ip === null ? null : canonicalAddress(row.source_ip),
    userAgent: row.user_agent,
    payload: JSON.parse(row.payload_redacted) as JsonObject,
    payloadSha256: row.payload_hash_sha256,
    schemaVersion: row.schema_version,
    createdAt: toDate(row.created_at_utc),
  };
}

/** A row of `audit_outbox`. */
export interface AuditDeliveryRow {
  id: string;
  audit_event_id: string;
  destination: string;
  idempotency_key: string;
  delivery_state: AuditDeliveryState;
  attempt_count: number;
  next_attempt_at_utc: Instant;
  last_error_code: string | null;
  first_failed_at_utc: Instant | null;
  delivered_at_utc: Instant | null;
  /** JSON as text. */
  sink_receipt: string | null;
  created_at_utc: Instant;
}

/** Reads an audit delivery from its row. */
export function toAuditDelivery(row: AuditDeliveryRow): AuditDelivery {
  return {
    id: row.id,
    auditEventId: row.audit_event_id,
    destination: row.destination,
    idempotencyKey: row.idempotency_key,
    state: row.delivery_state,
    attemptCount: row.attempt_count,
    nextAttemptAt: toDate(row.next_attempt_at_utc),
    lastErrorCode: row.last_error_code,
    firstFailedAt: toDateOrNull(row.first_failed_at_utc),
    deliveredAt: toDateOrNull(row.delivered_at_utc),
    receipt: parsed<JsonObject>(row.sink_receipt),
    createdAt: toDate(row.created_at_utc),
  };
}

/** A row of `audit_dead_letter`, JSON as text. */
export interface AuditDeadLetterRow {
  id: string;
  outbox_id: string;
  audit_event_id: string;
  destination: string;
  final_attempt_count: number;
  first_failed_at_utc: Instant;
  dead_lettered_at_utc: Instant;
  error_summary: string;
  error_details: string | null;
  operator_status: AuditOperatorStatus;
  operator_note: string | null;
  operator_id: string | null;
}

/** Reads a dead letter of the audit from its row. */
export function toAuditDeadLetter(row: AuditDeadLetterRow): AuditDeadLetter {
  return {
    id: row.id,
    deliveryId: row.outbox_id,
    auditEventId: row.audit_event_id,
    destination: row.destination,
    finalAttemptCount: row.final_attempt_count,
    firstFailedAt: toDate(row.first_failed_at_utc),
    deadLetteredAt: toDate(row.dead_lettered_at_utc),
    errorSummary: row.error_summary,
    errorDetails: parsed<JsonObject>(row.error_details),
    operatorStatus: row.operator_status,
    operatorNote: row.operator_note,
    operatorId: row.operator_id,
  };
}
