import { type ClaimContender, type Filling, mustClaim } from '../claims.ts';
import { openPool } from '../database.ts';
import { bullmq } from './bullmq.ts';

const columns: Record<Filling, { state: string; priority: string; processAt: string; finishedAt: string }> = {
  ready: { state: 'waiting', priority: 'g % 3', processAt: 'NULL', finishedAt: 'NULL' },
  finished: { state: 'completed', priority: 'g % 3', processAt: 'NULL', finishedAt: '$2::bigint' },
  future: { state: 'delayed', priority: '0', processAt: '$2::bigint + 86400000', finishedAt: 'NULL' },
};
const token = 'bench';

/** The functions of its schema that its worker calls. */
export const bullmqClaims: ClaimContender = {
  name: 'BullMQ on PostgreSQL',
  library: 'bullmq',
  settings: { completed: 'removed' },
  mostPerClaim: 1,
  keepsFinished: true,
  async open(url) {
    await (await bullmq.open(url)).close(); // migrates
    const pool = openPool(url, 10);
    let filled = 0;
    return {
      async fill(filling, rows) {
        const { state, priority, processAt, finishedAt } = columns[filling];
        await pool.query(
          `INSERT INTO bullmq.job (queue, id, seq, name, state, data, priority, delay_ms, added_at_ms, process_at_ms, finished_at_ms)
            SELECT 'bench', ($3 + g)::text, $3 + g, 'bench', '${state}', jsonb_build_object('number', g), ${priority}, 0, $2::bigint,
              ${processAt}, ${finishedAt} FROM generate_series(1, $1::int) AS g`,
          [rows, Date.now(), filled],
        );
        filled += rows;
        await pool.query('VACUUM (ANALYZE) bullmq.job');
      },
      async claim(limit) {
        if (limit > 1) {
          // It has no claim of many: rows that are to be out of the way go by the like of one.
          const taken = await pool.query(
            `WITH c AS (SELECT id FROM bullmq.job WHERE queue = 'bench' AND state = 'waiting' ORDER BY priority, seq LIMIT $1 FOR UPDATE SKIP LOCKED)
              UPDATE bullmq.job AS j SET state = 'active', lock_token = 'bulk' FROM c WHERE j.queue = 'bench' AND j.id = c.id RETURNING j.id`,
            [limit],
          );
          const ids = taken.rows.map((row) => row['id'] as string);
          mustClaim(ids.length);
          return async () =>
            void (await pool.query(`DELETE FROM bullmq.job WHERE queue = 'bench' AND id = ANY($1)`, [ids]));
        }
        const { rows } = await pool.query({
          name: 'claim',
          text: 'SELECT id FROM bullmq.move_to_active($1, $2, $3, $4, $5, $6, $7)',
          values: ['bench', token, 30_000, Date.now(), 'bench', null, null],
        });
        mustClaim(rows.length);
        const complete = 'SELECT bullmq.move_to_completed($1, $2, $3, $4, $5, $6, $7, $8)';
        return async () =>
          void (await pool.query(complete, ['bench', rows[0]['id'], token, 'null', Date.now(), true, null, null]));
      },
      close: () => pool.end(),
    };
  },
};
