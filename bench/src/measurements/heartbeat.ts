import { randomUUID } from 'node:crypto';
import { createPostgresStores } from '@criticizer/queue-pg';
import { newJob } from '../contenders/criticizer.ts';
import { openPool, readValue } from '../database.ts';
import { createRows, judge, type Measurement } from '../measurement.ts';
import { median } from '../statistics.ts';

const leases = 200;
const name = 'criticizer';

interface Counters {
  updates: number;
  hot: number;
  walBytes: number;
}

/** The counters of a session reach the view when it ends: they are read once its pool is closed. */
async function readCounters(url: string): Promise<Counters> {
  const pool = openPool(url, 1);
  try {
    const column = (expression: string) =>
      readValue<number>(
        pool,
        `SELECT ${expression}::float8 FROM pg_stat_user_tables WHERE relid = 'criticizer.work_queue'::regclass`,
      );
    const walBytes = await readValue<number>(
      pool,
      `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8`,
    );
    return { updates: await column('n_tup_upd'), hot: await column('n_tup_hot_upd'), walBytes };
  } finally {
    await pool.end();
  }
}

async function onStores<T>(
  url: string,
  body: (stores: ReturnType<typeof createPostgresStores>) => Promise<T>,
): Promise<T> {
  const pool = openPool(url, 2);
  const stores = createPostgresStores({ pool, migrate: 'auto' });
  try {
    await stores.migrationPlan();
    return await body(stores);
  } finally {
    await stores.close();
    await pool.end();
  }
}

export const heartbeat: Measurement = {
  name: 'heartbeat',
  title: `Heartbeats on PostgreSQL: ${leases} leases, each beaten 50 times; counters of the server`,
  async run(bench) {
    const beats = 50;
    const table = createRows();
    for (let round = 0; round < bench.rounds; round++) {
      await bench.server.withDatabase(async (url) => {
        const claimed = await onStores(url, async (stores) => {
          await stores.jobs.enqueue(Array.from({ length: leases }, (_, i) => newJob(i)));
          return stores.jobs.claim({
            kinds: ['bench'],
            owner: 'bench',
            token: randomUUID(),
            leaseMs: 60_000,
            limit: leases,
          });
        });
        const before = await readCounters(url);
        const held = claimed.map(({ lease }) => lease);
        await onStores(url, async (stores) => {
          for (let i = 0; i < beats; i++) {
            const lost = (await stores.jobs.heartbeat(held, 60_000)).filter((outcome) => outcome !== 'renewed');
            if (lost.length > 0 || held.length !== leases)
              throw new Error(`${lost.length} of ${held.length} leases were lost`);
          }
        });
        const after = await readCounters(url);
        const updates = after.updates - before.updates;
        if (updates !== leases * beats) throw new Error(`${updates} updates counted, not ${leases * beats}`);
        table.row(name, 'HOT updates', '%').rounds.push(((after.hot - before.hot) / updates) * 100);
        table.row(name, 'WAL per beat of one lease', 'bytes').rounds.push((after.walBytes - before.walBytes) / updates);
      });
    }
    const goal = { id: 'heartbeat-hot', says: 'HOT updates of heartbeats, %', target: 90, better: 'higher' as const };
    return {
      rows: table.rows,
      contenders: [{ name, library: '@criticizer/queue-pg', settings: { leases, beats } }],
      targets: [judge(goal, median(table.rows[0]?.rounds ?? []))],
    };
  },
};
