import type pg from 'pg';
import { type ClaimContender, mustClaim } from '../claims.ts';
import { openPool, readValue } from '../database.ts';
import { graphileContenders } from './graphile-worker.ts';

interface Options {
  escapedWorkerSchema: string;
  workerSchema: string;
  resolvedPreset: { worker: { preparedStatements: boolean; useNodeTime: boolean } };
  logger: { error(message: string): void };
}
type WithClient = (<T>(body: (client: pg.PoolClient) => Promise<T>) => Promise<T>) & { withRetries: WithClient };
interface GraphileJob {
  id: string;
  job_queue_id: number | null;
}

/** The library's statements as its worker calls them; no entry of its exports gives them. */
export interface GraphileSql {
  claim(workerId: string, limit: number): Promise<readonly GraphileJob[]>;
  complete(workerId: string, jobs: readonly GraphileJob[]): Promise<void>;
  /** Its sweep of jobs locked for more than four hours. */
  sweep(): Promise<void>;
}

export async function openGraphileSql(pool: pg.Pool): Promise<GraphileSql> {
  const load = async (name: string): Promise<unknown> =>
    import(new URL(`../../node_modules/graphile-worker/dist/sql/${name}.js`, import.meta.url).href);
  const { batchGetJobs } = (await load('getJobs')) as {
    batchGetJobs(
      o: Options,
      w: WithClient,
      tasks: object,
      worker: string,
      flags: null,
      limit: number,
    ): Promise<readonly GraphileJob[]>;
  };
  const { batchCompleteJobs } = (await load('completeJobs')) as {
    batchCompleteJobs(o: Options, w: WithClient, worker: string, jobs: readonly GraphileJob[]): Promise<void>;
  };
  const { resetLockedAt } = (await load('resetLockedAt')) as {
    resetLockedAt(o: Options, w: WithClient): Promise<void>;
  };
  const options: Options = {
    escapedWorkerSchema: '"graphile_worker"',
    workerSchema: 'graphile_worker',
    resolvedPreset: { worker: { preparedStatements: true, useNodeTime: false } },
    logger: { error: () => undefined },
  };
  const onClient = async <T>(body: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    try {
      return await body(client);
    } finally {
      client.release();
    }
  };
  const withClient: WithClient = Object.assign(onClient, { withRetries: onClient as WithClient });
  const tasks = { bench: () => undefined };
  return {
    claim: (workerId, limit) => batchGetJobs(options, withClient, tasks, workerId, null, limit),
    complete: (workerId, jobs) => batchCompleteJobs(options, withClient, workerId, jobs),
    sweep: () => resetLockedAt(options, withClient),
  };
}

const tomorrow = `now() + interval '1 day'`;

export const graphileClaims: ClaimContender = {
  name: 'graphile-worker',
  library: 'graphile-worker',
  settings: { preparedStatements: true, completed: 'deleted' },
  keepsFinished: false,
  async open(url) {
    const queue = await graphileContenders[0]?.open(url); // migrates
    await queue?.enqueueOne(0); // makes the task known
    await queue?.close();
    const pool = openPool(url, 10);
    const sql = await openGraphileSql(pool);
    const task = await readValue<number>(
      pool,
      `SELECT id FROM graphile_worker._private_tasks WHERE identifier = 'bench'`,
    );
    return {
      async fill(state, rows) {
        const [priority, runAt] =
          state === 'future' ? ['-9', tomorrow] : ['g % 3', `now() - interval '1 hour' + g * interval '1 ms'`];
        await pool.query(
          `INSERT INTO graphile_worker._private_jobs (task_id, payload, priority, run_at)
            SELECT $1, json_build_object('number', g), ${priority}, ${runAt} FROM generate_series(1, $2::int) AS g`,
          [task, rows],
        );
        await pool.query('VACUUM (ANALYZE) graphile_worker._private_jobs');
      },
      async claim(limit) {
        const jobs = await sql.claim('bench', limit);
        mustClaim(jobs.length);
        return () => sql.complete('bench', jobs);
      },
      close: () => pool.end(),
    };
  },
};
