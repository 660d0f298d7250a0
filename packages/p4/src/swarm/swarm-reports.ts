import { createHash } from 'node:crypto';
import {
  checkBoolean,
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
import { buildChangelistId, type JobStore, type JsonObject, type NewJob, systemClock } from '@criticizer/core/ports';
import type { JobKind, Stage, StageOutcome } from '@criticizer/core/queue';
import { z } from 'zod';
import { maxChangeNumber } from '../policy/server-scope.js';
import { describeReviewEnd, type ReviewEnd, reviewEnd } from './review-end.js';
import {
  createSwarmServer,
  type PostedReview,
  type SwarmServer,
  type SwarmServerOptions,
  swarmServerShape,
} from './swarm-server.js';

/** Where jobs are looked up, and the server that gets the results of their reviews. */
export interface SwarmReportsOptions<Tx> extends SwarmServerOptions {
  /** Of the stores the Criticizer works on. */
  jobs: Pick<JobStore<Tx>, 'get' | 'enqueue'>;
  /** The Perforce server whose changes are reviewed there: names a change without a job in the egress record. */
  serverId: string;
  /**
   * Where a test run's status leads: a URL in which `{change}` and `{job}` may stand, `{change}` at
   * least; `{job}` is empty where none was stored. Default: nowhere.
   */
  link?: string | undefined;
  /**
   * True: a critical or high finding fails the test run, so a workflow can block on it. Default
   * false: every test run passes, with a message that says that it is advice.
   */
  isBlocking?: boolean | undefined;
  /**
   * Decides instead whether the test run passes. An outage that must not block anybody passes
   * `pending` and `failed`.
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
/** A review that has not ended by then is reported as pending; its end is posted when it comes. */
const pendingAfterMs = 15 * 60_000;
/** An output of a report job: what was posted before the review's end. */
const pendingOutput = 'swarm.pending';
const adviceMessage = 'Advice only: this test never blocks a submit';

const optionShape: OptionShape<SwarmReportsOptions<unknown>> = {
  ...swarmServerShape,
  jobs: withMethods('get', 'enqueue'),
  serverId: checkName,
  link: checkedElsewhere,
  isBlocking: optional(checkBoolean),
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
 * posted. Every post passes the gate: while the kill switch is on a report waits and spends no
 * attempt (EGR-4). One for each Criticizer. Throws TypeErrors here that name the option.
 */
export function createSwarmReports<Tx>(options: SwarmReportsOptions<Tx>): SwarmReports {
  checkOptions('createSwarmReports', options, optionShape);
  const { jobs, serverId, isBlocking = false, clock = systemClock } = options;
  const isAdvice = options.passes === undefined && !isBlocking;
  const passes = options.passes ?? (isBlocking ? hasNoGraveFinding : () => true);
  const server = createSwarmServer(options);
  const link =
    options.link === undefined
      ? undefined
      : createUrlTemplate('link', options.link, { names: ['change', 'job'], required: 'change' });

  async function readReview({ change, jobId, reason }: ReportPayload): Promise<ReadReview> {
    const nameless = { changelistId: buildChangelistId({ serverId, number: change }), reviewVersion: 1, jobId };
    if (jobId === null) return { end: { kind: 'skipped', reason: reason ?? 'not-found' }, about: nameless };
    const [job] = await jobs.get([jobId]);
    const { changelistId, reviewVersion } = job ?? nameless;
    const known = { changelistId: changelistId ?? nameless.changelistId, reviewVersion: reviewVersion ?? 1, jobId };
    return { end: reviewEnd(job ?? null), about: known };
  }

  async function post({ updateUrl, change, jobId }: ReportPayload, { end, about }: EndedReview, signal: AbortSignal) {
    const status = passes(end) ? ('pass' as const) : ('fail' as const);
    const messages = [...describeReviewEnd(end), ...(isAdvice ? [adviceMessage] : [])];
    const url = link?.({ change, job: jobId ?? '' });
    await server.postUpdate(updateUrl, { status, messages, url }, about, signal);
    return status;
  }

  return {
    server,
    kind: {
      kind: kindName,
      payload: payloadSchema,
      deleteCompleted: true,
      sendsTo: [server.destination],
      stages: [createReportStage({ readReview, post, nowMs: () => clock.nowMs() })],
    },
    async request(updateUrl, review) {
      checkReported(review);
      const url = server.checkUpdateUrl(updateUrl);
      const [result] = await jobs.enqueue([buildReportJob(url, review)]);
      return result?.outcome === 'enqueued' ? 'stored' : 'known';
    },
  };
}

/** A review as a report finds it; `end` is null while it is under way. */
interface ReadReview {
  end: ReviewEnd | null;
  about: PostedReview;
}

type EndedReview = ReadReview & { end: ReviewEnd };

interface ReportStageParts {
  readReview(payload: ReportPayload): Promise<ReadReview>;
  post(payload: ReportPayload, review: EndedReview, signal: AbortSignal): Promise<'pass' | 'fail'>;
  nowMs(): number;
}

/** Waits for the review's end and posts it; before that, once, that it is late. */
function createReportStage({ readReview, post, nowMs }: ReportStageParts): Stage<ReportPayload> {
  return {
    name: stageName,
    async run({ job, payload, signal, report, outputs, checkpoint }) {
      const { end, about } = await readReview(payload);
      if (end === null) {
        const ageMs = nowMs() - job.createdAt.getTime();
        if (ageMs >= pendingAfterMs && outputs()[pendingOutput] === undefined) {
          await post(payload, { end: { kind: 'pending' }, about }, signal);
          await checkpoint({ outputs: { [pendingOutput]: 'posted' } });
        }
        return waitForEnd(ageMs);
      }
      const status = await post(payload, { end, about }, signal);
      report({ status });
      return { kind: 'done', result: { status } };
    },
  };
}

/** A review that failed or has not ended found nothing to block on: an outage blocks nobody. */
function hasNoGraveFinding(end: ReviewEnd): boolean {
  return end.kind !== 'reviewed' || end.findings.critical + end.findings.high === 0;
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
