// The demo: one Perforce change reviewed end to end on this machine. See --help.
import { setTimeout as delay } from 'node:timers/promises';
import type { ReviewStatus } from '@criticizer/core';
import { type DemoArguments, help, readDemoArguments } from './demo-arguments.js';
import { type CleanUp, withCleanUp } from './demo-clean-up.js';
import { openDryRunFolder, writeDryRun } from './demo-dry-run.js';
import { complaintOf, createTroubleWatch } from './demo-failure.js';
import { forgetRuns, openDemoFolder } from './demo-folder.js';
import { watchSignals } from './demo-interruption.js';
import { isRunning, liveDemos, takeDemoLease } from './demo-lease.js';
import { createProgress } from './demo-progress.js';
import { checkQueue } from './demo-queue-check.js';
import { type DemoState, openDemoState } from './demo-state.js';
import { failureText, summaryText } from './demo-summary.js';
import { findOrStartMailServer, stopMailServer } from './mail-server-process.js';
import { startModelServer } from './model-server.js';
import { createReviewService, type ReviewService } from './review-service.js';
import { changeNumber, serverId } from './sample-change.js';

const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function dryRun(state: DemoState, out: string, cleanUp: CleanUp, signal: AbortSignal): Promise<number> {
  const simulator = state.startSimulator();
  cleanUp(() => simulator.dispose());
  // Addresses as in a real run; nothing listens there, and nothing is opened.
  const addresses = { modelOrigin: 'http://127.0.0.1:9', smtpPort: 9 };
  const service = await createReviewService({ directory: state.directory, p4: simulator, ...addresses });
  cleanUp(() => service.close());
  const run = await writeDryRun(service, out, signal);
  if (run.kind === 'skipped') print(`Change ${changeNumber} would not be reviewed: ${run.detail}`);
  else {
    for (const request of run.requests) {
      const redactions = Object.entries(request.redactions).map(([rule, count]) => `${count} ${rule}`);
      print(`Would send ${request.bytes} bytes to ${request.host} (${request.model}); withheld: ${redactions.join(', ')}`);
    }
    for (const { path, reason } of run.withheldPaths) print(`  not sent   ${path}: ${reason}`);
  }
  print(`Written to ${out}; no connection was opened.`);
  return 0;
}

const hasEnded = ({ job }: ReviewStatus): boolean => job.status === 'completed' || job.status === 'failed';

/** Calls `look` until the job has ended, one way or the other. */
async function ended({ criticizer }: ReviewService, jobId: string, look: (status: ReviewStatus) => void, signal: AbortSignal) {
  for (;;) {
    const status = await criticizer.status(jobId);
    if (status !== null && hasEnded(status)) return status;
    if (status !== null) look(status);
    await delay(100, undefined, { signal });
  }
}

/** What came of it, and what to exit with. */
async function report({ criticizer }: ReviewService, directory: string, { job, mails }: ReviewStatus): Promise<[string, number]> {
  const review = await criticizer.review(job.id);
  const texts = [...(review === null ? [] : [await summaryText(directory, review, mails)])];
  if (job.status === 'failed') texts.push(failureText(job));
  return [texts.join('\n\n'), job.status === 'completed' ? 0 : 1];
}

/** A review of this change and version that has ended before. */
async function reportEarlier(service: ReviewService, directory: string, status: ReviewStatus): Promise<number> {
  const [text, exitCode] = await report(service, directory, status);
  const { changelistId, reviewVersion } = status.job;
  const came = exitCode === 0 ? 'was reviewed before' : 'failed before';
  print(`Change ${changelistId}, version ${reviewVersion}, ${came}: nothing was sent.\n\n${text}`);
  print(`\nReview it again with: npm run demo -- --review-version ${(reviewVersion ?? 0) + 1}   (or --fresh to forget everything)`);
  return exitCode;
}

/** What a review that was begun and not ended waits for. */
function goingOn({ job }: ReviewStatus, directory: string): string {
  if (liveDemos(directory).length > 0) return 'Another demo works on this review; waiting for how it ends.';
  const when = job.status === 'running' ? ' as soon as its lease has run out' : '';
  return `An earlier run was interrupted; going on from where it stopped${when}.`;
}

async function review(state: DemoState, reviewVersion: number, cleanUp: CleanUp, signal: AbortSignal): Promise<number> {
  const { directory } = state;
  const model = await startModelServer();
  cleanUp(() => model.close());
  const mail = await findOrStartMailServer(directory, { signal });
  const simulator = state.startSimulator();
  cleanUp(() => simulator.dispose());
  const [progress, trouble] = [createProgress(process.stdout), createTroubleWatch()];
  const service = await createReviewService({
    directory,
    p4: simulator,
    modelOrigin: model.origin,
    smtpPort: mail.port,
    onEvent: progress.onEvent,
    logger: trouble.logger,
  });
  cleanUp(() => service.close(signal.aborted ? { graceMs: 1_000 } : {}));
  await checkQueue(service.stores, directory);
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
    progress.look(
      status,
      isRunning(mail.pid, mail.start) ? '' : '; the mail server is gone: Ctrl-C, and the same command starts a new one',
    );
  };
  const [text, exitCode] = await report(service, directory, await ended(service, job.id, look, signal));
  print(`\n${text}`);
  return exitCode;
}

async function run(args: DemoArguments, signal: AbortSignal): Promise<number> {
  if (args.dryRunTo !== null) openDryRunFolder(args.dryRunTo);
  const directory = openDemoFolder(args.state, args.fresh);
  return withCleanUp(async (cleanUp) => {
    if (args.dryRunTo === null) cleanUp(() => stopMailServer(directory));
    cleanUp(takeDemoLease(directory));
    if (args.fresh) forgetRuns(directory);
    const state = await openDemoState(directory);
    return args.dryRunTo === null ? review(state, args.reviewVersion, cleanUp, signal) : dryRun(state, args.dryRunTo, cleanUp, signal);
  });
}

async function main(): Promise<number> {
  const interruption = watchSignals();
  try {
    const args = readDemoArguments(process.argv.slice(2), process.env);
    if (args !== null) return await run(args, interruption.signal);
    print(help);
    return 0;
  } catch (error) {
    const exitCode = interruption.exitCode();
    const line = exitCode === null ? complaintOf(error) : 'Stopped; the same command goes on from where it was.';
    if (line === null) throw error;
    process.stderr.write(`${line}\n`);
    return exitCode ?? 2;
  }
}

// Whoever reads our output may stop reading, `| head` for one: that is no failure of the review.
process.stdout.on('error', () => undefined);
process.exitCode = await main();
