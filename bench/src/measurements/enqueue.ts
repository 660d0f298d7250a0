import type { Contender, OpenQueue } from '../contender.ts';
import { bullmq } from '../contenders/bullmq.ts';
import { criticizerOnPostgres } from '../contenders/criticizer.ts';
import { graphileContenders } from '../contenders/graphile-worker.ts';
import { pgBossBurst } from '../contenders/pg-boss.ts';
import { createRows, interleave, judgeRatio, type Measurement, markFailures } from '../measurement.ts';
import { fill } from './drain-once.ts';

const ours = criticizerOnPostgres('criticizer', { worker: {} });
const graphile: Contender = { ...(graphileContenders[0] as Contender), name: 'graphile-worker' };
const contenders: readonly Contender[] = [ours, graphile, { ...pgBossBurst, name: 'pg-boss' }, bullmq];
const callers = 10;

/** Ten callers, each with one call under way. Gives jobs per second. */
export async function enqueueOneByOne(queue: OpenQueue, jobs: number, first: number): Promise<number> {
  let next = first;
  const began = performance.now();
  const call = async (): Promise<void> => {
    while (next < first + jobs) await queue.enqueueOne(next++);
  };
  await Promise.all(Array.from({ length: callers }, call));
  return (jobs / (performance.now() - began)) * 1000;
}

export async function enqueueInBatches(queue: OpenQueue, jobs: number, first: number): Promise<number> {
  const began = performance.now();
  await fill(queue, jobs, first);
  return (jobs / (performance.now() - began)) * 1000;
}

export const enqueue: Measurement = {
  name: 'enqueue',
  title:
    'Enqueue on PostgreSQL: ten callers one by one, and batches of 1,000 (ours with a unique key per job, peers without)',
  async run(bench) {
    const single = bench.quick ? 300 : 3_000;
    const many = bench.quick ? 3_000 : 20_000;
    const table = createRows();
    const failures = await interleave(bench, contenders, (contender, round) =>
      bench.server.withDatabase(async (url) => {
        const queue = await contender.open(url);
        try {
          await enqueueOneByOne(queue, 200, 0);
          await fill(queue, 2_000, 1_000);
          const oneByOne = await enqueueOneByOne(queue, single, 10_000);
          const inBatches = await enqueueInBatches(queue, many, 100_000);
          table.row(contender.name, 'one by one', 'jobs/s').rounds.push(oneByOne);
          table.row(contender.name, 'batches of 1,000', 'jobs/s').rounds.push(inBatches);
          bench.progress(
            `enqueue, round ${round + 1}: ${contender.name} ${Math.round(oneByOne)} and ${Math.round(inBatches)} jobs/s`,
          );
        } finally {
          await queue.close();
        }
      }),
    );
    markFailures(table, failures, 'one by one');
    const find = (name: string, metric: string) =>
      table.rows.find((row) => row.contender === name && row.metric === metric);
    const compare = (id: string, metric: string, target: number) =>
      judgeRatio(
        { id, says: `${metric}: criticizer / graphile-worker`, target, better: 'higher' },
        find(ours.name, metric),
        find(graphile.name, metric),
      );
    return {
      rows: table.rows,
      contenders,
      targets: [compare('enqueue-batch', 'batches of 1,000', 0.9), compare('enqueue-single', 'one by one', 1)],
    };
  },
};
