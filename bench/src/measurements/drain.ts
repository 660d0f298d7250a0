import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender } from '../contender.ts';
import { bareSql } from '../contenders/bare-sql.ts';
import { bullmq } from '../contenders/bullmq.ts';
import { criticizerOnPostgres } from '../contenders/criticizer.ts';
import { graphileContenders } from '../contenders/graphile-worker.ts';
import { pgBossBurst } from '../contenders/pg-boss.ts';
import { createRows, interleave, judgeRatio, type Measurement, markFailures } from '../measurement.ts';
import { drainOnce } from './drain-once.ts';

const batch = criticizerOnPostgres('criticizer batch', {
  worker: { concurrency: 10, prefetch: 1_000 },
  deleteCompleted: true,
});
const kept = criticizerOnPostgres('criticizer batch, rows kept', { worker: { concurrency: 10, prefetch: 1_000 } });
const byDefault = criticizerOnPostgres('criticizer default', { worker: { concurrency: 10 } });
const contenders = [
  batch,
  ...graphileContenders.slice(2),
  kept,
  pgBossBurst,
  bareSql,
  byDefault,
  ...graphileContenders.slice(0, 2),
  bullmq,
];

export const drain: Measurement = {
  name: 'drain',
  title: 'Drain of no-op jobs on PostgreSQL, from the first handler to the last committed completion',
  async run(bench) {
    const jobs = bench.quick ? 1_000 : 20_000;
    const table = createRows();
    // Once without counting, so that no contender's first round pays for the compiler.
    const warm = (contender: Contender) =>
      bench.server.withDatabase(async (url) => void (await drainOnce(contender, url, jobs / 10)));
    if (!bench.quick) await interleave({ ...bench, rounds: 1 }, contenders, warm);
    const failures = await interleave(bench, contenders, (contender, round) =>
      bench.server.withDatabase(async (url) => {
        const perSecond = await drainOnce(contender, url, jobs);
        table.row(contender.name, `drain ${jobs}`, 'jobs/s').rounds.push(perSecond);
        bench.progress(`drain, round ${round + 1}: ${contender.name} ${Math.round(perSecond)} jobs/s`);
        await sleep(100); // the dropped database's files go
      }),
    );
    markFailures(table, failures, `drain ${jobs}`);
    const find = (name: string) => table.rows.find((row) => row.contender === name);
    const better = 'higher';
    const ours = find(batch.name);
    const fromDefault = find(byDefault.name);
    const [graphileDefault, recommended, fast] = graphileContenders.map(({ name }) => find(name));
    const boss = find(pgBossBurst.name);
    return {
      rows: table.rows,
      contenders,
      targets: [
        judgeRatio(
          { id: 'drain-batch-vs-graphile-fast', says: 'batch / graphile-worker fast', target: 1.3, better },
          ours,
          fast,
        ),
        judgeRatio({ id: 'drain-batch-vs-pg-boss', says: 'batch / pg-boss burst', target: 1.3, better }, ours, boss),
        judgeRatio(
          { id: 'drain-kept-vs-pg-boss', says: 'rows kept / pg-boss burst', target: 1, better },
          find(kept.name),
          boss,
        ),
        judgeRatio(
          { id: 'drain-default-vs-graphile', says: 'default / graphile-worker default', target: 2.5, better },
          fromDefault,
          graphileDefault,
        ),
        judgeRatio(
          { id: 'drain-default-vs-recommended', says: 'default / graphile-worker recommended', target: 1, better },
          fromDefault,
          recommended,
        ),
        judgeRatio(
          { id: 'drain-default-vs-bullmq', says: 'default / BullMQ', target: 5, better },
          fromDefault,
          find(bullmq.name),
        ),
      ],
    };
  },
};
