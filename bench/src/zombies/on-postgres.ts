import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgresStores } from '@criticizer/queue-pg';
import { PgBoss } from 'pg-boss';
import { bullmq } from '../contenders/bullmq.ts';
import { graphileContenders } from '../contenders/graphile-worker.ts';
import { openGraphileSql } from '../contenders/graphile-worker-claims.ts';
import { openPool, readValue } from '../database.ts';
import { playOnStores } from './on-stores.ts';
import type { Zombie } from './zombie.ts';

const criticizer: Zombie = {
  name: 'criticizer (PostgreSQL)',
  isOurs: true,
  async play(url) {
    const pool = openPool(url, 4);
    const stores = createPostgresStores({ pool, migrate: 'auto' });
    try {
      return await playOnStores(stores);
    } finally {
      await stores.close();
      await pool.end();
    }
  },
};

/** Its lock lasts four hours: the row is made older instead of waiting, then its own sweep runs. */
const graphile: Zombie = {
  name: 'graphile-worker',
  isOurs: false,
  async play(url) {
    const queue = await graphileContenders[0]?.open(url);
    await queue?.enqueueOne(0);
    await queue?.close();
    const pool = openPool(url, 4);
    try {
      const sql = await openGraphileSql(pool);
      const late = await sql.claim('A', 1);
      await pool.query(`UPDATE graphile_worker._private_jobs SET locked_at = locked_at - interval '5 hours'`);
      await sql.sweep();
      const held = await sql.claim('B', 1);
      if (late[0]?.id === undefined || late[0].id !== held[0]?.id) throw new Error('B did not claim the job of A');
      await sql.complete('A', late);
      const rows = await readValue<number>(pool, 'SELECT count(*)::int FROM graphile_worker._private_jobs');
      return {
        isRefused: rows === 1,
        told: rows === 1 ? 'the row stays with B' : 'the row was deleted while B runs the job',
      };
    } finally {
      await pool.end();
    }
  },
};

function pgBoss(name: string, isFenced: boolean): Zombie {
  return {
    name,
    isOurs: false,
    async play(url) {
      const boss = new PgBoss({ connectionString: url, max: 4, supervise: false, schedule: false });
      boss.on('error', () => undefined);
      await boss.start();
      const pool = openPool(url, 1);
      try {
        await boss.createQueue('bench', { expireInSeconds: 1 });
        await boss.send('bench', { number: 0 });
        const [late] = await boss.fetch('bench');
        await sleep(1_500);
        await boss.supervise('bench');
        const [held] = await boss.fetch('bench');
        if (late === undefined || held?.id !== late.id) throw new Error('B did not fetch the job of A');
        const { affected } = await boss.complete('bench', isFenced ? late : late.id);
        const state = await readValue<string>(pool, `SELECT state::text FROM pgboss.job WHERE name = 'bench'`);
        return { isRefused: state === 'active', told: `affected ${affected}; the job is ${state} while B runs it` };
      } finally {
        await boss.stop({ graceful: false });
        await pool.end();
      }
    },
  };
}

const bull: Zombie = {
  name: 'BullMQ on PostgreSQL',
  isOurs: false,
  async play(url) {
    const queue = await bullmq.open(url);
    await queue.enqueueOne(0);
    await queue.close();
    const pool = openPool(url, 2);
    const claim = (token: string) =>
      readValue<string>(pool, 'SELECT id FROM bullmq.move_to_active($1, $2, 1, $3, $2, NULL, NULL)', [
        'bench',
        token,
        Date.now(),
      ]);
    const sweep = () =>
      pool.query('SELECT bullmq.move_stalled_jobs_to_wait($1, 1, $2, 0)', ['bench', Date.now() + 60_000]);
    try {
      const late = await claim('A');
      await sweep(); // marks
      await sweep(); // and takes what is still marked
      if ((await claim('B')) !== late) throw new Error('B did not claim the job of A');
      const complete = `SELECT bullmq.move_to_completed('bench', $1, 'A', 'null', $2, false, NULL, NULL)`;
      const error = await pool.query(complete, [late, Date.now()]).then(
        () => undefined,
        (reason: Error) => reason,
      );
      const state = await readValue<string>(pool, 'SELECT state::text FROM bullmq.job');
      return { isRefused: state === 'active', told: `${error?.message ?? 'no error'}; the job is ${state}` };
    } finally {
      await pool.end();
    }
  },
};

export const pgZombies: readonly Zombie[] = [
  criticizer,
  graphile,
  pgBoss('pg-boss, complete(id)', false),
  pgBoss('pg-boss, complete(fetched job)', true),
  bull,
];
