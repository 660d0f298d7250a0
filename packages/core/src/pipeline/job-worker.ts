import type { ClaimedJob } from '../jobs/job-store.js';
import { createLeaseLoop, type LeaseLoop } from '../leasing/lease-loop.js';
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
