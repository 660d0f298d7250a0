// Starts the month's run: enqueues its invoices, starts the workers, and tells how it goes. See --help.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isCriticizerError, type Job, type JobEvent, type Stores } from '@criticizer/core';
import { invoiceSchema, invoicesOf } from './invoice.js';
import { invoiceJob } from './invoice-kind.js';
import { startMailServer } from './mail-server.js';
import { openStores } from './open-stores.js';
import { help, type RunArguments, readRunArguments, UsageError } from './run-arguments.js';
import type { WorkerMessage } from './worker.js';
import { startWorkers, type WorkerProcess } from './worker-processes.js';

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const hasEnded = (job: Job): boolean => job.status === 'completed' || job.status === 'failed';
const customerOf = (job: Job): string => invoiceSchema.parse(job.payload).customer.name;

/** Polls until every job has ended, one way or the other. */
async function allEnded(stores: Stores<unknown>, ids: readonly string[], signal: AbortSignal): Promise<readonly Job[]> {
  for (;;) {
    const jobs = (await stores.jobs.get(ids)).filter((job) => job !== null);
    if (jobs.every(hasEnded)) return jobs;
    await delay(100, undefined, { signal });
  }
}

interface Tally {
  /** Whose jobs these are. */
  expect(jobs: readonly Job[]): void;
  onMessage(name: string, message: WorkerMessage): void;
  /** The customers whose jobs this worker finished. */
  of(name: string): readonly string[];
}

/** Prints how it goes and notes who finished what. */
function createTally(): Tally {
  const customers = new Map<string, string>();
  const finished = new Map<string, string[]>();
  let early: (() => void)[] | null = []; // a worker may be faster than the answer to `enqueue`
  const ended = (name: string, event: Extract<JobEvent, { type: 'stage.ended' }>): void => {
    const { jobId, stage, outcome, code } = event;
    const customer = customers.get(jobId) ?? jobId;
    if (outcome === 'done') finished.set(name, [...(finished.get(name) ?? []), customer]);
    const how =
      { next: 'rendered', done: 'sent' }[String(outcome)] ??
      `${stage}: ${outcome}${code === undefined ? '' : ` (${code})`}`;
    print(`  ${name}  ${customer.padEnd(10)} ${how}`);
  };
  return {
    expect(jobs) {
      for (const job of jobs) customers.set(job.id, customerOf(job));
      for (const say of early ?? []) say();
      early = null;
    },
    onMessage(name, message) {
      if (message.type !== 'job' || message.event.type !== 'stage.ended') return;
      const { event } = message;
      if (event.outcome === 'wait') return; // it looks again soon
      if (early === null) ended(name, event);
      else early.push(() => ended(name, event));
    },
    of: (name) => finished.get(name) ?? [],
  };
}

function summary(jobs: readonly Job[], workers: readonly WorkerProcess[], tally: Tally, mail: string): string {
  const completed = jobs.filter((job) => job.status === 'completed').length;
  const shares = workers.map(({ name }) => [name, `finished ${tally.of(name).join(', ') || 'none'}`]);
  const failures = jobs
    .filter((job) => job.status === 'failed')
    .map((job) => ['failed', `${customerOf(job)}: ${job.lastFailure?.code}`]);
  const lines = [...shares, ...failures, ['mails', mail]].map(([what = '', text]) => `  ${what.padEnd(10)} ${text}`);
  return [`${completed} of ${jobs.length} invoices sent`, ...lines].join('\n');
}

/** Enqueues the month in one call and waits for its end. */
async function runMonth(
  args: RunArguments,
  stores: Stores<unknown>,
  workers: readonly WorkerProcess[],
  tally: Tally,
  signal: AbortSignal,
) {
  const results = await stores.jobs.enqueue(invoicesOf(args.month, args.customers).map(invoiceJob));
  const fresh = results.filter(({ outcome }) => outcome === 'enqueued').length;
  print(`${results.length} invoices for ${args.month}: ${fresh} enqueued, ${results.length - fresh} were there before`);
  tally.expect(results.map(({ job }) => job));
  const done = results.every(({ job }) => hasEnded(job));
  const ids = results.map(({ job }) => job.id);
  const jobs = await allEnded(stores, ids, signal);
  print(`\n${summary(jobs, workers, tally, join(args.directory, 'mail'))}`);
  if (done) print('All of it was done before: nothing was sent.');
  return jobs.every((job) => job.status === 'completed') ? 0 : 1;
}

async function run(args: RunArguments, signal: AbortSignal): Promise<number> {
  const { directory, schema } = args;
  await using opened = openStores({ directory, schema, databaseUrl: process.env['DATABASE_URL'] });
  await opened.stores.migrate();
  print(`queue: ${opened.where}`);
  let workers: readonly WorkerProcess[] = [];
  let [kept, lost] = [0, 0];
  const over = new AbortController();
  const tally = createTally();
  const server = await startMailServer(join(directory, 'mail'), (client) => {
    kept += 1;
    // The worst moment: the mail is taken, and its worker dies before it hears of it.
    if (args.kill && kept === Math.min(3, args.customers))
      workers.find(({ name }) => client.startsWith(`${name}.`))?.kill();
  });
  const onLost = (name: string): void => {
    print(`  ${name}  was killed; what it held is taken up when its leases have run out`);
    lost += 1;
    if (lost === args.workers) over.abort(new UsageError('Every worker is gone. The same command goes on from here.'));
  };
  try {
    const options = { place: { directory, schema }, smtpPort: server.port };
    workers = await startWorkers(args.workers, options, { onMessage: tally.onMessage, onLost });
    print(`workers: ${workers.map(({ name, pid }) => `${name} (process ${pid})`).join(', ')}`);
    return await runMonth(args, opened.stores, workers, tally, AbortSignal.any([signal, over.signal]));
  } catch (error) {
    throw over.signal.aborted ? over.signal.reason : error;
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
    await server.close();
  }
}

async function main(): Promise<number> {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort());
  try {
    const args = readRunArguments(process.argv.slice(2), process.env);
    if (args !== null) return await run(args, interruption.signal);
    print(help);
    return 0;
  } catch (error) {
    const stopped = interruption.signal.aborted
      ? new UsageError('Stopped; the same command goes on from here.')
      : error;
    if (!(stopped instanceof UsageError) && !isCriticizerError(stopped)) throw error;
    process.stderr.write(`${stopped.message}\n`);
    return interruption.signal.aborted ? 130 : 2;
  }
}

process.exitCode = await main();
