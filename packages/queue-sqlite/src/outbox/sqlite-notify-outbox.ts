import {
  checkMs,
  checkNewOutboxRow,
  checkOneOf,
  checkOutboxClaim,
  checkOutboxSettlement,
  checkText,
  sweepLimit,
  toOutboxRow,
  wholeMs,
} from '@criticizer/core/internal';
import type { NotifyOutbox, OutboxBacklog, OutboxLease, OutboxStatus } from '@criticizer/core/ports';
import { type Condition, listByRowId } from '../shared/list-rows.js';
import type { SqliteTx } from '../shared/sqlite-database.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';
import type { SqliteSession } from '../shared/sqlite-session.js';
import { claimMail, requeueExpiredMail } from './claim-mail.js';
import { addOutboxRow, type MailRow } from './outbox-row.js';
import { confirmMail, holdMail, releaseMail, reopenMail, settleMail } from './settle-mail.js';

/** Names the predicate of the partial index, so that it serves every status but `sent`. */
function inStatus(status: OutboxStatus | undefined): Condition {
  return [status === 'sent' ? 'status = ?' : "status <> 'sent' AND status = ?", status];
}

/** Of reviews alone: the scope of a host's mail has no `/`. */
const withdraw = `UPDATE notify_outbox SET required = 0, waiting_for = CASE WHEN status IN ('pending', 'held') THEN NULL ELSE waiting_for END,
    status = CASE WHEN status IN ('pending', 'held') THEN 'cancelled' ELSE status END, updated_at = max(updated_at, ?)
  WHERE recipient_key = ? AND notified_at IS NULL AND instr(changelist_id, '/') > 0 AND (required = 1 OR status IN ('pending', 'held'))`;

type PhaseOptions = NonNullable<Parameters<NotifyOutbox<never>['recordPhase']>[2]>;

function recordPhase(
  session: SqliteSession,
  lease: OutboxLease,
  phase: 'envelope' | 'data',
  options: PhaseOptions,
): boolean {
  const { nowMs } = session;
  const { provider = null, providerKeyTtlMs, possibleDuplicate = false } = options;
  const keyExpiresAt = providerKeyTtlMs === undefined ? null : nowMs + wholeMs(providerKeyTtlMs);
  // Never from data back to envelope: only a settlement that proved what happened lowers the phase (NOT-6).
  // data_at is the first of this attempt: it moves only when the claim is another one than recorded it.
  const written = session.run(
    `UPDATE notify_outbox SET phase = CASE WHEN phase = 'data' THEN phase ELSE ? END,
      data_at = CASE WHEN ? = 'data' AND data_token IS NOT claim_token THEN ? ELSE data_at END,
      data_token = CASE WHEN ? = 'data' THEN claim_token ELSE data_token END,
      provider = coalesce(?, provider), provider_key_expires_at = coalesce(?, provider_key_expires_at),
      possible_duplicate = max(possible_duplicate, ?), updated_at = max(updated_at, ?)
      WHERE id = ? AND claimed_by = ? AND claim_token = ? AND status = 'sending'`,
    ...[
      phase,
      phase,
      nowMs,
      phase,
      provider,
      keyExpiresAt,
      possibleDuplicate ? 1 : 0,
      nowMs,
      lease.rowId,
      lease.owner,
      lease.token,
    ],
  );
  return written === 1;
}

function renew(
  session: SqliteSession,
  { rowId, owner, token }: OutboxLease,
  leaseMs: number,
): 'renewed' | 'lease-lost' {
  const renewed = session.run(
    'UPDATE notify_outbox SET lease_expires_at = ?, updated_at = max(updated_at, ?) WHERE id = ? AND claimed_by = ? AND claim_token = ?',
    session.nowMs + wholeMs(leaseMs),
    session.nowMs,
    rowId,
    owner,
    token,
  );
  return renewed === 1 ? 'renewed' : 'lease-lost';
}

function stats(session: SqliteSession): Record<OutboxStatus, number> {
  const counts = { pending: 0, held: 0, sending: 0, sent: 0, failed: 0, unknown: 0, cancelled: 0 };
  const rows = session.all<{ status: OutboxStatus; n: number }>(
    'SELECT status, count(*) AS n FROM notify_outbox GROUP BY status',
  );
  for (const { status, n } of rows) counts[status] = n;
  return counts;
}

/** `status <> 'sent'` names the partial index, which leaves out what was sent. */
function backlog(session: SqliteSession): OutboxBacklog[] {
  const rows = session.all<{ status: OutboxBacklog['status']; waiting_for: string | null; n: number; since: number }>(
    `SELECT status, waiting_for, count(*) AS n, min(created_at) AS since FROM notify_outbox
      WHERE status <> 'sent' AND status IN ('failed', 'pending', 'sending', 'unknown')
      GROUP BY status, waiting_for ORDER BY status, coalesce(waiting_for, '')`,
  );
  return rows.map(({ status, waiting_for: waitingFor, n: count, since }) => ({
    ...{ status, waitingFor, count },
    oldestMs: Math.max(0, session.nowMs - since),
  }));
}

// long: the verbs of the facet, one after the other
/** The delivery log on SQLite (NOT-3..11). */
export function createSqliteNotifyOutbox({ storeId, gate, rowId }: SqliteFacet): NotifyOutbox<SqliteTx> {
  return {
    storeId,
    async add(rows, options) {
      for (const [n, row] of rows.entries()) checkNewOutboxRow(row, `rows[${n}]`);
      if (rows.length === 0) return [];
      return gate.write(options?.tx, (session) => rows.map((row) => addOutboxRow(session, row, rowId)));
    },
    async claim(request) {
      checkOutboxClaim(request);
      return gate.write(undefined, (session) => claimMail(session, request));
    },
    async heartbeat(leases, leaseMs) {
      checkMs('leaseMs', leaseMs, 1);
      if (leases.length === 0) return [];
      return gate.write(undefined, (session) => leases.map((lease) => renew(session, lease, leaseMs)));
    },
    async recordPhase(lease, phase, options = {}) {
      checkOneOf('phase', phase, ['envelope', 'data']);
      if (options.providerKeyTtlMs !== undefined) checkMs('options.providerKeyTtlMs', options.providerKeyTtlMs);
      return gate.write(undefined, (session) =>
        recordPhase(session, lease, phase, options) ? 'recorded' : 'lease-lost',
      );
    },
    async settle(settlements) {
      for (const [n, settlement] of settlements.entries()) checkOutboxSettlement(settlement, `settlements[${n}]`);
      if (settlements.length === 0) return [];
      return gate.write(undefined, (session) => settlements.map((settlement) => settleMail(session, settlement)));
    },
    async requeueExpired(options) {
      const limit = sweepLimit(options?.limit);
      return gate.write(undefined, (session) => requeueExpiredMail(session, limit));
    },
    list: (filter) =>
      gate.read(undefined, (session) =>
        listByRowId<MailRow>(session, 'SELECT * FROM notify_outbox', filter, [
          ['changelist_id = ?', filter.changelistId],
          ['review_version = ?', filter.reviewVersion],
          ['job_id = ?', filter.jobId],
          inStatus(filter.status),
          ['key = ?', filter.key],
          ['notification_id = ?', filter.notificationId],
          ['recipient_key = ?', filter.recipientKey],
        ]).map(toOutboxRow),
      ),
    reopen: (ids, options) => gate.write(options?.tx, (session) => ids.map((id) => reopenMail(session, id))),
    hold: (id, options) => gate.write(options?.tx, (session) => holdMail(session, id)),
    release: (id, options) => gate.write(options?.tx, (session) => releaseMail(session, id)),
    confirm: (id, { notificationId }, options) =>
      gate.write(options?.tx, (session) => confirmMail(session, id, notificationId)),
    cancelOlder: (changelistId, belowVersion, options) =>
      gate.write(options?.tx, (session) =>
        session.run(
          `UPDATE notify_outbox SET status = 'cancelled', waiting_for = NULL, updated_at = max(updated_at, ?)
            WHERE changelist_id = ? AND review_version < ? AND status IN ('pending', 'held')`,
          session.nowMs,
          changelistId,
          belowVersion,
        ),
      ),
    async withdraw(recipientKey, options) {
      checkText('recipientKey', recipientKey, 320);
      return gate.write(options?.tx, (session) => session.run(withdraw, session.nowMs, recipientKey));
    },
    stats: () => gate.read(undefined, stats),
    backlog: () => gate.read(undefined, backlog),
  };
}
