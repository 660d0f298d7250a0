// The demo: Perforce changes reviewed end to end on this machine. See --help.
import { type DemoArguments, help, readDemoArguments } from './demo-arguments.js';
import { type CleanUp, withCleanUp } from './demo-clean-up.js';
import { openDryRunFolder, writeDryRun } from './demo-dry-run.js';
import { complaintOf } from './demo-failure.js';
import { forgetRuns, openDemoFolder } from './demo-folder.js';
import { watchSignals } from './demo-interruption.js';
import { takeDemoLease } from './demo-lease.js';
import { type DemoPerforce, openAskedServer, openSampleServer, requireSameServer, serverIdOf } from './demo-perforce.js';
import { reviewOnPostgres } from './demo-postgres.js';
import { type DemoQueue, databaseOf, forgetSchema, openQueue } from './demo-queue.js';
import { print, review } from './demo-review.js';
import { openDemoState } from './demo-state.js';
import { stopMailServer } from './mail-server-process.js';
import { createReviewService } from './review-service.js';
import { baseChange, changeNumber, serverId as sampleServerId } from './sample-change.js';

async function dryRun(
  directory: string,
  { stores }: DemoQueue,
  perforce: DemoPerforce,
  out: string,
  cleanUp: CleanUp,
  signal: AbortSignal,
) {
  const [number = changeNumber] = perforce.changes;
  const { serverId } = perforce.connection;
  // Addresses as in a real run; nothing listens there, and nothing is opened.
  const addresses = { modelOrigin: 'http://127.0.0.1:9', smtpPort: 9 };
  const service = await createReviewService({ directory, stores, p4: perforce.connection, ...addresses });
  cleanUp(() => service.close());
  const run = await writeDryRun(service, { serverId, number }, out, signal);
  if (run.kind === 'skipped') print(`Change ${number} would not be reviewed: ${run.detail}`);
  else {
    for (const request of run.requests) {
      const redactions = Object.entries(request.redactions).map(([rule, count]) => `${count} ${rule}`);
      print(`Would send ${request.bytes} bytes to ${request.host} (${request.model}); withheld: ${redactions.join(', ')}`);
    }
    for (const { path, reason } of run.withheldPaths) print(`  not sent   ${path}: ${reason}`);
  }
  print(`Written to ${out}; ${serverId === sampleServerId ? 'no connection was opened' : 'only the Perforce server was asked'}.`);
  return 0;
}

async function run(args: DemoArguments, signal: AbortSignal): Promise<number> {
  const { dryRunTo, databaseUrl, reviewVersion, perforce: asked } = args;
  if (dryRunTo !== null) openDryRunFolder(dryRunTo);
  const owner = {
    database: databaseUrl === null ? 'sqlite' : 'postgres',
    serverId: asked === null ? null : serverIdOf(asked.port),
  } as const;
  const directory = openDemoFolder(args.state, args.fresh, owner);
  return withCleanUp(async (cleanUp) => {
    if (dryRunTo === null) cleanUp(() => stopMailServer(directory));
    cleanUp(takeDemoLease(directory));
    if (args.fresh) await forget(directory, databaseUrl);
    requireSameServer(directory, asked);
    const state = await openDemoState(directory);
    const database = databaseOf(directory, databaseUrl);
    const samples = database === null ? [changeNumber] : [changeNumber, baseChange]; // each of two workers has one
    const perforce =
      asked === null ? { connection: openSampleServer(state, cleanUp), changes: samples } : await openAskedServer(asked, print, signal);
    const queue = openQueue(directory, database);
    cleanUp(() => queue.close());
    if (dryRunTo !== null) return dryRun(directory, queue, perforce, dryRunTo, cleanUp, signal);
    const reviews = { perforce, reviewVersion };
    return database === null
      ? review(directory, queue, reviews, cleanUp, signal)
      : reviewOnPostgres(directory, { stores: queue.stores, database }, reviews, cleanUp, signal);
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
