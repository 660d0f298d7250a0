// The demo: one Perforce change reviewed end to end on this machine. See --help.
import { type DemoArguments, help, readDemoArguments } from './demo-arguments.js';
import { type CleanUp, withCleanUp } from './demo-clean-up.js';
import { openDryRunFolder, writeDryRun } from './demo-dry-run.js';
import { complaintOf } from './demo-failure.js';
import { forgetRuns, openDemoFolder } from './demo-folder.js';
import { watchSignals } from './demo-interruption.js';
import { takeDemoLease } from './demo-lease.js';
import { reviewOnPostgres } from './demo-postgres.js';
import { type DemoQueue, databaseOf, forgetSchema, openQueue } from './demo-queue.js';
import { print, review } from './demo-review.js';
import { type DemoState, openDemoState } from './demo-state.js';
import { stopMailServer } from './mail-server-process.js';
import { createReviewService } from './review-service.js';
import { changeNumber } from './sample-change.js';

async function dryRun(state: DemoState, { stores }: DemoQueue, out: string, cleanUp: CleanUp, signal: AbortSignal): Promise<number> {
  const simulator = state.startSimulator();
  cleanUp(() => simulator.dispose());
  // Addresses as in a real run; nothing listens there, and nothing is opened.
  const addresses = { modelOrigin: 'http://127.0.0.1:9', smtpPort: 9 };
  const service = await createReviewService({ directory: state.directory, stores, p4: simulator, ...addresses });
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

async function run(args: DemoArguments, signal: AbortSignal): Promise<number> {
  const { dryRunTo, databaseUrl, reviewVersion } = args;
  if (dryRunTo !== null) openDryRunFolder(dryRunTo);
  const directory = openDemoFolder(args.state, args.fresh, databaseUrl === null ? 'sqlite' : 'postgres');
  return withCleanUp(async (cleanUp) => {
    if (dryRunTo === null) cleanUp(() => stopMailServer(directory));
    cleanUp(takeDemoLease(directory));
    if (args.fresh) await forget(directory, databaseUrl);
    const state = await openDemoState(directory);
    const database = databaseOf(directory, databaseUrl);
    const queue = openQueue(directory, database);
    cleanUp(() => queue.close());
    if (dryRunTo !== null) return dryRun(state, queue, dryRunTo, cleanUp, signal);
    return database === null
      ? review(state, queue, reviewVersion, cleanUp, signal)
      : reviewOnPostgres(state, queue, database, reviewVersion, cleanUp, signal);
  });
}

async function forget(directory: string, databaseUrl: string | null): Promise<void> {
  const database = databaseOf(directory, databaseUrl);
  await forgetRuns(directory, async () => {
    if (database !== null) await forgetSchema(database);
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
