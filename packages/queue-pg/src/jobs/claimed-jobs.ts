import { firstClaimedJob, type JobLists, toDateOrNull, toReplayOf } from '@criticizer/core/internal';
import type { Failure, Job } from '@criticizer/core/ports';

/** The jobs of one claim as `claim_jobs` gives them. */
interface ClaimedLists extends JobLists {
  /** Null for a job on its first claim, without change and traceparent, that was due when it came. */
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
  traceparent: string | null;
}

function withMore(job: Job, { replayOf, replayOfClass, ...more }: MoreOfJob): Job {
  return {
    ...job,
    ...more,
    runAt: new Date(more.runAt),
    updatedAt: new Date(more.updatedAt),
    firstFailureAt: toDateOrNull(more.firstFailureAt),
    lastFailureAt: toDateOrNull(more.lastFailureAt),
    replayOf: toReplayOf(replayOf, replayOfClass),
  };
}

/** The jobs of a claim by `owner`, as the port shows them. */
export function claimedJobs(
  text: string,
  { nowMs, expiresMs }: { nowMs: number; expiresMs: number },
  owner: string,
): Job[] {
  const lists = JSON.parse(text) as ClaimedLists;
  return lists.more.map((more, n) => {
    const job = firstClaimedJob(lists, n, nowMs, owner, expiresMs);
    return more === null ? job : withMore(job, more);
  });
}
