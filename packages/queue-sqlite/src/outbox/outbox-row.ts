import { type JobRow, type MailRow as OutboxColumns, toOutboxRow } from '@criticizer/core/internal';
import type { NewOutboxRow, OutboxRow } from '@criticizer/core/ports';

import { storeInvariant } from '../shared/sqlite-errors.js';
import type { SqliteSession } from '../shared/sqlite-session.js';

/** A row of `notify_outbox`, with the columns that only SQLite selects. */
export interface MailRow extends OutboxColumns {
  required: 0 | 1;
  possible_duplicate: 0 | 1;
  data_at: number | null;
  notified_at: number | null;
  provider_key_expires_at: number | null;
  next_attempt_at: number;
  verified_at: number | null;
  updated_at: number;
  data_token: string | null;
  reconciled_at: number | null;
  claimed_by: string | null;
  claim_token: string | null;
  lease_expires_at: number | null;
}

/** Adds a row; one that exists by its key stays as it is and is given instead (NOT-3). */
export function addOutboxRow(
  session: SqliteSession,
  mail: NewOutboxRow,
  rowId: (nowMs: number) => string,
): { outcome: 'added' | 'existing'; row: OutboxRow } {
  const { nowMs } = session;
  const added = session.run(
    `INSERT INTO notify_outbox (id, changelist_id, review_version, recipient, recipient_key, key, required, via, job_id, message_artifact_id,
      message_sha256, traceparent, status, attempts, phase, possible_duplicate, next_attempt_at, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0, 'none', 0, ?, ?, ?)
      ON CONFLICT (changelist_id, review_version, recipient_key) DO NOTHING`,
    rowId(nowMs),
    mail.changelistId,
    mail.reviewVersion,
    mail.recipient,
    mail.recipientKey,
    mail.key,
    mail.required ? 1 : 0,
    mail.via,
    mail.jobId,
    mail.messageArtifactId,
    mail.messageSha256,
    mail.traceparent ?? null,
    Math.max(nowMs, mail.sendAt?.getTime() ?? nowMs),
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
