import { type AuditEventRow, toAuditEvent } from '@criticizer/core/internal';
import { type AuditEvent, CriticizerError, type NewAuditEvent } from '@criticizer/core/ports';
import type { PgSession } from '../shared/pg-session.js';
import { rowIdSql } from '../shared/row-id.js';
import { eventColumns } from './audit-row.js';

/** Adds deliveries whose key versions count the rows that were there before (ruling R3). */
export async function addDeliveries(
  session: PgSession,
  event: { id: string; schemaVersion: number },
  destinations: readonly string[],
  idTail: () => string,
): Promise<void> {
  if (destinations.length === 0) return;
  await session.run(
    `INSERT INTO {schema}.audit_outbox (id, audit_event_id, destination, idempotency_key, delivery_state, next_attempt_at_utc, created_at_utc,
        updated_at_utc)
      SELECT ${rowIdSql('x.tail')}, $1::uuid, x.destination, x.destination || ':' || $1 || ':v' || ($2::int + (SELECT count(*)
          FROM {schema}.audit_outbox AS o WHERE o.destination = x.destination AND o.audit_event_id = $1::uuid)),
        'pending', {now}, {now}, {now}
      FROM unnest($3::text[], $4::text[]) AS x(destination, tail)`,
    event.id,
    event.schemaVersion,
    destinations,
    destinations.map(idTail),
  );
}

/** One statement for both: each costs the host's transaction a way to the server and back. */
const insert = `WITH e AS (INSERT INTO {schema}.audit_events (id, occurred_at_utc, actor_type, actor_id, tenant_id, trace_id, request_id, action,
    target_type, target_id, result_status, http_status, source_ip, user_agent, payload_redacted, payload_hash_sha256, schema_version,
    created_at_utc)
  VALUES ($1, coalesce($2::timestamptz, {now}), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::inet, $14, $15::jsonb, $16, $17, {now})
  RETURNING *),
  deliveries AS (INSERT INTO {schema}.audit_outbox (id, audit_event_id, destination, idempotency_key, delivery_state, next_attempt_at_utc,
      created_at_utc, updated_at_utc)
    SELECT ${rowIdSql('x.tail')}, e.id, x.destination, x.destination || ':' || e.id || ':v' || e.schema_version, 'pending', {now}, {now}, {now}
    FROM e, unnest($18::text[], $19::text[]) AS x(destination, tail))
  SELECT ${eventColumns} FROM e`;

/** AUD-2: the event and one delivery per destination. */
export async function recordAudit(
  session: PgSession,
  event: NewAuditEvent,
  destinations: readonly string[],
  idTail: () => string,
): Promise<AuditEvent> {
  const row = await session.first<AuditEventRow>(
    insert,
    event.id,
    event.occurredAt?.toISOString() ?? null,
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
    destinations,
    destinations.map(idTail),
  );
  if (row === undefined)
    throw new CriticizerError('AUDIT_NOT_STORED', 'The audit event was not stored.', { category: 'bug' });
  return toAuditEvent(row);
}
