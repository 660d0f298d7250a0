import type { Failure, Job, JsonValue } from '@criticizer/core';
import { instant, toReplayOf } from './job-row.js';

/** The jobs of one claim as `claim_jobs` gives them: a list for each column. What is the same for all of them is not among these. */
interface ClaimedLists {
  id: string[];
  kind: string[];
  payload: JsonValue[];
  stage: string[];
  priority: number[];
  runAt: number[];
  createdAt: number[];
  updatedAt: number[];
  idempotencyKey: string[];
  attempts: Record<string, number>[];
  lostLeases: number[];
  outputs: Record<string, string>[];
  transitionNo: number[];
  /** Null for a job without a change, that never failed and replays nothing. */
  more: (MoreOfJob | null)[];
}

interface MoreOfJob {
  changelistId: string | null;
  reviewVersion: number | null;
  firstFailureAt: number | null;
  lastFailureAt: number | null;
  lastFailure: Failure | null;
  replayOf: string | null;
  replayOfClass: string | null;
}

type Rarely = Pick<Job, keyof Omit<MoreOfJob, 'replayOfClass'>>;

function rarely(more: MoreOfJob): Rarely {
  const { changelistId, reviewVersion, firstFailureAt, lastFailureAt, lastFailure, replayOf, replayOfClass } = more;
  return {
    changelistId,
    reviewVersion,
    firstFailureAt: instant(firstFailureAt),
    lastFailureAt: instant(lastFailureAt),
    lastFailure,
    replayOf: toReplayOf(replayOf, replayOfClass),
  };
}

/** The jobs of a claim by `owner`, as the port shows them. */
export function claimedJobs(text: string, { now_at, expires_at }: { now_at: number; expires_at: number }, owner: string): Job[] {
  const lists = JSON.parse(text) as ClaimedLists;
  return lists.id.map((id, n) => {
    const job: Job = {
      id,
      kind: lists.kind[n] as string,
      payload: lists.payload[n] as JsonValue,
      status: 'running',
      stage: lists.stage[n] as string,
      priority: lists.priority[n] as number,
      runAt: new Date(lists.runAt[n] as number),
      createdAt: new Date(lists.createdAt[n] as number),
      updatedAt: new Date(lists.updatedAt[n] as number),
      startedAt: new Date(now_at),
      finishedAt: null,
      idempotencyKey: lists.idempotencyKey[n] as string,
      changelistId: null,
      reviewVersion: null,
      claimedBy: owner,
      leaseExpiresAt: new Date(expires_at),
      attempts: lists.attempts[n] as Job['attempts'],
      lostLeases: lists.lostLeases[n] as number,
      outputs: lists.outputs[n] as Job['outputs'],
      transitionNo: lists.transitionNo[n] as number,
      firstFailureAt: null,
      lastFailureAt: null,
      lastFailure: null,
      waitingFor: null,
      result: null,
      replayOf: null,
    };
    const more = lists.more[n] ?? null;
    return more === null ? job : Object.assign(job, rarely(more));
  });
}
