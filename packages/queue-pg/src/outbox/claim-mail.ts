import { type MailRow, toOutboxRow, wholeMs } from '@criticizer/core/internal';
import type { ClaimedOutboxRow, OutboxClaimRequest } from '@criticizer/core/ports';
import { span } from '../shared/instants.js';
import { asUuid, type PgSession } from '../shared/pg-session.js';
import { mailColumns } from './outbox-row.js';

/**
 * Whether a higher version of the review of `notify_outbox` under this alias has rows; the scope of a host's mail
 * has no `/`.
 */
export const supersededSql = (alias: string): string => `(strpos(${alias}.changelist_id, '/') > 0 AND EXISTS (
    SELECT FROM {schema}.notify_outbox AS newer
    WHERE newer.changelist_id = ${alias}.changelist_id AND newer.review_version > ${alias}.review_version))`;

const claimedColumns = `${mailColumns}, ${supersededSql('m')} AS superseded`;

// Two scans, each by its own partial index and each under its own row locks; FOR UPDATE does not go with UNION.
// `only` narrows each to rows by id, in a text of its own: one plan for both would read the
// whole backlog for one row.
const deliverSql = (only: string): string => `WITH pending AS (
    SELECT id FROM {schema}.notify_outbox WHERE status = 'pending' AND next_attempt_at <= {now} AND via = ANY($5::text[])${only}
    ORDER BY next_attempt_at, id LIMIT $4 FOR UPDATE SKIP LOCKED),
  expired AS (
    SELECT id FROM {schema}.notify_outbox WHERE status = 'sending' AND lease_expires_at <= {now} AND via = ANY($5::text[])${only}
    ORDER BY next_attempt_at, id LIMIT $4 FOR UPDATE SKIP LOCKED),
  candidate AS (
    SELECT m.id FROM {schema}.notify_outbox AS m JOIN (SELECT id FROM pending UNION ALL SELECT id FROM expired) AS due USING (id)
    ORDER BY m.next_attempt_at, m.id LIMIT $4)
  UPDATE {schema}.notify_outbox AS m SET status = 'sending', attempts = m.attempts + 1, claimed_by = $1, claim_token = $2,
    lease_expires_at = {now} + ${span('$3::float8')}, waiting_for = NULL, updated_at = greatest(m.updated_at, {now})
  FROM candidate WHERE m.id = candidate.id RETURNING ${claimedColumns}`;

const reconcileSql = (only: string): string => `WITH candidate AS (
    SELECT id FROM {schema}.notify_outbox WHERE status = 'sent' AND verified_at IS NULL AND notified_at <= {now} - ${span('$6::float8')}
      AND (reconciled_at IS NULL OR reconciled_at <= {now} - ${span('$6::float8')}) AND (claim_token IS NULL OR lease_expires_at <= {now})
      AND via = ANY($5::text[])${only}
    ORDER BY notified_at, id LIMIT $4 FOR UPDATE SKIP LOCKED)
  UPDATE {schema}.notify_outbox AS m SET claimed_by = $1, claim_token = $2, lease_expires_at = {now} + ${span('$3::float8')},
    updated_at = greatest(m.updated_at, {now})
  FROM candidate WHERE m.id = candidate.id RETURNING ${claimedColumns}`;

const deliver = deliverSql('');
const deliverByIds = deliverSql(' AND id = ANY($6::uuid[])');
const reconcile = reconcileSql('');
const reconcileByIds = reconcileSql(' AND id = ANY($7::uuid[])');

/**
 * Rows under a lease of their own. A delivery counts its attempt and becomes `sending`; a
 * reconciled row stays `sent`.
 */
export async function claimMail(session: PgSession, request: OutboxClaimRequest): Promise<ClaimedOutboxRow[]> {
  const { owner, token, purpose, limit } = request;
  const ids = request.ids?.map(asUuid);
  const values: unknown[] = [owner, token, wholeMs(request.leaseMs), limit, request.via];
  if (purpose !== 'deliver') values.push(wholeMs(purpose.reconcile.olderThanMs));
  if (ids !== undefined) values.push(ids);
  const [any, byIds] = purpose === 'deliver' ? [deliver, deliverByIds] : [reconcile, reconcileByIds];
  const rows = await session.all<MailRow & { superseded: boolean }>(ids === undefined ? any : byIds, ...values);
  const claimed = rows.map(({ superseded, ...row }) => ({
    ...{ row: toOutboxRow(row), lease: { rowId: row.id, owner, token }, superseded },
  }));
  return claimed.sort(
    (a, b) => a.row.nextAttemptAt.getTime() - b.row.nextAttemptAt.getTime() || (a.row.id < b.row.id ? -1 : 1),
  );
}

/**
 * `sending` rows whose lease ended become `pending` with their phase; a reconciler's ended lease is
 * dropped. Gives the first count.
 */
export async function requeueExpiredMail(session: PgSession, limit: number): Promise<number> {
  await session.run(
    `WITH ended AS (SELECT id FROM {schema}.notify_outbox WHERE status = 'sent' AND verified_at IS NULL AND claim_token IS NOT NULL
        AND lease_expires_at <= {now} ORDER BY id FOR UPDATE SKIP LOCKED)
      UPDATE {schema}.notify_outbox AS m SET claimed_by = NULL, claim_token = NULL, lease_expires_at = NULL FROM ended WHERE m.id = ended.id`,
  );
  return session.run(
    `WITH expired AS (SELECT id FROM {schema}.notify_outbox WHERE status = 'sending' AND lease_expires_at <= {now}
        ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)
      UPDATE {schema}.notify_outbox AS m SET status = 'pending', claimed_by = NULL, claim_token = NULL, lease_expires_at = NULL,
        updated_at = greatest(m.updated_at, {now}) FROM expired WHERE m.id = expired.id`,
    limit,
  );
}
