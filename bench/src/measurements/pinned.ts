import type { ClaimContender, Claims } from '../claims.ts';
import { bullmqClaims } from '../contenders/bullmq-claims.ts';
import { criticizerClaims } from '../contenders/criticizer-claims.ts';
import { graphileClaims } from '../contenders/graphile-worker-claims.ts';
import { pgBossClaims } from '../contenders/pg-boss-claims.ts';
import { openPool } from '../database.ts';
import { type Bench, createRows, interleave, judgeRatio, type Measurement, markFailures } from '../measurement.ts';
import { percentile } from '../statistics.ts';

const contenders = [criticizerClaims, graphileClaims, pgBossClaims, bullmqClaims];
const samples = 100;

/** Takes and completes `jobs` in batches while the snapshot is held or not, then gives the median of single claims. */
async function claimAfter(bench: Bench, contender: ClaimContender, isPinned: boolean, jobs: number): Promise<number> {
  return bench.server.withDatabase(
    async (url) => {
      const claims = await contender.open(url);
      const pool = openPool(url, 1);
      try {
        await claims.fill('ready', jobs + samples + 1_000);
        if (isPinned) {
          await pool.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
          await pool.query('SELECT count(*) FROM pg_class'); // the snapshot is taken by the first statement
        }
        for (let done = 0; done < jobs; done += 200) await (await claims.claim(200))();
        return percentile(await timeSingles(claims), 50);
      } finally {
        await claims.close();
        await pool.end();
      }
    },
    ['synchronous_commit = off'],
  );
}

async function timeSingles(claims: Claims): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < samples; i++) {
    const began = performance.now();
    const complete = await claims.claim(1);
    all.push(performance.now() - began);
    await complete();
  }
  return all;
}

export const pinned: Measurement = {
  name: 'pinned',
  title:
    'Claim of 1 on PostgreSQL after many jobs, while another session holds its snapshot, p50 (synchronous_commit=off)',
  async run(bench) {
    const jobs = bench.quick ? 2_000 : 60_000;
    const table = createRows();
    const failures = await interleave(bench, contenders, async (contender, round) => {
      for (const isPinned of [false, true]) {
        const ms = await claimAfter(bench, contender, isPinned, jobs);
        table.row(contender.name, `after ${jobs}, ${isPinned ? 'pinned' : 'not pinned'}`, 'ms').rounds.push(ms);
        bench.progress(
          `pinned, round ${round + 1}: ${contender.name} ${isPinned ? 'pinned' : 'not pinned'} ${ms.toFixed(2)} ms`,
        );
      }
    });
    markFailures(table, failures, `after ${jobs}`);
    const find = (name: string, metric: string) =>
      table.rows.find((row) => row.contender === name && row.metric.endsWith(`, ${metric}`));
    const ratios = contenders.map(({ name }) =>
      judgeRatio({ id: name, says: '', target: 1.5, better: 'lower' }, find(name, 'pinned'), find(name, 'not pinned')),
    );
    const [ours] = ratios;
    return {
      rows: table.rows,
      contenders,
      targets:
        ours === undefined
          ? []
          : [{ ...ours, id: 'claim-pinned', says: `claim of 1 after ${jobs} jobs: pinned / not pinned` }],
      notes: [
        `pinned / not pinned: ${ratios.map(({ id, value }) => `${id} ${value === null ? 'not measured' : value.toFixed(1)}`).join(', ')}`,
      ],
    };
  },
};
