import type { Failure, Job, JobStatus, JsonObject, JsonValue } from '@criticizer/core/ports';
import type { SqliteSession } from './sqlite-session.js';

/** A row of `work_queue`. */
export interface JobRow {
  id: string;
  kind: string;
  payload: string;
  status: JobStatus;
  ready: number;
  stage: string;
  priority: number;
  run_at: number;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  finished_at: number | null;
  idempotency_key: string;
  changelist_id: string | null;
  review_version: number | null;
  claimed_by: string | null;
  claim_token: string | null;
  lease_expires_at: number | null;
  attempts: string;
  lost_leases: number;
  outputs: string;
  transition_no: number;
  first_failure_at: number | null;
  last_failure_at: number | null;
  last_failure: string | null;
  waiting_for: string | null;
  result: string | null;
  replay_of: string | null;
  replay_of_class: string | null;
}

/** An instant of a row; null stays null. */
export function instant(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

/** JSON text of a row that this store wrote; null stays null. */
export function parsed<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}

/** Most maps of most rows are empty. */
function parsedMap<T>(text: string): Record<string, T> {
  return text === '{}' ? {} : (JSON.parse(text) as Record<string, T>);
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
    runAt: new Date(row.run_at),
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    startedAt: instant(row.started_at),
    finishedAt: instant(row.finished_at),
    idempotencyKey: row.idempotency_key,
    changelistId: row.changelist_id,
    reviewVersion: row.review_version,
    claimedBy: row.claimed_by,
    leaseExpiresAt: instant(row.lease_expires_at),
    attempts: parsedMap<number>(row.attempts),
    lostLeases: row.lost_leases,
    outputs: parsedMap<string>(row.outputs),
    transitionNo: row.transition_no,
    firstFailureAt: instant(row.first_failure_at),
    lastFailureAt: instant(row.last_failure_at),
    lastFailure: parsed<Failure>(row.last_failure),
    waitingFor: row.waiting_for,
    result: parsed<JsonObject>(row.result),
    replayOf: row.replay_of === null ? null : { deadLetterId: row.replay_of, errorClass: row.replay_of_class ?? '' },
  };
}

export function findJob(session: SqliteSession, id: string): JobRow | undefined {
  return session.first<JobRow>('SELECT * FROM work_queue WHERE id = ?', id);
}

/** A span from the caller in whole milliseconds. */
export function wholeMs(ms: number): number {
  return Math.round(ms);
}
