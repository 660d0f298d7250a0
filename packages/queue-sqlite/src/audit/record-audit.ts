import { type AuditEventRow, toAuditEvent } from '@criticizer/core/internal';
import { type AuditEvent, CriticizerError, type NewAuditEvent } from '@criticizer/core/ports';
import type { SqliteSession } from '../shared/sqlite-session.js';

/** Adds a delivery whose key version counts the rows that were there before (ruling R3). */
export function addDelivery(
  session: SqliteSession,
  event: { id: string; schemaVersion: number },
  destination: string,
  rowId: (nowMs: number) => string,
): void {
  const { nowMs } = session;
  const earlier = session.first<{ n: number }>(
    'SELECT count(*) AS n FROM audit_outbox WHERE destination = ? AND audit_event_id = ?',
    destination,
    event.id,
  );
  session.run(
    `INSERT INTO audit_outbox (id, audit_event_id, destination, idempotency_key, delivery_state, next_attempt_at_utc, created_at_utc,
      updated_at_utc) VALUES (?, ?, ?, ?, 'pending', ?, ?, ?)`,
    rowId(nowMs),
    event.id,
    destination,
    `${destination}:${event.id}:v${event.schemaVersion + (earlier?.n ?? 0)}`,
    nowMs,
    nowMs,
    nowMs,
  );
}

/** AUD-2: the event and one delivery per destination. */
export function recordAudit(
  session: SqliteSession,
  event: NewAuditEvent,
  destinations: readonly string[],
  rowId: (nowMs: number) => string,
): AuditEvent {
  const row = session.first<AuditEventRow>(
    `INSERT INTO audit_events (id, occurred_at_utc, actor_type, actor_id, tenant_id, trace_id, request_id, action, target_type, target_id,
      result_status, http_status, source_ip, user_agent, payload_redacted, payload_hash_sha256, schema_version, created_at_utc)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
    event.id,
    event.occurredAt?.getTime() ?? session.nowMs,
    event.actorType,
    event.actorId,
    event.tenantId,
    event.traceId,
    event.requestId,
    event.action,
    event.targetType,
    event.targetId,
    event.resultStatus,
    event.httpStatus,
    event.sourceIp,
    event.userAgent,
    JSON.stringify(event.payload),
    event.payloadSha256,
    event.schemaVersion,
    session.nowMs,
  );
  if (row === undefined)
    throw new CriticizerError('AUDIT_NOT_STORED', 'The audit event was not stored.', { category: 'bug' });
  for (const destination of destinations) addDelivery(session, event, destination, rowId);
  return toAuditEvent(row);
}
