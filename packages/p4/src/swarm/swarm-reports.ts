import { createHash } from 'node:crypto';
import {
  checkedElsewhere,
  checkFields,
  checkFunction,
  checkName,
  checkOptions,
  createUrlTemplate,
  type OptionShape,
  optional,
  withMethods,
} from '@criticizer/core/internal';
import { type JobStore, type JsonObject, type NewJob, systemClock } from '@criticizer/core/ports';
import type { JobKind, StageOutcome } from '@criticizer/core/queue';
import { z } from 'zod';
import { maxChangeNumber } from '../policy/server-scope.js';
import { describeReviewEnd, type ReviewEnd, reviewEnd } from './review-end.js';
import { createSwarmServer, type SwarmServer, type SwarmServerOptions, swarmServerShape } from './swarm-server.js';

/** Where jobs are looked up, and the server that gets the results of their reviews. */
export interface SwarmReportsOptions<Tx> extends SwarmServerOptions {
  /** Of the stores the Criticizer works on. */
  jobs: Pick<JobStore<Tx>, 'get' | 'enqueue'>;
  /**
   * Where a test run's status leads: a URL in which `{change}` and `{job}` may stand, `{change}` at
   * least; `{job}` is empty where none was stored. Default: nowhere.
   */
  link?: string | undefined;
  /**
   * Whether the test run passes. Default: unless there is a critical or high finding, or the review
   * failed. The messages say what was not reviewed.
   */
  passes?: ((end: ReviewEnd) => boolean) | undefined;
}

/** What a report job waits for: a stored review, or nothing, where it is known already why there is none. */
export type ReportedReview = { change: number } & ({ jobId: string } | { reason: string });

/** Reports the ends of reviews to P4 Code Review. */
export interface SwarmReports {
  readonly server: SwarmServer;
  /** To be given to `createCriticizer({ kinds: [reports.kind] })`, in every process that shall report. */
  readonly kind: JobKind<ReportPayload>;
  /**
   * Stores that this URL is to be told of the review's end; once for each URL. Throws
   * `SWARM_UPDATE_REFUSED` for one that is not the server's.
   */
  request(updateUrl: string, review: ReportedReview): Promise<'stored' | 'known'>;
}

const payloadSchema = z.strictObject({
  updateUrl: z.string(),
  change: z.int().min(1).max(maxChangeNumber),
  jobId: z.string().nullable(),
  reason: z.string().nullable(),
});
/** The payload of a report job. `updateUrl` lets whoever reads it set the status of that one test run. */
export type ReportPayload = z.infer<typeof payloadSchema>;

const kindName = 'swarm-report';
const stageName = 'report';
const longestWaitMs = 60_000;
const shortestWaitMs = 500;

const optionShape: OptionShape<SwarmReportsOptions<unknown>> = {
  ...swarmServerShape,
  jobs: withMethods('get', 'enqueue'),
  link: checkedElsewhere,
  passes: optional(checkFunction),
};

/** A review with a job, or the reason why there is none. */
function checkReported(review: ReportedReview): void {
  const hasJob = typeof review === 'object' && review !== null && 'jobId' in review;
  if (hasJob)
    checkFields<Extract<ReportedReview, { jobId: string }>>('request: review', review, {
      change: checkedElsewhere,
      jobId: checkName,
    });
  else
    checkFields<Exclude<ReportedReview, { jobId: string }>>('request: review', review, {
      change: checkedElsewhere,
      reason: checkName,
    });
}

/**
 * Jobs of their own that wait for reviews to end and post the result to the test run's update URL
 * (P4 Code Review, Swarm). A report is stored before the call of the test is answered, survives
 * every crash, is tried again like other stages and ends as a dead letter where the server refuses
 * it. It is posted at least once; a test run's status is a state, so twice is as good as once. Sent
 * are the status, counts, and the link. The row, and with it the URL, is deleted once it was
 * posted. One for each Criticizer. Throws TypeErrors here that name the option.
 */
export function createSwarmReports<Tx>(options: SwarmReportsOptions<Tx>): SwarmReports {
  checkOptions('createSwarmReports', options, optionShape);
  const { jobs, passes = passesByDefault, clock = systemClock } = options;
  const server = createSwarmServer(options);
  const link =
    options.link === undefined
      ? undefined
      : createUrlTemplate('link', options.link, { names: ['change', 'job'], required: 'change' });

  async function endOf({ jobId, reason }: ReportPayload): Promise<ReviewEnd | null> {
    if (jobId === null) return { kind: 'skipped', reason: reason ?? 'not-found' };
    const [job] = await jobs.get([jobId]);
    return reviewEnd(job ?? null);
  }

  return {
    server,
    kind: {
      kind: kindName,
      payload: payloadSchema,
      deleteCompleted: true,
      stages: [
        {
          name: stageName,
          async run({ job, payload, signal, report }) {
            const end = await endOf(payload);
            if (end === null) return waitForEnd(clock.nowMs() - job.createdAt.getTime());
            const status = passes(end) ? 'pass' : 'fail';
            const url = link?.({ change: payload.change, job: payload.jobId ?? '' });
            await server.postUpdate(payload.updateUrl, { status, messages: describeReviewEnd(end), url }, signal);
            report({ status });
            return { kind: 'done', result: { status } };
          },
        },
      ],
    },
    async request(updateUrl, review) {
      checkReported(review);
      const url = server.checkUpdateUrl(updateUrl);
      const [result] = await jobs.enqueue([buildReportJob(url, review)]);
      return result?.outcome === 'enqueued' ? 'stored' : 'known';
    },
  };
}

function passesByDefault(end: ReviewEnd): boolean {
  return end.kind === 'reviewed' ? end.findings.critical + end.findings.high === 0 : end.kind === 'skipped';
}

/** The wait for a review that has not ended: a quarter of its age, so an old one is read less often. */
function waitForEnd(waitedMs: number): StageOutcome {
  return { kind: 'wait', delayMs: Math.min(longestWaitMs, Math.max(shortestWaitMs, waitedMs / 4)), reason: 'review' };
}

function buildReportJob(updateUrl: string, review: ReportedReview): NewJob {
  const awaited = 'jobId' in review ? { jobId: review.jobId, reason: null } : { jobId: null, reason: review.reason };
  const payload: ReportPayload & JsonObject = { updateUrl, change: review.change, ...awaited };
  // The URL is a key to the test run: its digest stands where keys are shown.
  const idempotencyKey = `${kindName}:${createHash('sha256').update(updateUrl).digest('hex')}`;
  return { kind: kindName, stage: stageName, payload, idempotencyKey };
}
