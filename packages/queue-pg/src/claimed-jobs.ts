import type { Failure, Job, JsonValue } from '@criticizer/core';
import { instant, toReplayOf } from './job-row.js';

/** The jobs of one claim as `claim_jobs` gives them: a list for each column. What is the same for all of them is not among these. */
interface ClaimedLists {
  id: string[];
  kind: string[];
  payload: JsonValue[];
  stage: string[];
  priority: number[];
  createdAt: number[];
  idempotencyKey: string[];
  /** Null for a job on its first move, without a change, that was due when it came. */
  more: (MoreOfJob | null)[];
}

interface MoreOfJob {
  runAt: number;
  updatedAt: number;
  attempts: Record<string, number>;
  lostLeases: number;
  outputs: Record<string, string>;
  transitionNo: number;
  changelistId: string | null;
  reviewVersion: number | null;
  firstFailureAt: number | null;
  lastFailureAt: number | null;
  lastFailure: Failure | null;
  replayOf: string | null;
  replayOfClass: string | null;
}

function withMore(job: Job, { replayOf, replayOfClass, ...more }: MoreOfJob): Job {
  return {
    ...job,
    ...more,
    runAt: new Date(more.runAt),
    updatedAt: new Date(more.updatedAt),
    firstFailureAt: instant(more.firstFailureAt),
    lastFailureAt: instant(more.lastFailureAt),
    replayOf: toReplayOf(replayOf, replayOfClass),
  };
}

/** The jobs of a claim by `owner`, as the port shows them. */
export function claimedJobs(text: string, { now_at, expires_at }: { now_at: number; expires_at: number }, owner: string): Job[] {
  const lists = JSON.parse(text) as ClaimedLists;
  return lists.id.map((id, n) => {
    const stage = lists.stage[n] as string;
    const createdAt = lists.createdAt[n] as number;
    const job: Job = {
      id,
      kind: lists.kind[n] as string,
      payload: lists.payload[n] as JsonValue,
      status: 'running',
      stage,
      priority: lists.priority[n] as number,
      runAt: new Date(createdAt),
      createdAt: new Date(createdAt),
      updatedAt: new Date(now_at),
      startedAt: new Date(now_at),
      finishedAt: null,
      idempotencyKey: lists.idempotencyKey[n] as string,
      changelistId: null,
      reviewVersion: null,
      claimedBy: owner,
      leaseExpiresAt: new Date(expires_at),
      attempts: { [stage]: 1 },
      lostLeases: 0,
      outputs: {},
      transitionNo: 2,
      firstFailureAt: null,
      lastFailureAt: null,
      lastFailure: null,
      waitingFor: null,
      result: null,
      replayOf: null,
    };
    const more = lists.more[n] ?? null;
    return more === null ? job : withMore(job, more);
  });
}
