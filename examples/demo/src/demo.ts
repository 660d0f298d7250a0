// The demo: Perforce changes reviewed end to end on this machine. See --help.

import { print, review } from './demo-review.js';
import { reviewShelf } from './demo-shelf.js';
import { requireSameMailTarget, standInMail } from './mail/mail-endpoint.js';
import { stopMailServer } from './mail/mail-server-process.js';
import { standInModel } from './model/model-endpoint.js';
import {
  type DemoPerforce,
  openAskedServer,
  openSampleServer,
  requireSameServer,
  serverIdOf,
} from './perforce/demo-perforce.js';
import { baseChange, changeNumber, serverId as sampleServerId } from './perforce/sample-change.js';
import { reviewOnPostgres } from './queue/demo-postgres.js';
import { type DemoQueue, databaseOf, forgetSchema, openQueue } from './queue/demo-queue.js';
import { openDryRunFolder, writeDryRun } from './report/demo-dry-run.js';
import { checkEndpoints, dryRunLines, type NamedEndpoints } from './report/demo-egress.js';
import { complaintOf } from './report/demo-failure.js';
import { createReviewService } from './review-service.js';
import { type DemoArguments, help, readDemoArguments } from './settings/demo-arguments.js';
import { type CleanUp, withCleanUp } from './state/demo-clean-up.js';
import { forgetRuns, openDemoFolder } from './state/demo-folder.js';
import { watchSignals } from './state/demo-interruption.js';
import { takeDemoLease } from './state/demo-lease.js';
import { openDemoState } from './state/demo-state.js';

async function dryRun(
  directory: string,
  { stores }: DemoQueue,
  { perforce, endpoints }: { perforce: DemoPerforce; endpoints: NamedEndpoints },
  out: string,
  cleanUp: CleanUp,
  signal: AbortSignal,
) {
  const [number = changeNumber] = perforce.changes;
  const { serverId } = perforce.connection;
  // Nothing listens at the stand-ins' addresses, and nothing is opened.
  const model = endpoints.model ?? standInModel('http://127.0.0.1:9');
  const service = await createReviewService({
    directory,
    stores,
    p4: perforce.connection,
    model,
    mail: standInMail(9),
  });
  cleanUp(() => service.close());
  const run = await writeDryRun(service, { serverId, number }, out, signal);
  if (run.kind === 'skipped') print(`Change ${number} would not be reviewed: ${run.detail}`);
  else for (const line of dryRunLines(run, 'Would send')) print(line);
  print(
    `Written to ${out}; ${serverId === sampleServerId ? 'no connection was opened' : 'only the Perforce server was asked'}.`,
  );
  return 0;
}

async function run(args: DemoArguments, signal: AbortSignal): Promise<number> {
  const { dryRunTo, databaseUrl, reviewVersion, perforce: asked } = args;
  const endpoints: NamedEndpoints = { model: args.model, mail: args.mail };
  if (dryRunTo !== null) openDryRunFolder(dryRunTo);
  const owner = {
    database: databaseUrl === null ? 'sqlite' : 'postgres',
    serverId: asked === null ? null : serverIdOf(asked.port),
    modelHost: args.model === null ? null : new URL(args.model.baseUrl).host,
    mailHost: args.mail === null ? null : args.mail.host,
  } as const;
  const directory = openDemoFolder(args.state, args.fresh, owner);
  for (const note of args.notes) print(note);
  return withCleanUp(async (cleanUp) => {
    if (dryRunTo === null) cleanUp(() => stopMailServer(directory));
    cleanUp(takeDemoLease(directory));
    if (args.fresh) await forget(directory, databaseUrl);
    requireSameServer(directory, asked);
    if (dryRunTo === null) requireSameMailTarget(directory, args.mail);
    await checkEndpoints(endpoints);
    const state = await openDemoState(directory);
    const database = databaseOf(directory, databaseUrl);
    if (args.shelf) {
      const queue = openQueue(directory, null);
      cleanUp(() => queue.close());
      return reviewShelf(state, queue, endpoints, signal);
    }
    const samples = database === null ? [changeNumber] : [changeNumber, baseChange]; // each of two workers has one
    const perforce =
      asked === null
        ? { connection: openSampleServer(state, cleanUp), changes: samples }
        : await openAskedServer(asked, print, signal);
    const queue = openQueue(directory, database);
    cleanUp(() => queue.close());
    if (dryRunTo !== null) return dryRun(directory, queue, { perforce, endpoints }, dryRunTo, cleanUp, signal);
    const reviews = { perforce, reviewVersion, endpoints };
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
