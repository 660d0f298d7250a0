import type { JsonValue } from '../../foundation/json.js';
import type { Job } from '../job.js';

/** Jobs as a store reads many at once, a list for each column; instants in milliseconds. */
export interface JobLists {
  id: string[];
  kind: string[];
  payload: JsonValue[];
  stage: string[];
  priority: number[];
  createdAt: number[];
  idempotencyKey: string[];
}

/**
 * The job at place `n` on its first claim: one that was due when it came, has no change and no
 * traceparent, and never moved. The same as `claimedJob` makes of an `enqueuedJob`, the instants
 * they share included, but in one literal: such jobs are claimed by the ten thousand a second.
 */
export function firstClaimedJob(lists: JobLists, n: number, nowMs: number, owner: string, leaseExpiresAt: number): Job {
  const stage = lists.stage[n] as string;
  const createdAt = new Date(lists.createdAt[n] as number);
  const now = new Date(nowMs);
  return {
    id: lists.id[n] as string,
    kind: lists.kind[n] as string,
    payload: lists.payload[n] as JsonValue,
    status: 'running',
    stage,
    priority: lists.priority[n] as number,
    runAt: createdAt,
    createdAt,
    updatedAt: now,
    startedAt: now,
    finishedAt: null,
    idempotencyKey: lists.idempotencyKey[n] as string,
    changelistId: null,
    reviewVersion: null,
    claimedBy: owner,
    leaseExpiresAt: new Date(leaseExpiresAt),
    attempts: { [stage]: 1 },
    lostLeases: 0,
    outputs: {},
    transitionNo: 2,
    firstFailureAt: null,
    lastFailureAt: null,
    lastFailure: null,
    waitingFor: null,
    cancelReason: null,
    result: null,
    replayOf: null,
    traceparent: null,
  };
}
