import type { Failure, Job, JobStatus, JsonObject, JsonValue } from '@criticizer/core';
import { parsed } from './pg-session.js';

/** Milliseconds since the epoch: a number is read several times faster than a timestamp's text. */
type Time = number;

/** A row of `work_queue`, JSON as text. */
export interface JobRow {
  id: string;
  kind: string;
  payload: string;
  status: JobStatus;
  stage: string;
  priority: number;
  run_at: Time;
  created_at: Time;
  updated_at: Time;
  started_at: Time | null;
  finished_at: Time | null;
  idempotency_key: string;
  changelist_id: string | null;
  review_version: number | null;
  claimed_by: string | null;
  claim_token: string | null;
  lease_expires_at: Time | null;
  attempts: string;
  lost_leases: number;
  outputs: string;
  transition_no: number;
  first_failure_at: Time | null;
  last_failure_at: Time | null;
  last_failure: string | null;
  waiting_for: string | null;
  result: string | null;
  replay_of: string | null;
  replay_of_class: string | null;
}

/** An instant as a `JobRow` has it. */
export const epochMs = (instant: string): string => `round(date_part('epoch', ${instant}) * 1000)`;

const at = (column: string): string => `${epochMs(`w.${column}`)} AS ${column}`;

/** What to select for a `JobRow` from `work_queue` under the alias `w`. */
export const jobColumns = `w.id::text AS id, w.kind, w.payload::text AS payload, w.status, w.stage, w.priority, ${at('run_at')},
  ${at('created_at')}, ${at('updated_at')}, ${at('started_at')}, ${at('finished_at')}, w.idempotency_key, w.changelist_id, w.review_version,
  w.claimed_by, w.claim_token, ${at('lease_expires_at')}, w.attempts::text AS attempts, w.lost_leases, w.outputs::text AS outputs,
  w.transition_no, ${at('first_failure_at')}, ${at('last_failure_at')}, w.last_failure::text AS last_failure, w.waiting_for,
  w.result::text AS result, w.replay_of::text AS replay_of, w.replay_of_class`;

export const instant = (ms: Time | null): Date | null => (ms === null ? null : new Date(ms));

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
    attempts: JSON.parse(row.attempts) as Record<string, number>,
    lostLeases: row.lost_leases,
    outputs: JSON.parse(row.outputs) as Record<string, string>,
    transitionNo: row.transition_no,
    firstFailureAt: instant(row.first_failure_at),
    lastFailureAt: instant(row.last_failure_at),
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
