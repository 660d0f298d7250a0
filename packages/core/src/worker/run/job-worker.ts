import type { Job } from '../../stores/job.js';
import type { ClaimedJob } from '../../stores/job-store.js';
import { attemptsOf } from '../../stores/job-transitions.js';
import { createLeaseLoop, type LeaseLoop } from '../lease/lease-loop.js';
import type { RetryPolicy } from '../retry/retry-policy.js';
import type { JobRunnerOptions } from './job-run.js';
import { createJobRunner } from './job-runner.js';

export interface JobWorkerOptions extends JobRunnerOptions {
  /** Jobs at a time in this process. */
  concurrency: number;
  /** Jobs claimed beyond those. */
  prefetch: number;
  /** Sleep after an empty claim (WQ-11). */
  poll: { minMs: number; maxMs: number };
}

/**
 * True where one more lost worker would end the job as one that kills its workers (ruling R11). It
 * then runs alone: its neighbours cannot be accused with it, nor it with them.
 */
function isLastChance(job: Job, { maxLostLeases, maxAttemptsPerStage }: RetryPolicy): boolean {
  if (job.lostLeases === 0 || job.lostLeases >= maxLostLeases) return false;
  return job.lostLeases === maxLostLeases - 1 || attemptsOf(job, job.stage) === maxAttemptsPerStage;
}

/** Claims jobs of the registered kinds and runs their stages: the lease loop over the job store. */
export function createJobWorker(options: JobWorkerOptions): LeaseLoop {
  const { jobs, leaseMs } = options;
  const kinds = options.kinds.map((k) => k.kind);
  const run = createJobRunner(options);
  const subscribe = jobs.subscribe?.bind(jobs);
  return createLeaseLoop<ClaimedJob>({
    name: 'jobs',
    source: {
      claim: (request) => jobs.claim({ ...request, kinds }),
      heartbeat: (work, ms) =>
        jobs.heartbeat(
          work.map((w) => w.lease),
          ms,
        ),
      ...(subscribe === undefined ? {} : { subscribe }),
    },
    handle: run,
    runsAlone: ({ job }) => isLastChance(job, options.retry),
    concurrency: options.concurrency,
    prefetch: options.prefetch,
    leaseMs,
    poll: options.poll,
    clock: options.clock,
    random: options.random,
    logger: options.logger,
    telemetry: options.telemetry,
  });
}
