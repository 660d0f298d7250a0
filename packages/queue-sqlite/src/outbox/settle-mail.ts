import { wholeMs } from '@criticizer/core/internal';
import type { OutboxSettlement, ReopenOutcome } from '@criticizer/core/ports';
import type { SqliteValue } from '../shared/sqlite-database.js';
import type { SqliteSession } from '../shared/sqlite-session.js';
import { isSuperseded } from './claim-mail.js';
import type { MailRow } from './outbox-row.js';

type Changed = Pick<
  MailRow,
  | 'status'
  | 'attempts'
  | 'phase'
  | 'data_at'
  | 'data_token'
  | 'notification_id'
  | 'notified_at'
  | 'provider'
  | 'possible_duplicate'
  | 'last_failure'
  | 'waiting_for'
  | 'next_attempt_at'
  | 'verified_at'
  | 'reconciled_at'
>;

/** The row after a settlement; what it does not name stays. */
function changes(row: MailRow, settlement: OutboxSettlement, nowMs: number): Partial<Changed> {
  switch (settlement.kind) {
    case 'sent':
      return {
        status: 'sent',
        notification_id: settlement.notificationId,
        notified_at: nowMs,
        provider: settlement.provider,
        possible_duplicate: settlement.possibleDuplicate === true ? 1 : row.possible_duplicate,
        waiting_for: null,
      };
    case 'retry':
      return {
        status: 'pending',
        next_attempt_at: nowMs + wholeMs(settlement.delayMs),
        phase: settlement.phase,
        last_failure: JSON.stringify(settlement.failure),
        waiting_for: null,
      };
    case 'wait':
      return {
        status: 'pending',
        next_attempt_at: nowMs + wholeMs(settlement.delayMs),
        phase: settlement.phase,
        attempts: Math.max(0, row.attempts - 1),
        waiting_for: settlement.reason,
      };
    case 'failed':
    case 'unknown':
      return { status: settlement.kind, last_failure: JSON.stringify(settlement.failure) };
    case 'reopen':
      return {
        status: 'pending',
        next_attempt_at: nowMs,
        notification_id: null,
        notified_at: null,
        verified_at: null,
        reconciled_at: null,
        phase: 'none',
        data_at: null,
        data_token: null,
      };
    case 'verified':
      return { verified_at: nowMs };
    case 'unverified':
      return { reconciled_at: nowMs };
    case 'cancelled':
      return { status: 'cancelled' };
  }
}

/** They look at a row that is `sent`; every other settlement ends a delivery. */
const reconciliations: readonly OutboxSettlement['kind'][] = ['reopen', 'verified', 'unverified'];

/** One settlement under its lease (NOT-5): all columns in one write. */
export function settleMail(session: SqliteSession, settlement: OutboxSettlement): 'settled' | 'lease-lost' {
  const { rowId, owner, token } = settlement.lease;
  const row = session.first<MailRow>(
    'SELECT * FROM notify_outbox WHERE id = ? AND claimed_by = ? AND claim_token = ? AND status = ?',
    rowId,
    owner,
    token,
    reconciliations.includes(settlement.kind) ? 'sent' : 'sending',
  );
  if (row === undefined) return 'lease-lost';
  const after = { ...row, ...changes(row, settlement, session.nowMs) };
  session.run(
    `UPDATE notify_outbox SET status = ?, attempts = ?, phase = ?, data_at = ?, data_token = ?, notification_id = ?, notified_at = ?,
      provider = ?, possible_duplicate = ?, last_failure = ?, waiting_for = ?, next_attempt_at = ?, verified_at = ?, reconciled_at = ?,
      claimed_by = NULL, claim_token = NULL, lease_expires_at = NULL, updated_at = max(updated_at, ?)
      WHERE id = ? AND claimed_by = ? AND claim_token = ?`,
    after.status,
    after.attempts,
    after.phase,
    after.data_at,
    after.data_token,
    after.notification_id,
    after.notified_at,
    after.provider,
    after.possible_duplicate,
    after.last_failure,
    after.waiting_for,
    after.next_attempt_at,
    after.verified_at,
    after.reconciled_at,
    session.nowMs,
    rowId,
    owner,
    token,
  );
  return 'settled';
}

/** Moves a row that is in one of these states; `set` ends with a comma. */
function moveMail<Done extends string, Not extends string>(
  session: SqliteSession,
  id: string,
  [from, set, ...values]: readonly [from: string, set: string, ...values: SqliteValue[]],
  [done, not]: readonly [done: Done, not: Not],
): Done | Not | 'not-found' {
  const moved = session.run(
    `UPDATE notify_outbox SET ${set} waiting_for = NULL, updated_at = max(updated_at, ?) WHERE id = ? AND status IN (${from})`,
    ...values,
    session.nowMs,
    id,
  );
  if (moved === 1) return done;
  return session.first('SELECT id FROM notify_outbox WHERE id = ?', id) === undefined ? 'not-found' : not;
}

/** The operator's reopening (NOT-9): what the last attempt proved and why it failed stay. */
export function reopenMail(session: SqliteSession, id: string): ReopenOutcome {
  const closed = "'failed', 'unknown'";
  const row = session.first<MailRow>('SELECT changelist_id, review_version FROM notify_outbox WHERE id = ?', id);
  if (row !== undefined && isSuperseded(session, row))
    return moveMail(session, id, [closed, "status = 'cancelled',"], ['superseded', 'not-closed']);
  const due = "status = 'pending', attempts = 0, next_attempt_at = ?,";
  return moveMail(session, id, [closed, due, session.nowMs], ['reopened', 'not-closed']);
}

/** Keeps a pending mail from being delivered. */
export function holdMail(session: SqliteSession, id: string): 'held' | 'not-pending' | 'not-found' {
  return moveMail(session, id, ["'pending'", "status = 'held',"], ['held', 'not-pending']);
}

/** Lets a held mail go. */
export function releaseMail(session: SqliteSession, id: string): 'released' | 'not-held' | 'not-found' {
  const due = "status = 'pending', next_attempt_at = ?,";
  return moveMail(session, id, ["'held'", due, session.nowMs], ['released', 'not-held']);
}

/** Takes a mail that nobody could look up for sent (ruling R23). */
export function confirmMail(
  session: SqliteSession,
  id: string,
  notificationId: string,
): 'confirmed' | 'not-unknown' | 'not-found' {
  const { nowMs } = session;
  const sent = "status = 'sent', notification_id = ?, notified_at = ?, verified_at = ?,";
  return moveMail(session, id, ["'unknown'", sent, notificationId, nowMs, nowMs], ['confirmed', 'not-unknown']);
}
