import { setTimeout as delay } from 'node:timers/promises';
import type { ReviewStatus } from '@criticizer/core';
import type { CleanUp } from './demo-clean-up.js';
import { createTroubleWatch } from './demo-failure.js';
import { isRunning, liveDemos } from './demo-lease.js';
import { createProgress } from './demo-progress.js';
import type { DemoQueue } from './demo-queue.js';
import type { DemoState } from './demo-state.js';
import { failureText, summaryText } from './demo-summary.js';
import { findOrStartMailServer } from './mail-server-process.js';
import { startModelServer } from './model-server.js';
import { createReviewService, type ReviewService } from './review-service.js';
import { changeNumber, serverId } from './sample-change.js';

export const print = (text: string): void => void process.stdout.write(`${text}\n`);

export const hasEnded = ({ job }: ReviewStatus): boolean => job.status === 'completed' || job.status === 'failed';

/** Calls `look` until the job has ended, one way or the other. */
export async function ended({ criticizer }: ReviewService, jobId: string, look: (status: ReviewStatus) => void, signal: AbortSignal) {
  for (;;) {
    const status = await criticizer.status(jobId);
    if (status !== null && hasEnded(status)) return status;
    if (status !== null) look(status);
    await delay(100, undefined, { signal });
  }
}

/** What came of it, and what to exit with. */
export async function report({ criticizer }: ReviewService, directory: string, { job, mails }: ReviewStatus): Promise<[string, number]> {
  const review = await criticizer.review(job.id);
  const texts = [...(review === null ? [] : [await summaryText(directory, review, mails)])];
  if (job.status === 'failed') texts.push(failureText(job));
  return [texts.join('\n\n'), job.status === 'completed' ? 0 : 1];
}

/** A review of this change and version that has ended before. */
export async function reportEarlier(service: ReviewService, directory: string, status: ReviewStatus): Promise<number> {
  const [text, exitCode] = await report(service, directory, status);
  const { changelistId, reviewVersion } = status.job;
  const came = exitCode === 0 ? 'was reviewed before' : 'failed before';
  print(`Change ${changelistId}, version ${reviewVersion}, ${came}: nothing was sent.\n\n${text}`);
  print(`\nReview it again with: npm run demo -- --review-version ${(reviewVersion ?? 0) + 1}   (or --fresh to forget everything)`);
  return exitCode;
}

/** What a review that was begun and not ended waits for. */
export function goingOn({ job }: ReviewStatus, directory: string): string {
  if (liveDemos(directory).length > 0) return 'Another demo works on this review; waiting for how it ends.';
  const when = job.status === 'running' ? ' as soon as its lease has run out' : '';
  return `An earlier run was interrupted; going on from where it stopped${when}.`;
}

export const mailServerGone = '; the mail server is gone: Ctrl-C, and the same command starts a new one';

/** The servers that a review talks to, on loopback. */
export async function startServers({ directory, startSimulator }: DemoState, cleanUp: CleanUp, signal: AbortSignal) {
  const model = await startModelServer();
  cleanUp(() => model.close());
  const mail = await findOrStartMailServer(directory, { signal });
  const simulator = startSimulator();
  cleanUp(() => simulator.dispose());
  const { executable, port } = simulator;
  return {
    addresses: { p4: { executable, port }, modelOrigin: model.origin, smtpPort: mail.port },
    mailHint: () => (isRunning(mail.pid, mail.start) ? '' : mailServerGone),
  };
}

/** The worker is this process. */
export async function review(state: DemoState, queue: DemoQueue, reviewVersion: number, cleanUp: CleanUp, signal: AbortSignal) {
  const { directory } = state;
  const { addresses, mailHint } = await startServers(state, cleanUp, signal);
  const [progress, trouble] = [createProgress(process.stdout), createTroubleWatch()];
  const observers = { onEvent: progress.onEvent, logger: trouble.logger };
  const service = await createReviewService({ directory, stores: queue.stores, ...addresses, ...observers });
  cleanUp(() => service.close(signal.aborted ? { graceMs: 1_000 } : {}));
  await queue.check();
  const { outcome, job } = await service.criticizer.submit({ serverId, number: changeNumber, reviewVersion });
  if (outcome === 'older-version') {
    print(`A newer version of this review exists already (${job.reviewVersion}); nothing was sent.`);
    return 0;
  }
  const earlier = outcome === 'enqueued' ? null : await service.criticizer.status(job.id);
  if (earlier !== null && hasEnded(earlier)) return reportEarlier(service, directory, earlier);
  if (earlier !== null) print(goingOn(earlier, directory));
  await service.criticizer.start();
  const look = (status: ReviewStatus): void => {
    trouble.check();
    progress.look(status, mailHint());
  };
  const [text, exitCode] = await report(service, directory, await ended(service, job.id, look, signal));
  print(`\n${text}`);
  return exitCode;
}
