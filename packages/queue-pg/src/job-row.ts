import type { Failure, Job, JobStatus, JsonObject, JsonValue } from '@criticizer/core/ports';
import { type Instant, instantColumns, toDate, toDateOrNull } from './instants.js';
import { parsed } from './pg-session.js';

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
  result: string | null;
  replay_of: string | null;
  replay_of_class: string | null;
}

const instants = [
  'run_at',
  'created_at',
  'updated_at',
  'started_at',
  'finished_at',
  'lease_expires_at',
  'first_failure_at',
  'last_failure_at',
];

/** What to select for a `JobRow` from `work_queue` under the alias `w`. */
export const jobColumns = `w.id::text AS id, w.kind, w.payload::text AS payload, w.status, w.stage, w.priority, w.idempotency_key,
  w.changelist_id, w.review_version, w.claimed_by, w.claim_token, w.attempts::text AS attempts, w.lost_leases, w.outputs::text AS outputs,
  w.transition_no, ${instantColumns('w', instants)}, w.last_failure::text AS last_failure, w.waiting_for, w.result::text AS result, w.replay_of::text AS replay_of, w.replay_of_class`;

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
    attempts: JSON.parse(row.attempts) as Record<string, number>,
    lostLeases: row.lost_leases,
    outputs: JSON.parse(row.outputs) as Record<string, string>,
    transitionNo: row.transition_no,
    firstFailureAt: toDateOrNull(row.first_failure_at),
    lastFailureAt: toDateOrNull(row.last_failure_at),
    lastFailure: parsed<Failure>(row.last_failure),
    waitingFor: row.waiting_for,
    result: parsed<JsonObject>(row.result),
    replayOf: toReplayOf(row.replay_of, row.replay_of_class),
  };
}

/** A span in milliseconds from parameter `$n`, as an interval: durations cross the wire, instants do not. */
export function span(parameter: string): string {
  return `(${parameter} * interval '1 millisecond')`;
}

/** A span from the caller in whole milliseconds. */
export function wholeMs(ms: number): number {
  return Math.round(ms);
}
