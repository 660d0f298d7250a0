// The demo: one Perforce change reviewed end to end on this machine. See --help.
import { type DemoArguments, help, readDemoArguments, UsageError } from './demo-arguments.js';
import { writeDryRun } from './demo-dry-run.js';
import { createProgress } from './demo-progress.js';
import { type DemoState, openDemoState } from './demo-state.js';
import { summaryText } from './demo-summary.js';
import { findOrStartMailServer, stopMailServer } from './mail-server-process.js';
import { startModelServer } from './model-server.js';
import { createReviewService, type ReviewService } from './review-service.js';
import { changeNumber, serverId } from './sample-change.js';

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Resolves when the job has ended, one way or the other. */
async function ended({ criticizer }: ReviewService, jobId: string): Promise<'completed' | 'failed'> {
  for (;;) {
    const status = await criticizer.status(jobId);
    if (status?.job.status === 'completed' || status?.job.status === 'failed') return status.job.status;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function dryRun(state: DemoState, out: string): Promise<number> {
  const simulator = state.startSimulator();
  // Addresses as in a real run; nothing listens there, and nothing is opened.
  const service = createReviewService({ directory: state.directory, p4: simulator, modelOrigin: 'http://127.0.0.1:9', smtpPort: 9 });
  try {
    const run = await writeDryRun(service, out);
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
  } finally {
    await service.close();
    simulator.dispose();
  }
}

async function report(service: ReviewService, state: DemoState, jobId: string): Promise<void> {
  const [status, review] = [await service.criticizer.status(jobId), await service.criticizer.review(jobId)];
  if (review !== null) print(`\n${await summaryText(state.directory, review, status?.mails ?? [])}`);
  else if (status?.job.lastFailure) print(`\nThe review failed: ${status.job.lastFailure.code}`);
}

async function review(state: DemoState, reviewVersion: number): Promise<number> {
  const [model, mail] = await Promise.all([startModelServer(), findOrStartMailServer(state.directory)]);
  const simulator = state.startSimulator();
  const onEvent = createProgress(process.stdout);
  const service = createReviewService({
    directory: state.directory,
    p4: simulator,
    modelOrigin: model.origin,
    smtpPort: mail.port,
    onEvent,
  });
  try {
    const { outcome, job } = await service.criticizer.submit({ serverId, number: changeNumber, reviewVersion });
    if (outcome === 'older-version') {
      print(`A newer version of this review exists already (${job.reviewVersion}); nothing was sent.`);
      return 0;
    }
    if (outcome !== 'enqueued' && (job.status === 'completed' || job.status === 'failed')) {
      print(`Change ${job.changelistId}, version ${reviewVersion}, was reviewed before: nothing was sent.`);
      await report(service, state, job.id);
      print(`\nReview it again with: npm run demo -- --review-version ${reviewVersion + 1}   (or --fresh to forget everything)`);
      return job.status === 'completed' ? 0 : 1;
    }
    if (outcome !== 'enqueued') print('An earlier run was interrupted; going on from where it stopped as soon as its lease has run out.');
    await service.criticizer.start();
    const end = await ended(service, job.id);
    await report(service, state, job.id);
    return end === 'completed' ? 0 : 1;
  } finally {
    await service.close();
    await model.close();
    simulator.dispose();
    stopMailServer(state.directory);
  }
}

async function main(): Promise<number> {
  let args: DemoArguments | null;
  try {
    args = readDemoArguments(process.argv.slice(2), process.env);
    if (args === null) {
      print(help);
      return 0;
    }
    const state = openDemoState(args.state, args.fresh);
    return args.dryRunTo === null ? await review(state, args.reviewVersion) : await dryRun(state, args.dryRunTo);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
}

// Whoever reads our output may stop reading, `| head` for one: that is no failure of the review.
process.stdout.on('error', () => undefined);
process.exitCode = await main();
