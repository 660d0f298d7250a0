import { toOutboxRow, wholeMs } from '@criticizer/core/internal';
import type { ClaimedOutboxRow, OutboxClaimRequest } from '@criticizer/core/ports';
import { storeInvariant } from '../shared/sqlite-errors.js';
import type { SqliteSession } from '../shared/sqlite-session.js';
import type { MailRow } from './outbox-row.js';

const isVia = 'via IN (SELECT value FROM json_each(?))';

const isNamed = 'id IN (SELECT value FROM json_each(?))';

/** What a claim requires of a row besides being due, and the values. A claim of any row compares no ids. */
function narrowed({ ids, via }: OutboxClaimRequest): { sql: string; values: string[] } {
  const mailers = JSON.stringify(via);
  return ids === undefined
    ? { sql: isVia, values: [mailers] }
    : { sql: `${isVia} AND ${isNamed}`, values: [mailers, JSON.stringify(ids)] };
}

function deliverable(session: SqliteSession, request: OutboxClaimRequest): { id: string }[] {
  const { sql, values } = narrowed(request);
  return session.all<{ id: string }>(
    `SELECT id FROM (
        SELECT id, next_attempt_at FROM notify_outbox WHERE status = 'pending' AND next_attempt_at <= ? AND ${sql}
        UNION ALL
        SELECT id, next_attempt_at FROM notify_outbox WHERE status = 'sending' AND lease_expires_at <= ? AND ${sql})
      ORDER BY next_attempt_at, id LIMIT ? + 0`,
    ...[session.nowMs, ...values, session.nowMs, ...values, request.limit],
  );
}

function unverified(session: SqliteSession, request: OutboxClaimRequest, olderThanMs: number): { id: string }[] {
  const { sql, values } = narrowed(request);
  const before = session.nowMs - wholeMs(olderThanMs);
  return session.all<{ id: string }>(
    `SELECT id FROM notify_outbox WHERE status = 'sent' AND verified_at IS NULL AND notified_at <= ?
      AND (reconciled_at IS NULL OR reconciled_at <= ?) AND (claim_token IS NULL OR lease_expires_at <= ?) AND ${sql}
      ORDER BY notified_at, id LIMIT ? + 0`,
    ...[before, before, session.nowMs, ...values, request.limit],
  );
}

/** True where a higher version of the review has rows; the scope of a host's mail has no `/`. */
export function isSuperseded(
  session: SqliteSession,
  { changelist_id, review_version }: Pick<MailRow, 'changelist_id' | 'review_version'>,
): boolean {
  if (!changelist_id.includes('/')) return false;
  const newer = 'SELECT 1 FROM notify_outbox WHERE changelist_id = ? AND review_version > ? LIMIT 1';
  return session.first(newer, changelist_id, review_version) !== undefined;
}

/**
 * Rows under a lease of their own. A delivery counts its attempt and becomes `sending`; a
 * reconciled row stays `sent`.
 */
export function claimMail(session: SqliteSession, request: OutboxClaimRequest): ClaimedOutboxRow[] {
  const { owner, token, purpose } = request;
  const ids =
    purpose === 'deliver' ? deliverable(session, request) : unverified(session, request, purpose.reconcile.olderThanMs);
  return ids.map(({ id }) => {
    const row = session.first<MailRow>(
      `UPDATE notify_outbox SET status = ?, attempts = attempts + ?, claimed_by = ?, claim_token = ?, lease_expires_at = ?,
        waiting_for = NULL, updated_at = max(updated_at, ?) WHERE id = ? RETURNING *`,
      purpose === 'deliver' ? 'sending' : 'sent',
      purpose === 'deliver' ? 1 : 0,
      owner,
      token,
      session.nowMs + wholeMs(request.leaseMs),
      session.nowMs,
      id,
    );
    if (row === undefined) throw storeInvariant('notify_outbox lost a row inside its transaction');
    return { row: toOutboxRow(row), lease: { rowId: id, owner, token }, superseded: isSuperseded(session, row) };
  });
}

/**
 * `sending` rows whose lease ended become `pending` with their phase; a reconciler's ended lease is
 * dropped. Gives the first count.
 */
export function requeueExpiredMail(session: SqliteSession, limit: number): number {
  const { nowMs } = session;
  session.run(
    `UPDATE notify_outbox SET claimed_by = NULL, claim_token = NULL, lease_expires_at = NULL
      WHERE status = 'sent' AND verified_at IS NULL AND claim_token IS NOT NULL AND lease_expires_at <= ?`,
    nowMs,
  );
  return session.run(
    `UPDATE notify_outbox SET status = 'pending', claimed_by = NULL, claim_token = NULL, lease_expires_at = NULL,
      updated_at = max(updated_at, ?)
      WHERE id IN (SELECT id FROM notify_outbox WHERE status = 'sending' AND lease_expires_at <= ? ORDER BY id LIMIT ? + 0)`,
    nowMs,
    nowMs,
    limit,
  );
}
