import { setTimeout as delay } from 'node:timers/promises';
import type { JobEvent, ReviewStatus } from '@criticizer/core';
import { type MailEndpoint, standInMail } from './mail/mail-endpoint.js';
import { findOrStartMailServer } from './mail/mail-server-process.js';
import { type ModelEndpoint, standInModel } from './model/model-endpoint.js';
import { startModelServer } from './model/model-server.js';
import type { DemoPerforce } from './perforce/demo-perforce.js';
import type { DemoQueue } from './queue/demo-queue.js';
import { egressLines, type NamedEndpoints } from './report/demo-egress.js';
import { createTroubleWatch } from './report/demo-failure.js';
import { createProgress, isOver, isUnderWay, type Progress } from './report/demo-progress.js';
import { failureText, skippedText, summaryText } from './report/demo-summary.js';
import { createReviewService, type ReviewService } from './review-service.js';
import type { CleanUp } from './state/demo-clean-up.js';
import { isRunning, liveDemos } from './state/demo-lease.js';

export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/**
 * The job, and every mail of it: a review ends when those who must have it do, and the others'
 * mails may still wait for their next attempt.
 */
export const hasEnded = ({ job, mails }: ReviewStatus): boolean => isOver(job) && !mails.some(isUnderWay);

/** Calls `look` until the review has ended, one way or the other. */
export async function ended(
  { criticizer }: ReviewService,
  jobId: string,
  look: (status: ReviewStatus) => void,
  signal: AbortSignal,
) {
  for (;;) {
    const status = await criticizer.status(jobId);
    if (status !== null && hasEnded(status)) return status;
    if (status !== null) look(status);
    await delay(100, undefined, { signal });
  }
}

/** What came of it, and what to exit with. */
export async function report(
  { criticizer }: ReviewService,
  directory: string,
  { job, mails }: ReviewStatus,
): Promise<[string, number]> {
  const review = await criticizer.review(job.id);
  const texts = [...(review === null ? [] : [await summaryText(directory, review, mails)])];
  if (job.status === 'failed') texts.push(failureText(job));
  if (job.status === 'completed' && review === null) texts.push(skippedText(job));
  return [texts.join('\n\n'), job.status === 'completed' ? 0 : 1];
}

/** A review of this change and version that has ended before. */
export async function reportEarlier(
  service: ReviewService,
  directory: string,
  status: ReviewStatus,
  again: string | undefined,
): Promise<number> {
  const [text, exitCode] = await report(service, directory, status);
  const { changelistId, reviewVersion } = status.job;
  const came = exitCode === 0 ? 'was reviewed before' : 'failed before';
  print(`Change ${changelistId}, version ${reviewVersion}, ${came}: nothing was sent.\n\n${text}`);
  const next = `--review-version ${(reviewVersion ?? 0) + 1}   (or --fresh to forget everything)`;
  print(`\nReview it again with: npm run demo -- ${again ?? next}`);
  return exitCode;
}

/** What a review that was begun and not ended waits for. */
export function goingOn({ job }: ReviewStatus, directory: string): string {
  if (liveDemos(directory).length > 0) return 'Another demo works on this review; waiting for how it ends.';
  const when = job.status === 'running' ? ' as soon as its lease has run out' : '';
  return `An earlier run was interrupted; going on from where it stopped${when}.`;
}

export const mailServerGone = '; the mail server is gone: Ctrl-C, and the same command starts a new one';

async function startStandInModel(cleanUp: CleanUp): Promise<ModelEndpoint> {
  const server = await startModelServer();
  cleanUp(() => server.close());
  return standInModel(server.origin);
}

async function startStandInMail(
  directory: string,
  signal: AbortSignal,
): Promise<{ mail: MailEndpoint; mailHint: () => string }> {
  const { port, pid, start } = await findOrStartMailServer(directory, { signal });
  return { mail: standInMail(port), mailHint: () => (isRunning(pid, start) ? '' : mailServerGone) };
}

/**
 * What a review talks to: the endpoints that the settings name, and a stand-in on loopback for each
 * that they do not.
 */
export async function openEndpoints(directory: string, named: NamedEndpoints, cleanUp: CleanUp, signal: AbortSignal) {
  const model = named.model ?? (await startStandInModel(cleanUp));
  const { mail, mailHint } =
    named.mail === null ? await startStandInMail(directory, signal) : { mail: named.mail, mailHint: () => '' };
  return { endpoints: { model, mail }, mailHint };
}

/** What a demo reviews, and as which version. */
export interface DemoReviews {
  perforce: DemoPerforce;
  reviewVersion: number;
  endpoints: NamedEndpoints;
  /** Arguments that review it again; left out: those of one version more. */
  again?: string;
}

/** Submits the reviews. The exit code, when there is nothing to wait for: it has been said. */
export async function submitAll(
  service: ReviewService,
  directory: string,
  { perforce, reviewVersion, endpoints, again }: DemoReviews,
  signal: AbortSignal,
): Promise<ReviewStatus[] | number> {
  const statuses: ReviewStatus[] = [];
  const { serverId } = perforce.connection;
  for (const number of perforce.changes) {
    const { outcome, job } = await service.criticizer.submit({ serverId, number, reviewVersion });
    if (outcome === 'older-version') {
      print(`A newer version of this review exists already (${job.reviewVersion}); nothing was sent.`);
      return 0;
    }
    const status = await service.criticizer.status(job.id);
    if (status !== null) statuses.push(status);
    if (status !== null && outcome !== 'enqueued' && !hasEnded(status)) print(goingOn(status, directory));
  }
  if (!statuses.every(hasEnded)) {
    const open = statuses.flatMap((status, i) =>
      hasEnded(status) ? [] : [{ serverId, number: perforce.changes[i] ?? 0 }],
    );
    for (const line of await egressLines(service, endpoints, open, signal)) print(line);
    return statuses;
  }
  let exitCode = 0;
  for (const status of statuses) exitCode = Math.max(exitCode, await reportEarlier(service, directory, status, again));
  return exitCode;
}

/** Waits for all of them, then says what came of each. */
export async function reportAll(
  service: ReviewService,
  directory: string,
  submitted: readonly ReviewStatus[],
  look: (status: ReviewStatus) => void,
  signal: AbortSignal,
): Promise<{ ends: readonly ReviewStatus[]; exitCode: number }> {
  const ends = await Promise.all(submitted.map(({ job }) => ended(service, job.id, look, signal)));
  let exitCode = 0;
  for (const end of ends) {
    const [text, code] = await report(service, directory, end);
    print(`\n${text}`);
    exitCode = Math.max(exitCode, code);
  }
  return { ends, exitCode };
}

/** The worker is this process. */
export async function review(
  directory: string,
  queue: DemoQueue,
  reviews: DemoReviews,
  cleanUp: CleanUp,
  signal: AbortSignal,
) {
  const { endpoints, mailHint } = await openEndpoints(directory, reviews.endpoints, cleanUp, signal);
  const [progress, trouble] = [new Map<string, Progress>(), createTroubleWatch()];
  const onEvent = (event: JobEvent): void => progress.get(event.jobId)?.onEvent(event);
  const observers = { onEvent, logger: trouble.logger };
  const service = await createReviewService({
    directory,
    stores: queue.stores,
    p4: reviews.perforce.connection,
    ...endpoints,
    ...observers,
  });
  cleanUp(() => service.close(signal.aborted ? { graceMs: 1_000 } : {}));
  await queue.check();
  const submitted = await submitAll(service, directory, reviews, signal);
  if (typeof submitted === 'number') return submitted;
  for (const { job } of submitted)
    progress.set(
      job.id,
      createProgress(process.stdout, () => (submitted.length === 1 ? '' : `${job.changelistId}  `)),
    );
  await service.criticizer.start();
  const look = (status: ReviewStatus): void => {
    trouble.check();
    progress.get(status.job.id)?.look(status, mailHint());
  };
  return (await reportAll(service, directory, submitted, look, signal)).exitCode;
}
