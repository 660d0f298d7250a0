import {
  type AuditDeliveryRow,
  type AuditEventRow,
  settleColumns,
  toAuditDelivery,
  toAuditEvent,
  wholeMs,
} from '@criticizer/core/internal';
import type { AuditLease, AuditSettlement, AuditStore, ClaimedAuditDelivery } from '@criticizer/core/ports';
import type { SqliteTx } from '../shared/sqlite-database.js';
import { storeInvariant } from '../shared/sqlite-errors.js';
import type { SqliteSession } from '../shared/sqlite-session.js';

type AuditClaim = Parameters<AuditStore<SqliteTx>['claim']>[0];

/** What `lease_owner` holds: the worker's id and its claim's token, so that both fence (INV-3). */
export function leaseOwner({ owner, token }: { owner: string; token: string }): string {
  return `${owner}#${token}`;
}

type Due = { id: string; next_attempt_at_utc: number };

/**
 * The ids to claim, oldest due first. One scan of the index for each destination and state, so that
 * the backlog of another destination is not read.
 */
function findDue(session: SqliteSession, { destinations, limit }: AuditClaim): string[] {
  const { nowMs } = session;
  const byState = destinations.flatMap((destination) =>
    ['pending', 'retry_wait'].flatMap((state) =>
      session.all<Due>(
        `SELECT id, next_attempt_at_utc FROM audit_outbox WHERE destination = ? AND delivery_state = '${state}'
          AND next_attempt_at_utc <= ? ORDER BY next_attempt_at_utc, id LIMIT ? + 0`,
        ...[destination, nowMs, limit],
      ),
    ),
  );
  const expired = session.all<Due>(
    `SELECT id, next_attempt_at_utc FROM audit_outbox WHERE delivery_state = 'in_progress' AND lease_expires_at_utc <= ?
      AND destination IN (SELECT value FROM json_each(?)) ORDER BY next_attempt_at_utc, id LIMIT ? + 0`,
    ...[nowMs, JSON.stringify(destinations), limit],
  );
  return [...byState, ...expired]
    .sort((a, b) => a.next_attempt_at_utc - b.next_attempt_at_utc || (a.id < b.id ? -1 : 1))
    .slice(0, limit)
    .map(({ id }) => id);
}

/** Due deliveries and those whose lease ended, oldest due first; the attempt is counted (AUD-12). */
export function claimDeliveries(session: SqliteSession, request: AuditClaim): ClaimedAuditDelivery[] {
  const { nowMs } = session;
  const { owner, token } = request;
  return findDue(session, request).map((id) => {
    const delivery = session.first<AuditDeliveryRow>(
      `UPDATE audit_outbox SET delivery_state = 'in_progress', attempt_count = attempt_count + CASE WHEN sink_receipt IS NULL THEN 1 ELSE 0 END,
        last_attempt_at_utc = ?, lease_owner = ?, lease_expires_at_utc = ?, updated_at_utc = max(updated_at_utc, ?) WHERE id = ? RETURNING *`,
      nowMs,
      leaseOwner(request),
      nowMs + wholeMs(request.leaseMs),
      nowMs,
      id,
    );
    const event = session.first<AuditEventRow>(
      'SELECT * FROM audit_events WHERE id = ?',
      delivery?.audit_event_id ?? '',
    );
    if (delivery === undefined || event === undefined)
      throw storeInvariant('audit_outbox lost a row inside its transaction');
    return { delivery: toAuditDelivery(delivery), event: toAuditEvent(event), lease: { deliveryId: id, owner, token } };
  });
}

export function renewDelivery(session: SqliteSession, lease: AuditLease, leaseMs: number): 'renewed' | 'lease-lost' {
  const renewed = session.run(
    `UPDATE audit_outbox SET lease_expires_at_utc = ?, updated_at_utc = max(updated_at_utc, ?)
      WHERE id = ? AND lease_owner = ? AND delivery_state = 'in_progress'`,
    session.nowMs + wholeMs(leaseMs),
    session.nowMs,
    lease.deliveryId,
    leaseOwner(lease),
  );
  return renewed === 1 ? 'renewed' : 'lease-lost';
}

/** One settlement under its lease; a dead letter is written with it. */
export function settleDelivery(
  session: SqliteSession,
  settlement: AuditSettlement,
  rowId: (nowMs: number) => string,
): 'settled' | 'lease-lost' {
  const { nowMs } = session;
  const columns = settleColumns(settlement);
  const { state, refund = 0, delayMs = 0, errorCode = null, errorMessage = null, receipt = null } = columns;
  const row = session.first<AuditDeliveryRow>(
    `UPDATE audit_outbox SET delivery_state = ?, attempt_count = max(0, attempt_count - CASE WHEN sink_receipt IS NULL THEN ? ELSE 0 END),
      sink_receipt = CASE WHEN ? THEN sink_receipt ELSE ? END, next_attempt_at_utc = ?,
      last_error_code = coalesce(?, last_error_code), last_error_message = coalesce(?, last_error_message),
      first_failed_at_utc = CASE WHEN ? IS NULL THEN first_failed_at_utc ELSE coalesce(first_failed_at_utc, ?) END,
      delivered_at_utc = CASE WHEN ? = 'delivered' THEN ? END, lease_owner = NULL, lease_expires_at_utc = NULL,
      updated_at_utc = max(updated_at_utc, ?)
      WHERE id = ? AND lease_owner = ? AND delivery_state = 'in_progress' RETURNING *`,
    ...[state, refund, columns.keepsReceipt ?? 0, receipt],
    ...[nowMs + wholeMs(delayMs), errorCode, errorMessage, errorCode, nowMs, state, nowMs, nowMs],
    settlement.lease.deliveryId,
    leaseOwner(settlement.lease),
  );
  if (row === undefined) return 'lease-lost';
  if (settlement.kind === 'dead-letter') {
    session.run(
      `INSERT INTO audit_dead_letter (id, outbox_id, audit_event_id, destination, final_attempt_count, first_failed_at_utc,
        dead_lettered_at_utc, error_summary, error_details, updated_at_utc) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[
        rowId(nowMs),
        row.id,
        row.audit_event_id,
        row.destination,
        row.attempt_count,
        row.first_failed_at_utc ?? nowMs,
        nowMs,
      ],
      settlement.errorSummary,
      settlement.errorDetails === null ? null : JSON.stringify(settlement.errorDetails),
      nowMs,
    );
  }
  return 'settled';
}

/** Ended leases back to `retry_wait`, due at once. Gives the count. */
export function requeueExpiredDeliveries(session: SqliteSession, limit: number): number {
  return session.run(
    `UPDATE audit_outbox SET delivery_state = 'retry_wait', lease_owner = NULL, lease_expires_at_utc = NULL,
      updated_at_utc = max(updated_at_utc, ?) WHERE id IN
      (SELECT id FROM audit_outbox WHERE delivery_state = 'in_progress' AND lease_expires_at_utc <= ? ORDER BY lease_expires_at_utc LIMIT ? + 0)`,
    session.nowMs,
    session.nowMs,
    limit,
  );
}
