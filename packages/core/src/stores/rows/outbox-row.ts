import type { DeliveryFailure, OutboxRow, OutboxStatus, SendPhase } from '../notify-outbox.js';
import { type Instant, isTrue, parsed, type Truth, toDate, toDateOrNull } from './row-values.js';

/** A row of `notify_outbox`, JSON as text. */
export interface MailRow {
  id: string;
  changelist_id: string;
  review_version: number;
  recipient: string;
  recipient_key: string;
  key: string;
  required: Truth;
  via: string;
  job_id: string | null;
  message_artifact_id: string;
  message_sha256: string;
  traceparent: string | null;
  status: OutboxStatus;
  attempts: number;
  phase: SendPhase;
  data_at: Instant | null;
  notification_id: string | null;
  notified_at: Instant | null;
  provider: string | null;
  provider_key_expires_at: Instant | null;
  possible_duplicate: Truth;
  last_failure: string | null;
  waiting_for: string | null;
  next_attempt_at: Instant;
  verified_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
}

/** Reads a mail from its row. */
export function toOutboxRow(row: MailRow): OutboxRow {
  return {
    id: row.id,
    changelistId: row.changelist_id,
    reviewVersion: row.review_version,
    recipient: row.recipient,
    recipientKey: row.recipient_key,
    key: row.key,
    required: isTrue(row.required),
    via: row.via,
    jobId: row.job_id,
    messageArtifactId: row.message_artifact_id,
    messageSha256: row.message_sha256,
    traceparent: row.traceparent,
    status: row.status,
    attempts: row.attempts,
    phase: row.phase,
    dataAt: toDateOrNull(row.data_at),
    notificationId: row.notification_id,
    notifiedAt: toDateOrNull(row.notified_at),
    provider: row.provider,
    providerKeyExpiresAt: toDateOrNull(row.provider_key_expires_at),
    possibleDuplicate: isTrue(row.possible_duplicate),
    lastFailure: parsed<DeliveryFailure>(row.last_failure),
    waitingFor: row.waiting_for,
    nextAttemptAt: toDate(row.next_attempt_at),
    verifiedAt: toDateOrNull(row.verified_at),
    createdAt: toDate(row.created_at),
    updatedAt: toDate(row.updated_at),
  };
}
