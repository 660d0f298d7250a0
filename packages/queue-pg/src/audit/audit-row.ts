import { instantColumns } from '../shared/instants.js';

/** What to select for an `AuditEventRow` from `audit_events` under the alias `e`. */
export const eventColumns = `e.id::text AS id, ${instantColumns('e', ['occurred_at_utc', 'created_at_utc'])}, e.actor_type, e.actor_id, e.tenant_id, e.trace_id, e.request_id, e.action,
  e.target_type, e.target_id, e.result_status, e.http_status, host(e.source_ip) AS source_ip, e.user_agent,
  e.payload_redacted::text AS payload_redacted, e.payload_hash_sha256, e.schema_version`;

/** What to select for an `AuditDeliveryRow` from `audit_outbox` under the alias `o`. */
export const deliveryColumns = `o.id::text AS id, o.audit_event_id::text AS audit_event_id, o.destination, o.idempotency_key, o.delivery_state,
  o.attempt_count, o.last_error_code, o.sink_receipt::text AS sink_receipt, ${instantColumns('o', ['next_attempt_at_utc', 'first_failed_at_utc', 'delivered_at_utc', 'created_at_utc'])}`;

/** What to select for an `AuditDeadLetterRow` from `audit_dead_letter` under the alias `d`. */
export const auditLetterColumns = `d.id::text AS id, d.outbox_id::text AS outbox_id, d.audit_event_id::text AS audit_event_id, d.destination,
  d.final_attempt_count, ${instantColumns('d', ['first_failed_at_utc', 'dead_lettered_at_utc'])}, d.error_summary, d.error_details::text AS error_details,
  d.operator_status, d.operator_note, d.operator_id`;
