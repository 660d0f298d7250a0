import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { criticizerOnPostgres } from '../contenders/criticizer.ts';
import { type Bench, createRows, judge, type Measurement } from '../measurement.ts';
import { percentile } from '../statistics.ts';

const leaseMs = 2_000;
const pairs = 2;
const name = 'criticizer';
const script = fileURLToPath(new URL('../kill-worker.ts', import.meta.url));

interface WorkerProcess {
  child: ChildProcess;
  /** Resolves with the instant at which it starts a job, once. */
  nextStart(): Promise<number>;
}

async function spawnWorker(url: string): Promise<WorkerProcess> {
  const child = fork(script, [url, String(leaseMs)]);
  let onStart: (() => void) | undefined;
  await new Promise<void>((ready, fail) => {
    child.once('exit', (code) => fail(new Error(`a worker process ended with ${code}`)));
    child.on('message', (message) => (message === 'ready' ? ready() : onStart?.()));
  });
  return {
    child,
    nextStart: () =>
      new Promise((resolve) => {
        onStart = () => resolve(performance.now());
      }),
  };
}

async function end({ child }: WorkerProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

/**
 * Two workers; whichever starts the job is killed while it runs it. Gives the milliseconds until
 * the other one starts it.
 */
async function killOne(
  workers: [WorkerProcess, WorkerProcess],
  enqueue: () => Promise<void>,
): Promise<{ ms: number; dead: 0 | 1 }> {
  const first = Promise.race(workers.map((worker, i) => worker.nextStart().then(() => i as 0 | 1)));
  await enqueue();
  const dead = await first;
  await sleep(Math.random() * leaseMs); // anywhere between two beats
  const survivor = workers[dead === 0 ? 1 : 0];
  const started = survivor.nextStart();
  const killed = performance.now();
  await end(workers[dead]);
  const ms = (await started) - killed;
  survivor.child.send('finish');
  return { ms, dead };
}

async function runPair(bench: Bench, kills: number): Promise<number[]> {
  return bench.server.withDatabase(async (url) => {
    const queue = await criticizerOnPostgres(name, { worker: {} }).open(url); // migrates
    const workers: [WorkerProcess, WorkerProcess] = [await spawnWorker(url), await spawnWorker(url)];
    const all: number[] = [];
    try {
      for (let n = 0; n < kills; n++) {
        const { ms, dead } = await killOne(workers, () => queue.enqueueOne(n));
        all.push(ms);
        bench.progress(`kill: runs elsewhere after ${Math.round(ms)} ms`);
        workers[dead] = await spawnWorker(url);
        await sleep(Math.random() * leaseMs); // the survivor's polls slow down as they do at idle
      }
    } finally {
      await Promise.all(workers.map(end));
      await queue.close();
    }
    return all;
  });
}

export const kill: Measurement = {
  name: 'kill',
  title: `A worker process killed with SIGKILL while it runs a job, lease ${leaseMs} ms: time beyond the lease until the job runs in another`,
  async run(bench) {
    const perPair = bench.quick ? 1 : 12;
    const found = await Promise.all(Array.from({ length: pairs }, () => runPair(bench, perPair)));
    const beyond = found.flat().map((ms) => ms - leaseMs);
    const table = createRows();
    table.row(name, 'beyond the lease, p50', 'ms').rounds.push(percentile(beyond, 50));
    table.row(name, 'beyond the lease, p99', 'ms').rounds.push(percentile(beyond, 99));
    const notes = [
      `${beyond.length} kills. By their defaults: graphile-worker 4 h and its sweep, pg-boss 15 min and its monitor, BullMQ 30 s and two stalled checks (not waited for here)`,
    ];
    const goal = {
      id: 'kill-p99',
      says: 'milliseconds beyond the lease, p99',
      target: 1_500,
      better: 'lower' as const,
    };
    const settings = { leaseMs, concurrency: 1, rest: 'defaults' };
    return {
      rows: table.rows,
      contenders: [{ name, library: '@criticizer/queue-pg', settings }],
      targets: [judge(goal, percentile(beyond, 99))],
      notes,
    };
  },
};
