import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender, OpenQueue } from '../contender.ts';
import { bullmq } from '../contenders/bullmq.ts';
import { criticizerOnPostgres } from '../contenders/criticizer.ts';
import { graphileContenders } from '../contenders/graphile-worker.ts';
import { pgBossNotify } from '../contenders/pg-boss.ts';
import { createRows, interleave, judgeRatio, type Measurement, markFailures } from '../measurement.ts';
import { percentile } from '../statistics.ts';

const ours = criticizerOnPostgres('criticizer', { worker: { concurrency: 10 } });
const graphile = graphileContenders[0] as Contender;
const contenders = [
  { ...ours, isShared: false },
  { ...graphile, isShared: false },
  { ...pgBossNotify, isShared: false },
  { ...bullmq, isShared: false },
  { ...ours, name: 'criticizer, same instance', isShared: true },
];

/** One job at a time into an idle queue: milliseconds from before the call that stores it to its handler's start. */
export async function sampleLatency(producer: OpenQueue, consumer: OpenQueue, samples: number): Promise<number[]> {
  let started: (number: number) => void = () => undefined;
  const worker = await consumer.work((number) => started(number));
  const all: number[] = [];
  try {
    await sleep(300);
    const warmUp = Math.min(10, samples);
    for (let n = 0; n < samples + warmUp; n++) {
      let ms = 0;
      const began = performance.now();
      const start = new Promise<void>((resolve) => {
        started = (number) => {
          if (number !== n) return;
          ms = performance.now() - began;
          resolve();
        };
      });
      await producer.enqueueOne(n);
      await within(start, 30_000);
      if (n >= warmUp) all.push(ms);
      await sleep(10 + Math.random() * 20); // idle again, at no fixed phase of a poll
    }
  } finally {
    await worker.stop();
  }
  return all;
}

async function within(promise: Promise<void>, ms: number): Promise<void> {
  const over = new AbortController();
  const late = sleep(ms, true, { signal: over.signal }).catch(() => false);
  const isLate = await Promise.race([promise.then(() => false), late]);
  over.abort();
  if (isLate) throw new Error(`a job did not start within ${ms / 1000} s`);
}

export const latency: Measurement = {
  name: 'latency',
  title: 'Enqueue to start at idle on PostgreSQL: one instance stores, another with connections of its own runs',
  async run(bench) {
    const samples = bench.quick ? 20 : 200;
    const table = createRows();
    const failures = await interleave(bench, contenders, (contender, round) =>
      bench.server.withDatabase(async (url) => {
        const producer = await contender.open(url);
        const consumer = contender.isShared ? producer : await contender.open(url);
        try {
          const all = await sampleLatency(producer, consumer, samples);
          const [p50, p99] = [percentile(all, 50), percentile(all, 99)];
          table.row(contender.name, 'p50', 'ms').rounds.push(p50);
          table.row(contender.name, 'p99', 'ms').rounds.push(p99);
          bench.progress(
            `latency, round ${round + 1}: ${contender.name} p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
          );
        } finally {
          if (!contender.isShared) await consumer.close();
          await producer.close();
        }
      }),
    );
    markFailures(table, failures, 'p50');
    const find = (name: string, metric: string) =>
      table.rows.find((row) => row.contender === name && row.metric === metric);
    const compare = (id: string, metric: string, target: number) =>
      judgeRatio(
        { id, says: `${metric}: criticizer / graphile-worker`, target, better: 'lower' },
        find(ours.name, metric),
        find(graphile.name, metric),
      );
    return {
      rows: table.rows,
      contenders,
      targets: [compare('latency-p50', 'p50', 0.8), compare('latency-p99', 'p99', 1.1)],
    };
  },
};
