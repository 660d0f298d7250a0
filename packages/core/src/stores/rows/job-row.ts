import type { JsonObject, JsonValue } from '../../foundation/json.js';
import type { Failure, Job, JobStatus } from '../job.js';
import { type Instant, parsed, parsedMap, toDate, toDateOrNull } from './row-values.js';

/** A row of `work_queue`, JSON as text. */
export interface JobRow {
  id: string;
  kind: string;
  payload: string;
  status: JobStatus;
  stage: string;
  priority: number;
  run_at: Instant;
  created_at: Instant;
  updated_at: Instant;
  started_at: Instant | null;
  finished_at: Instant | null;
  idempotency_key: string;
  changelist_id: string | null;
  review_version: number | null;
  claimed_by: string | null;
  claim_token: string | null;
  lease_expires_at: Instant | null;
  attempts: string;
  lost_leases: number;
  outputs: string;
  transition_no: number;
  first_failure_at: Instant | null;
  last_failure_at: Instant | null;
  last_failure: string | null;
  waiting_for: string | null;
  cancel_reason: string | null;
  result: string | null;
  replay_of: string | null;
  replay_of_class: string | null;
  traceparent: string | null;
}

/** Reads from two columns which dead letter a job runs again for; null where it is none. */
export function toReplayOf(deadLetterId: string | null, errorClass: string | null): Job['replayOf'] {
  return deadLetterId === null ? null : { deadLetterId, errorClass: errorClass ?? '' };
}

/** The job as the port shows it. */
export function toJob(row: JobRow): Job {
  return {
    id: row.id,
    kind: row.kind,
    payload: JSON.parse(row.payload) as JsonValue,
    status: row.status,
    stage: row.stage,
    priority: row.priority,
    runAt: toDate(row.run_at),
    createdAt: toDate(row.created_at),
    updatedAt: toDate(row.updated_at),
    startedAt: toDateOrNull(row.started_at),
    finishedAt: toDateOrNull(row.finished_at),
    idempotencyKey: row.idempotency_key,
    changelistId: row.changelist_id,
    reviewVersion: row.review_version,
    claimedBy: row.claimed_by,
    leaseExpiresAt: toDateOrNull(row.lease_expires_at),
    attempts: parsedMap<number>(row.attempts),
    lostLeases: row.lost_leases,
    outputs: parsedMap<string>(row.outputs),
    transitionNo: row.transition_no,
    firstFailureAt: toDateOrNull(row.first_failure_at),
    lastFailureAt: toDateOrNull(row.last_failure_at),
    lastFailure: parsed<Failure>(row.last_failure),
    waitingFor: row.waiting_for,
    cancelReason: row.cancel_reason,
    result: parsed<JsonObject>(row.result),
    replayOf: toReplayOf(row.replay_of, row.replay_of_class),
    traceparent: row.traceparent,
  };
}
