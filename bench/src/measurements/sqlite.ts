import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender } from '../contender.ts';
import { criticizerOnSqlite } from '../contenders/criticizer.ts';
import { liteque } from '../contenders/liteque.ts';
import { plainjob } from '../contenders/plainjob.ts';
import {
  type Bench,
  createRows,
  interleave,
  judge,
  judgeRatio,
  type Measurement,
  markFailures,
  type Row,
} from '../measurement.ts';
import { median, percentile } from '../statistics.ts';
import { drainOnce } from './drain-once.ts';
import { enqueueInBatches, enqueueOneByOne } from './enqueue.ts';
import { sampleLatency } from './latency.ts';

/** A contender with the size of its drain: some are too slow, or their disk is, for the same one. */
interface Entry {
  name: string;
  contender: Contender;
  jobs: number;
  isTimedAtIdle?: boolean;
}

const batch = { worker: { concurrency: 10, prefetch: 1_000 }, deleteCompleted: true };
const oneByOne = { worker: { concurrency: 1 }, deleteCompleted: true };
const entry = (contender: Contender, jobs: number, isTimedAtIdle = false): Entry => ({
  name: contender.name,
  contender,
  jobs,
  isTimedAtIdle,
});

const ours = entry(criticizerOnSqlite('criticizer batch, NORMAL', 'normal', batch), 20_000, true);
const oursFull = entry(criticizerOnSqlite('criticizer batch, FULL', 'full', batch), 5_000);
const oursSingle = entry(criticizerOnSqlite('criticizer job by job, NORMAL', 'normal', oneByOne), 10_000);
const plain = entry(plainjob('plainjob, NORMAL', 'normal', 10), 20_000, true);
const plainFull = entry(plainjob('plainjob, FULL', 'full', 10), 5_000);
const lite = entry(liteque('liteque, NORMAL', 'normal'), 2_000, true);
const entries = [ours, plain, lite, oursSingle, oursFull, plainFull];

let files = 0;

async function measureEntry(
  bench: Bench,
  one: Entry,
  push: (metric: string, unit: string, value: number) => void,
): Promise<void> {
  const file = (): string => `${bench.folder}/queue-${++files}.db`;
  const jobs = bench.quick ? one.jobs / 10 : one.jobs;
  push('drain', 'jobs/s', await drainOnce(one.contender, file(), jobs));
  const queue = await one.contender.open(file());
  try {
    push('enqueue one by one', 'jobs/s', await enqueueOneByOne(queue, jobs / 10, 0));
    push('enqueue in batches of 1,000', 'jobs/s', await enqueueInBatches(queue, jobs, 100_000));
  } finally {
    await queue.close();
  }
  if (one.isTimedAtIdle !== true) return;
  const idle = await one.contender.open(file());
  try {
    const all = await sampleLatency(idle, idle, bench.quick ? 20 : 200);
    push('idle latency p50', 'ms', percentile(all, 50));
    push('idle latency p99', 'ms', percentile(all, 99));
  } finally {
    await idle.close();
  }
}

export const sqlite: Measurement = {
  name: 'sqlite',
  title: 'SQLite: drain, enqueue and enqueue to start at idle, in one process (plainjob and liteque poll every 10 ms)',
  async run(bench) {
    const table = createRows();
    await interleave({ ...bench, rounds: 1 }, entries, ({ contender }) =>
      drainOnce(contender, `${bench.folder}/warm-${++files}.db`, 500).then(() => undefined),
    );
    const failures = await interleave(bench, entries, async (one, round) => {
      await measureEntry(bench, one, (metric, unit, value) => table.row(one.name, metric, unit).rounds.push(value));
      const drained = table.row(one.name, 'drain', 'jobs/s').rounds.at(-1) ?? 0;
      bench.progress(`sqlite, round ${round + 1}: ${one.name} drains ${Math.round(drained)} jobs/s`);
      await sleep(50);
    });
    markFailures(table, failures, 'drain');
    const find = ({ name }: Entry, metric = 'drain'): Row | undefined =>
      table.rows.find((row) => row.contender === name && row.metric === metric && row.failed === undefined);
    const compare = (id: string, says: string, target: number, one: Entry, other: Entry) =>
      judgeRatio({ id, says, target, better: 'higher' }, find(one), find(other));
    const idle = find(ours, 'idle latency p50');
    return {
      rows: table.rows,
      contenders: entries.map(({ contender }) => contender),
      targets: [
        compare('sqlite-batch-vs-plainjob', 'drain NORMAL: batch / plainjob', 4, ours, plain),
        compare('sqlite-batch-vs-liteque', 'drain NORMAL: batch / liteque', 50, ours, lite),
        compare('sqlite-full-vs-plainjob', 'drain FULL: batch / plainjob', 10, oursFull, plainFull),
        compare('sqlite-single-vs-plainjob', 'drain NORMAL: job by job / plainjob', 0.9, oursSingle, plain),
        judge(
          { id: 'sqlite-idle-p50', says: 'milliseconds from enqueue to start, p50', target: 1, better: 'lower' },
          idle === undefined ? null : median(idle.rounds),
        ),
      ],
    };
  },
};
