import type { Contender } from '../contender.ts';
import { openPool, readValue } from '../database.ts';

const schema = `CREATE TABLE IF NOT EXISTS floor_job (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, number int NOT NULL, priority int NOT NULL DEFAULT 0, status int NOT NULL DEFAULT 0,
    attempts int NOT NULL DEFAULT 0, created_at timestamptz NOT NULL DEFAULT now(), lease_owner text, lease_expires_at timestamptz);
  CREATE INDEX IF NOT EXISTS floor_job_ready ON floor_job (priority DESC, created_at, id) WHERE status = 0`;
const claim = `WITH c AS (SELECT id FROM floor_job WHERE status = 0 ORDER BY priority DESC, created_at, id LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE floor_job AS j SET status = 1, attempts = attempts + 1, lease_owner = $1, lease_expires_at = now() + interval '30 s'
  FROM c WHERE j.id = c.id RETURNING j.id::text, j.number`;
const complete = 'DELETE FROM floor_job WHERE id = ANY($1::bigint[]) AND status = 1 AND lease_owner = $2';
const batch = 200;
const loops = 4;

/**
 * What the server gives to the two statements that a fenced queue cannot do without: four loops
 * claim and complete 200 at a time.
 */
export const bareSql: Contender = {
  name: 'bare SQL (floor)',
  library: undefined,
  settings: { loops, batch, claim: 'synchronous_commit=off', complete: 'synchronous_commit=on' },
  async open(url) {
    const pool = openPool(url, 2 * loops);
    await pool.query(schema);
    const insert = (numbers: readonly number[]) =>
      pool.query('INSERT INTO floor_job (number) SELECT unnest($1::int[])', [numbers]);
    return {
      enqueue: async (numbers) => void (await insert(numbers)),
      enqueueOne: async (number) => void (await insert([number])),
      async work(ran) {
        let isStopping = false;
        const loop = async (owner: string): Promise<void> => {
          const claimer = await pool.connect();
          await claimer.query('SET synchronous_commit = off');
          while (!isStopping) {
            const { rows } = await claimer.query({ name: 'claim', text: claim, values: [owner, batch] });
            if (rows.length === 0) break;
            for (const { number } of rows) ran(number as number);
            await pool.query({
              name: 'complete',
              text: complete,
              values: [rows.map((row) => row['id'] as string), owner],
            });
          }
          claimer.release(true);
        };
        const all = Promise.all(Array.from({ length: loops }, (_, i) => loop(`floor-${i}`)));
        return {
          async stop() {
            isStopping = true;
            await all;
          },
        };
      },
      isDrained: () => readValue<boolean>(pool, 'SELECT NOT EXISTS (SELECT FROM floor_job)'),
      close: () => pool.end(),
    };
  },
};
