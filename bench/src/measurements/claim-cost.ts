import type { ClaimContender, Claims, Filling } from '../claims.ts';
import { bullmqClaims } from '../contenders/bullmq-claims.ts';
import { criticizerClaims } from '../contenders/criticizer-claims.ts';
import { graphileClaims } from '../contenders/graphile-worker-claims.ts';
import { pgBossClaims } from '../contenders/pg-boss-claims.ts';
import { type Bench, createRows, judgeRatio, type Measurement, markFailures } from '../measurement.ts';
import { percentile } from '../statistics.ts';

const contenders = [criticizerClaims, graphileClaims, pgBossClaims, bullmqClaims];
const warmUp = 20;
const batches = 8;

interface Variant {
  name: string;
  ready: number;
  more?: { state: Filling; rows: number };
}

function variantsOf(quick: boolean): Variant[] {
  const [middle, large, text] = quick ? [5_000, 20_000, '20k'] : [100_000, 1_000_000, '1M'];
  return [
    { name: '1k ready', ready: 1_000 },
    { name: quick ? '5k ready' : '100k ready', ready: middle },
    { name: `${text} ready`, ready: large },
    { name: `1k ready, ${text} finished`, ready: 1_000, more: { state: 'finished', rows: large } },
    { name: `1k ready, ${text} tomorrow`, ready: 1_000, more: { state: 'future', rows: large } },
  ];
}

/** Milliseconds of one claim of `limit`; its completion is not timed. */
async function timeClaim(claims: Claims, limit: number): Promise<number> {
  const began = performance.now();
  const complete = await claims.claim(limit);
  const ms = performance.now() - began;
  await complete();
  return ms;
}

interface Table {
  variant: Variant;
  claims: Claims;
}

/** One round: single claims go from table to table, so that the noise of a moment hits all of them. */
async function sampleRound(
  contender: ClaimContender,
  tables: readonly Table[],
  singles: number,
  table: ReturnType<typeof createRows>,
): Promise<void> {
  const samples = new Map(tables.map(({ variant }) => [variant.name, [] as number[]]));
  for (let i = 0; i < warmUp + singles; i++) {
    for (const { variant, claims } of tables) {
      const ms = await timeClaim(claims, 1);
      if (i >= warmUp) samples.get(variant.name)?.push(ms);
    }
  }
  for (const { variant, claims } of tables) {
    table
      .row(contender.name, `claim of 1, ${variant.name}`, 'ms')
      .rounds.push(percentile(samples.get(variant.name) ?? [], 50));
    if (contender.mostPerClaim === 1) continue;
    const perJob: number[] = [];
    for (let i = 0; i < batches; i++) perJob.push((await timeClaim(claims, 50)) / 50);
    table.row(contender.name, `claim of 50, per job, ${variant.name}`, 'ms').rounds.push(percentile(perJob, 50));
  }
  for (const { claims } of tables) await claims.fill('ready', warmUp + singles + batches * 50); // what was taken
}

async function measureContender(
  bench: Bench,
  contender: ClaimContender,
  table: ReturnType<typeof createRows>,
): Promise<void> {
  const variants = variantsOf(bench.quick).filter(({ more }) => more?.state !== 'finished' || contender.keepsFinished);
  const open = async (rest: readonly Variant[], tables: readonly Table[]): Promise<void> => {
    const [variant, ...others] = rest;
    if (variant === undefined) {
      for (let round = 0; round < bench.rounds; round++)
        await sampleRound(contender, tables, bench.quick ? 30 : 200, table);
      return;
    }
    await bench.server.withDatabase(
      async (url) => {
        const claims = await contender.open(url);
        try {
          if (variant.more !== undefined) await claims.fill(variant.more.state, variant.more.rows);
          await claims.fill('ready', variant.ready);
          bench.progress(`claim-cost: ${contender.name}, ${variant.name} filled`);
          await open(others, [...tables, { variant, claims }]);
        } finally {
          await claims.close();
        }
      },
      ['synchronous_commit = off'],
    );
  };
  await open(variants, []);
}

export const claimCost: Measurement = {
  name: 'claim-cost',
  title: 'Cost of a claim on PostgreSQL by the size of the table, p50 (synchronous_commit=off: the disk is left out)',
  async run(bench) {
    const table = createRows();
    const failures = new Map<string, string>();
    for (const contender of contenders) {
      await measureContender(bench, contender, table).catch((error: unknown) =>
        failures.set(contender.name, String(error)),
      );
    }
    markFailures(table, failures, 'claim of 1');
    const [small, , large, finished, future] = variantsOf(bench.quick).map(({ name }) =>
      table.rows.find((row) => row.contender === criticizerClaims.name && row.metric === `claim of 1, ${name}`),
    );
    const goal = (id: string, what: string) => ({
      id,
      says: `claim of 1: ${what} / 1k ready`,
      target: 1.2,
      better: 'lower' as const,
    });
    return {
      rows: table.rows,
      contenders,
      targets: [
        judgeRatio(goal('claim-1m-ready', '1M ready'), large, small),
        judgeRatio(goal('claim-1m-finished', '1k ready and 1M finished'), finished, small),
        judgeRatio(goal('claim-1m-future', '1k ready and 1M due tomorrow'), future, small),
      ],
    };
  },
};
