import {
  type AuditDeliveryRow,
  type AuditEventRow,
  settleColumns,
  toAuditDelivery,
  toAuditEvent,
  wholeMs,
} from '@criticizer/core/internal';
import type { AuditLease, AuditSettlement, AuditStore, ClaimedAuditDelivery } from '@criticizer/core/ports';
import { span } from '../shared/instants.js';
import type { PgTx } from '../shared/pg-database.js';
import { asUuid, type PgSession } from '../shared/pg-session.js';
import { rowIdSql } from '../shared/row-id.js';
import { deliveryColumns, eventColumns } from './audit-row.js';

type AuditClaim = Parameters<AuditStore<PgTx>['claim']>[0];

/** What `lease_owner` holds: the worker's id and its claim's token, so that both fence (INV-3). */
export function leaseOwner({ owner, token }: { owner: string; token: string }): string {
  return `${owner}#${token}`;
}

/** The first due rows of each destination in one state, by the index alone: another one's backlog is not read. */
const dueIn = (state: string): string => `SELECT o.id FROM unnest($4::text[]) AS d(name) CROSS JOIN LATERAL (
      SELECT id FROM {schema}.audit_outbox WHERE destination = d.name AND delivery_state = '${state}' AND next_attempt_at_utc <= {now}
        ORDER BY next_attempt_at_utc, id LIMIT $3 FOR UPDATE SKIP LOCKED) AS o`;

// Three scans under their own row locks: FOR UPDATE does not go with UNION.
const claim = `WITH pending AS (${dueIn('pending')}),
  waiting AS (${dueIn('retry_wait')}),
  expired AS (
    SELECT id FROM {schema}.audit_outbox WHERE delivery_state = 'in_progress' AND lease_expires_at_utc <= {now}
      AND destination = ANY($4) ORDER BY next_attempt_at_utc, id LIMIT $3 FOR UPDATE SKIP LOCKED),
  candidate AS (
    SELECT o.id FROM {schema}.audit_outbox AS o JOIN (SELECT id FROM pending UNION ALL SELECT id FROM waiting UNION ALL SELECT id FROM expired) AS c USING (id)
    ORDER BY o.next_attempt_at_utc, o.id LIMIT $3)
  UPDATE {schema}.audit_outbox AS o SET delivery_state = 'in_progress', last_attempt_at_utc = {now},
    attempt_count = o.attempt_count + CASE WHEN o.sink_receipt IS NULL THEN 1 ELSE 0 END,
    lease_owner = $1, lease_expires_at_utc = {now} + ${span('$2::float8')}, updated_at_utc = greatest(o.updated_at_utc, {now})
  FROM candidate WHERE o.id = candidate.id RETURNING ${deliveryColumns}`;

/** Due deliveries and those whose lease ended, oldest due first; the attempt is counted (AUD-12). */
export async function claimDeliveries(session: PgSession, request: AuditClaim): Promise<ClaimedAuditDelivery[]> {
  const { owner, token, limit, destinations } = request;
  const rows = await session.all<AuditDeliveryRow>(
    claim,
    leaseOwner(request),
    wholeMs(request.leaseMs),
    limit,
    destinations,
  );
  if (rows.length === 0) return [];
  const events = await session.all<AuditEventRow>(
    `SELECT ${eventColumns} FROM {schema}.audit_events AS e WHERE e.id = ANY($1::uuid[])`,
    rows.map((row) => row.audit_event_id),
  );
  const byId = new Map(events.map((row) => [row.id, row]));
  const claimed = rows.flatMap((row) => {
    const event = byId.get(row.audit_event_id);
    if (event === undefined) return [];
    return [
      { delivery: toAuditDelivery(row), event: toAuditEvent(event), lease: { deliveryId: row.id, owner, token } },
    ];
  });
  return claimed.sort(
    (a, b) =>
      a.delivery.nextAttemptAt.getTime() - b.delivery.nextAttemptAt.getTime() ||
      (a.delivery.id < b.delivery.id ? -1 : 1),
  );
}

/** Renews what the leases still own; the rows are locked in the order of ids. Gives the ids renewed. */
export async function renewDeliveries(
  session: PgSession,
  leases: readonly AuditLease[],
  leaseMs: number,
): Promise<ReadonlySet<string>> {
  const rows = await session.all<{ id: string; lease_owner: string }>(
    `WITH owned AS (
        SELECT o.id FROM {schema}.audit_outbox AS o JOIN unnest($1::uuid[], $2::text[]) AS x(id, owner)
          ON o.id = x.id AND o.lease_owner = x.owner WHERE o.delivery_state = 'in_progress' ORDER BY o.id FOR UPDATE OF o)
      UPDATE {schema}.audit_outbox AS o SET lease_expires_at_utc = {now} + ${span('$3::float8')},
        updated_at_utc = greatest(o.updated_at_utc, {now})
      FROM (SELECT DISTINCT id FROM owned) AS c WHERE o.id = c.id RETURNING o.id::text AS id, o.lease_owner`,
    leases.map(({ deliveryId }) => asUuid(deliveryId)),
    leases.map(leaseOwner),
    wholeMs(leaseMs),
  );
  return new Set(rows.map((row) => `${row.id} ${row.lease_owner}`));
}

const settle = `UPDATE {schema}.audit_outbox AS o SET delivery_state = $3,
    attempt_count = greatest(0, o.attempt_count - CASE WHEN o.sink_receipt IS NULL THEN $4::int ELSE 0 END),
    sink_receipt = CASE WHEN $9::boolean THEN o.sink_receipt ELSE $8::jsonb END,
    next_attempt_at_utc = {now} + ${span('$5::float8')}, last_error_code = coalesce($6, o.last_error_code),
    last_error_message = coalesce($7, o.last_error_message),
    first_failed_at_utc = CASE WHEN $6::text IS NULL THEN o.first_failed_at_utc ELSE coalesce(o.first_failed_at_utc, {now}) END,
    delivered_at_utc = CASE WHEN $3 = 'delivered' THEN {now} END, lease_owner = NULL, lease_expires_at_utc = NULL,
    updated_at_utc = greatest(o.updated_at_utc, {now})
  WHERE o.id = $1 AND o.lease_owner = $2 AND o.delivery_state = 'in_progress' RETURNING ${deliveryColumns}`;

const deadLetter = `INSERT INTO {schema}.audit_dead_letter (id, outbox_id, audit_event_id, destination, final_attempt_count,
    first_failed_at_utc, dead_lettered_at_utc, error_summary, error_details, updated_at_utc)
  SELECT ${rowIdSql('$2')}, o.id, o.audit_event_id, o.destination, o.attempt_count, coalesce(o.first_failed_at_utc, {now}), {now}, $3,
    $4::jsonb, {now} FROM {schema}.audit_outbox AS o WHERE o.id = $1`;

/** One settlement under its lease; a dead letter is written with it. */
export async function settleDelivery(
  session: PgSession,
  settlement: AuditSettlement,
  idTail: () => string,
): Promise<'settled' | 'lease-lost'> {
  const columns = settleColumns(settlement);
  const { state, refund = 0, delayMs = 0, errorCode = null, errorMessage = null, receipt = null } = columns;
  const fence = [asUuid(settlement.lease.deliveryId), leaseOwner(settlement.lease)];
  const row = await session.first<AuditDeliveryRow>(
    settle,
    ...fence,
    state,
    refund,
    wholeMs(delayMs),
    errorCode,
    errorMessage,
    receipt,
    columns.keepsReceipt === 1,
  );
  if (row === undefined) return 'lease-lost';
  if (settlement.kind === 'dead-letter') {
    const details = settlement.errorDetails === null ? null : JSON.stringify(settlement.errorDetails);
    await session.run(deadLetter, row.id, idTail(), settlement.errorSummary, details);
  }
  return 'settled';
}

/** Ended leases back to `retry_wait`, due at once. Gives the count. */
export function requeueExpiredDeliveries(session: PgSession, limit: number): Promise<number> {
  return session.run(
    `WITH expired AS (SELECT id FROM {schema}.audit_outbox WHERE delivery_state = 'in_progress' AND lease_expires_at_utc <= {now}
        ORDER BY lease_expires_at_utc LIMIT $1 FOR UPDATE SKIP LOCKED)
      UPDATE {schema}.audit_outbox AS o SET delivery_state = 'retry_wait', lease_owner = NULL, lease_expires_at_utc = NULL,
        updated_at_utc = greatest(o.updated_at_utc, {now}) FROM expired WHERE o.id = expired.id`,
    limit,
  );
}
