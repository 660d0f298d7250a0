import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '@criticizer/core/ports';
import { createPostgresStores } from '@criticizer/queue-pg';
import type pg from 'pg';
import { fillSql } from '../contenders/criticizer-claims.ts';
import { openPool, readValue } from '../database.ts';
import {
  type Configured,
  createRows,
  interleave,
  judge,
  judgeRatio,
  type Measurement,
  markFailures,
} from '../measurement.ts';

const most = 4;
const claimers = 8;
const jobMs = 2;
const emptyWaitMs = 2;
const leaseMs = 60_000;

type Claim = (owner: string) => Promise<Lease | undefined>;

/** The same table and claim order with a count that nobody locks: what a queue does that lets its limit be exceeded. */
function unlockedClaim(pool: pg.Pool): Claim {
  const count = `SELECT count(*)::int AS n FROM criticizer.work_queue WHERE status = 'running'`;
  const take = `WITH c AS (SELECT id FROM criticizer.work_queue WHERE ready AND kind = ANY($1) ORDER BY priority DESC, created_at, id LIMIT $2
      FOR UPDATE SKIP LOCKED)
    UPDATE criticizer.work_queue AS w SET status = 'running', ready = false, claimed_by = $3, claim_token = $4, started_at = now(),
      lease_expires_at = now() + $5::float8 * interval '1 ms', transition_no = w.transition_no + 1, updated_at = now(),
      attempts = jsonb_set(w.attempts, ARRAY[w.stage], to_jsonb(coalesce((w.attempts ->> w.stage)::int, 0) + 1))
    FROM c WHERE w.id = c.id RETURNING w.*`;
  return async (owner) => {
    const client = await pool.connect();
    const token = randomUUID();
    try {
      await client.query('BEGIN; SET LOCAL synchronous_commit = off');
      const { rows: counted } = await client.query({ name: 'count', text: count });
      const values = [['bench'], 1, owner, token, leaseMs];
      const { rows } =
        (counted[0]?.['n'] as number) < most ? await client.query({ name: 'take', text: take, values }) : { rows: [] };
      await client.query('COMMIT');
      return rows[0] === undefined ? undefined : { jobId: rows[0]['id'] as string, owner, token };
    } finally {
      client.release();
    }
  };
}

interface Variant extends Configured {
  limit: number | null;
  isUnlocked?: boolean;
}

const library = '@criticizer/queue-pg';
const settings = { claimers, jobMs, leaseMs, pool: claimers + 2 };
const strict: Variant = { name: `criticizer, W = ${most}`, library, settings, limit: most };
const unlocked: Variant = {
  name: `count without lock, W = ${most}`,
  library: undefined,
  settings,
  limit: null,
  isUnlocked: true,
};
const variants: readonly Variant[] = [strict, unlocked, { name: 'criticizer, no W', library, settings, limit: null }];

async function runClaimers(
  url: string,
  { limit, isUnlocked = false }: Variant,
  forMs: number,
): Promise<{ perSecond: number; seen: number }> {
  const pool = openPool(url, claimers + 2);
  const watcher = openPool(url, 1);
  const stores = createPostgresStores({ pool, migrate: 'auto' });
  try {
    await stores.migrationPlan();
    await stores.limits.set('running', limit);
    await pool.query(fillSql('ready'), [forMs * 10]);
    await pool.query('VACUUM (ANALYZE) criticizer.work_queue');
    const ours: Claim = async (owner) =>
      (await stores.jobs.claim({ kinds: ['bench'], owner, token: randomUUID(), leaseMs, limit: 1 }))[0]?.lease;
    const claim = isUnlocked ? unlockedClaim(pool) : ours;
    const end = performance.now() + forMs;
    let settled = 0;
    let seen = 0;
    const work = async (owner: string): Promise<void> => {
      while (performance.now() < end) {
        const lease = await claim(owner);
        await sleep(lease === undefined ? emptyWaitMs : jobMs);
        if (lease === undefined) continue;
        const [outcome] = await stores.jobs.settle([{ lease, kind: 'done', result: {}, requireNotified: false }]);
        if (outcome !== 'settled') throw new Error(`a job ended as ${outcome}`);
        settled++;
      }
    };
    /** Each look is one statement, so what it counts ran at one instant. */
    const watch = async (): Promise<void> => {
      const running = `SELECT count(*)::int FROM criticizer.work_queue WHERE status = 'running'`;
      while (performance.now() < end) {
        seen = Math.max(seen, await readValue<number>(watcher, running));
        await sleep(1);
      }
    };
    await Promise.all([...Array.from({ length: claimers }, (_, i) => work(`claimer-${i}`)), watch()]);
    return { perSecond: (settled / forMs) * 1000, seen };
  } finally {
    await stores.close();
    await pool.end();
    await watcher.end();
  }
}

export const limit: Measurement = {
  name: 'limit',
  title: `Global limit: ${claimers} claimers, jobs of ${jobMs} ms`,
  async run(bench) {
    const forMs = bench.quick ? 1_000 : 6_000;
    const table = createRows();
    const failures = await interleave(bench, variants, (variant, round) =>
      bench.server.withDatabase(async (url) => {
        const { perSecond, seen } = await runClaimers(url, variant, forMs);
        table.row(variant.name, 'throughput', 'jobs/s').rounds.push(perSecond);
        table.row(variant.name, 'most running seen', '').rounds.push(seen);
        bench.progress(
          `limit, round ${round + 1}: ${variant.name} ${Math.round(perSecond)} jobs/s, at most ${seen} running`,
        );
      }),
    );
    markFailures(table, failures, 'throughput');
    const find = (name: string, metric: string) =>
      table.rows.find((row) => row.contender === name && row.metric === metric);
    const seen = find(strict.name, 'most running seen');
    const goal = {
      id: 'limit-throughput',
      says: 'throughput with W / count without lock',
      target: 0.85,
      better: 'higher' as const,
    };
    return {
      rows: table.rows,
      contenders: variants,
      targets: [
        judge(
          { id: 'limit-strict', says: `most running seen with W = ${most}`, target: most, better: 'lower' },
          seen === undefined || seen.failed !== undefined ? null : Math.max(...seen.rounds),
        ),
        judgeRatio(goal, find(strict.name, 'throughput'), find(unlocked.name, 'throughput')),
      ],
    };
  },
};
