import { randomUUID } from 'node:crypto';
import { createPostgresStores } from '@criticizer/queue-pg';
import { type ClaimContender, type Filling, mustClaim } from '../claims.ts';
import { openPool } from '../database.ts';

const fillings: Record<
  Filling,
  { status: string; ready: boolean; priority: string; runAt: string; finishedAt: string; result: string }
> = {
  ready: { status: 'queued', ready: true, priority: 'g % 3', runAt: 'at', finishedAt: 'NULL', result: 'NULL' },
  finished: { status: 'completed', ready: false, priority: 'g % 3', runAt: 'at', finishedAt: 'now()', result: `'{}'` },
  future: {
    status: 'queued',
    ready: false,
    priority: '9',
    runAt: `now() + interval '1 day'`,
    finishedAt: 'NULL',
    result: 'NULL',
  },
};

/** Rows as the store writes them; an id begins with the milliseconds of created_at. */
export function fillSql(state: Filling): string {
  const { status, ready, priority, runAt, finishedAt, result } = fillings[state];
  return `INSERT INTO criticizer.work_queue (id, kind, payload, status, ready, stage, priority, run_at, created_at, updated_at, finished_at,
      idempotency_key, attempts, lost_leases, outputs, transition_no, result)
    SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(g % 4096), 3, '0') || '8' ||
        substr(md5(random()::text), 1, 15))::uuid,
      'bench', json_build_object('number', g), '${status}', ${ready}, 'run', ${priority}, ${runAt}, at, at, ${finishedAt},
      '${state}-' || g || md5(random()::text), '{}', 0, '{}', 1, ${result}
    FROM (SELECT g, now() - interval '1 hour' + g * interval '1 ms' AS at FROM generate_series(1, $1::int) AS g) AS s`;
}

/** Claim and settlement of our store. */
export const criticizerClaims: ClaimContender = {
  name: 'criticizer',
  library: '@criticizer/queue-pg',
  settings: { pool: 10, completed: 'kept' },
  keepsFinished: true,
  async open(url) {
    const pool = openPool(url, 10);
    const stores = createPostgresStores({ pool, migrate: 'auto' });
    await stores.migrationPlan();
    const owner = `bench-${randomUUID()}`;
    return {
      async fill(state, rows) {
        await pool.query(fillSql(state), [rows]);
        await pool.query('VACUUM (ANALYZE) criticizer.work_queue');
      },
      async claim(limit) {
        const claimed = await stores.jobs.claim({
          kinds: ['bench'],
          owner,
          token: randomUUID(),
          leaseMs: 60_000,
          limit,
        });
        mustClaim(claimed.length);
        return async () => {
          await stores.jobs.settle(
            claimed.map(({ lease }) => ({ lease, kind: 'done', result: {}, requireNotified: false })),
          );
        };
      },
      async close() {
        await stores.close();
        await pool.end();
      },
    };
  },
};
