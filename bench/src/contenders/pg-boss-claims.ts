import { PgBoss } from 'pg-boss';
import { type ClaimContender, type Filling, mustClaim } from '../claims.ts';
import { openPool } from '../database.ts';

const columns: Record<Filling, { state: string; priority: string; startAfter: string; completedOn: string }> = {
  ready: { state: 'created', priority: 'g % 3', startAfter: 'at', completedOn: 'NULL' },
  finished: { state: 'completed', priority: 'g % 3', startAfter: 'at', completedOn: 'now()' },
  future: { state: 'created', priority: '9', startAfter: `now() + interval '1 day'`, completedOn: 'NULL' },
};

/** `fetch` and `complete` of its public API. */
export const pgBossClaims: ClaimContender = {
  name: 'pg-boss',
  library: 'pg-boss',
  settings: { max: 10, completed: 'kept' },
  keepsFinished: true,
  async open(url) {
    const boss = new PgBoss({ connectionString: url, max: 10, supervise: false, schedule: false });
    boss.on('error', () => undefined);
    await boss.start();
    await boss.createQueue('bench');
    const pool = openPool(url, 2);
    return {
      async fill(filling, rows) {
        const { state, priority, startAfter, completedOn } = columns[filling];
        await pool.query(
          `INSERT INTO pgboss.job (name, data, state, policy, priority, start_after, created_on, completed_on)
            SELECT 'bench', jsonb_build_object('number', g), '${state}', 'standard', ${priority}, ${startAfter}, at, ${completedOn}
            FROM (SELECT g, now() - interval '1 hour' + g * interval '1 ms' AS at FROM generate_series(1, $1::int) AS g) AS s`,
          [rows],
        );
        await pool.query('VACUUM (ANALYZE) pgboss.job_common');
      },
      async claim(limit) {
        const jobs = await boss.fetch('bench', { batchSize: limit });
        mustClaim(jobs.length);
        return async () => void (await boss.complete('bench', jobs));
      },
      async close() {
        await boss.stop({ graceful: false });
        await pool.end();
      },
    };
  },
};
