import type { DeliveryFailure, NewOutboxRow, OutboxRow, OutboxStatus, SendPhase } from '@criticizer/core/ports';
import { instant, type JobRow, parsed } from './job-row.js';
import { storeInvariant } from './sqlite-errors.js';
import type { SqliteSession } from './sqlite-session.js';

/** A row of `notify_outbox`. */
export interface MailRow {
  id: string;
  changelist_id: string;
  review_version: number;
  recipient: string;
  recipient_key: string;
  key: string;
  required: number;
  job_id: string | null;
  message_artifact_id: string;
  message_sha256: string;
  status: OutboxStatus;
  attempts: number;
  phase: SendPhase;
  data_at: number | null;
  data_token: string | null;
  notification_id: string | null;
  notified_at: number | null;
  provider: string | null;
  provider_key_expires_at: number | null;
  possible_duplicate: number;
  last_failure: string | null;
  waiting_for: string | null;
  next_attempt_at: number;
  verified_at: number | null;
  reconciled_at: number | null;
  created_at: number;
  updated_at: number;
  claimed_by: string | null;
  claim_token: string | null;
  lease_expires_at: number | null;
}

export function toOutboxRow(row: MailRow): OutboxRow {
  return {
    id: row.id,
    changelistId: row.changelist_id,
    reviewVersion: row.review_version,
    recipient: row.recipient,
    recipientKey: row.recipient_key,
    key: row.key,
    required: row.required === 1,
    jobId: row.job_id,
    messageArtifactId: row.message_artifact_id,
    messageSha256: row.message_sha256,
    status: row.status,
    attempts: row.attempts,
    phase: row.phase,
    dataAt: instant(row.data_at),
    notificationId: row.notification_id,
    notifiedAt: instant(row.notified_at),
    provider: row.provider,
    providerKeyExpiresAt: instant(row.provider_key_expires_at),
    possibleDuplicate: row.possible_duplicate === 1,
    lastFailure: parsed<DeliveryFailure>(row.last_failure),
    nextAttemptAt: new Date(row.next_attempt_at),
    verifiedAt: instant(row.verified_at),
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

/** Adds a row; one that exists by its key stays as it is and is given instead (NOT-3). */
export function addOutboxRow(
  session: SqliteSession,
  mail: NewOutboxRow,
  rowId: (nowMs: number) => string,
): { outcome: 'added' | 'existing'; row: OutboxRow } {
  const { nowMs } = session;
  const added = session.run(
    `INSERT INTO notify_outbox (id, changelist_id, review_version, recipient, recipient_key, key, required, job_id, message_artifact_id,
      message_sha256, status, attempts, phase, possible_duplicate, next_attempt_at, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0, 'none', 0, ?, ?, ?)
      ON CONFLICT (changelist_id, review_version, recipient_key) DO NOTHING`,
    rowId(nowMs),
    mail.changelistId,
    mail.reviewVersion,
    mail.recipient,
    mail.recipientKey,
    mail.key,
    mail.required ? 1 : 0,
    mail.jobId,
    mail.messageArtifactId,
    mail.messageSha256,
    nowMs,
    nowMs,
    nowMs,
  );
  const row = session.first<MailRow>(
    'SELECT * FROM notify_outbox WHERE changelist_id = ? AND review_version = ? AND recipient_key = ?',
    mail.changelistId,
    mail.reviewVersion,
    mail.recipientKey,
  );
  if (row === undefined) throw storeInvariant('notify_outbox lost a row inside its transaction');
  return { outcome: added === 1 ? 'added' : 'existing', row: toOutboxRow(row) };
}

/**
 * True while a required mail of the job's change and version, or of the job where it has none, was
 * not delivered (NOT-10).
 */
export function lacksNotification(session: SqliteSession, job: JobRow): boolean {
  const versioned = job.changelist_id !== null && job.review_version !== null;
  const found = versioned
    ? session.first(
        'SELECT 1 FROM notify_outbox WHERE changelist_id = ? AND review_version = ? AND required = 1 AND notified_at IS NULL LIMIT 1',
        job.changelist_id,
        job.review_version,
      )
    : session.first(
        'SELECT 1 FROM notify_outbox WHERE job_id = ? AND required = 1 AND notified_at IS NULL LIMIT 1',
        job.id,
      );
  return found !== undefined;
}
