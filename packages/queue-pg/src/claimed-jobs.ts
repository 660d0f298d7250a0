import type { Failure, Job } from '@criticizer/core';
import { firstClaimedJob, type JobLists } from '@criticizer/core/store-authors';
import { instant, toReplayOf } from './job-row.js';

/** The jobs of one claim as `claim_jobs` gives them. */
interface ClaimedLists extends JobLists {
  /** Null for a job on its first claim, without a change, that was due when it came. */
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
  return lists.more.map((more, n) => {
    const job = firstClaimedJob(lists, n, now_at, owner, expires_at);
    return more === null ? job : withMore(job, more);
  });
}
