import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import type { Contender, JobData } from '../contender.ts';
import { openPool, readValue } from '../database.ts';

export interface GraphileSettings {
  concurrentJobs: number;
  maxPoolSize?: number;
  localQueue?: { size: number };
  completeJobBatchDelay?: number;
  failJobBatchDelay?: number;
}

const logger = new Logger(() => () => undefined);

export function graphileWorker(name: string, settings: GraphileSettings): Contender {
  return {
    name,
    library: 'graphile-worker',
    settings: { ...settings },
    async open(url) {
      const utils = await makeWorkerUtils({ connectionString: url, logger });
      await utils.migrate();
      const pool = openPool(url, 1);
      return {
        enqueue: async (numbers) =>
          void (await utils.addJobs(numbers.map((number) => ({ identifier: 'bench', payload: { number } })))),
        enqueueOne: async (number) => void (await utils.addJob('bench', { number })),
        async work(ran) {
          const taskList = { bench: async (data: unknown) => ran((data as JobData).number) };
          const preset = { worker: { connectionString: url, logger, ...settings } };
          const runner = await run({ preset, noHandleSignals: true, taskList, crontab: '' });
          return { stop: () => runner.stop() };
        },
        isDrained: () => readValue<boolean>(pool, 'SELECT NOT EXISTS (SELECT FROM graphile_worker._private_jobs)'),
        async close() {
          await utils.release();
          await pool.end();
        },
      };
    },
  };
}

/**
 * As the library's own pages name them: defaults at concurrency 10, what its release notes
 * recommend, and its published performance preset.
 */
export const graphileContenders: readonly Contender[] = [
  graphileWorker('graphile-worker default', { concurrentJobs: 10, maxPoolSize: 12 }),
  graphileWorker('graphile-worker recommended', {
    concurrentJobs: 10,
    maxPoolSize: 12,
    localQueue: { size: 11 },
    completeJobBatchDelay: 250,
    failJobBatchDelay: 250,
  }),
  graphileWorker('graphile-worker fast', {
    concurrentJobs: 24,
    maxPoolSize: 25,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  }),
];
