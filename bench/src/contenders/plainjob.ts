import Database from 'better-sqlite3';
import { better, defineQueue, defineWorker, JobStatus } from 'plainjob';
import type { Contender, JobData } from '../contender.ts';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

export function openPlainjob(file: string, synchronous: 'normal' | 'full') {
  const connection = better(new Database(file));
  const queue = defineQueue({ connection, logger: silent });
  connection.pragma(`synchronous = ${synchronous}`); // the queue sets NORMAL
  return { queue, close: () => queue.close() };
}

/** One worker is its fastest: each claim and each completion is a synchronous statement. */
export function plainjob(name: string, synchronous: 'normal' | 'full', pollIntervall: number): Contender {
  return {
    name,
    library: 'plainjob',
    settings: { synchronous, workers: 1, pollIntervall },
    async open(file) {
      const { queue, close } = openPlainjob(file, synchronous);
      return {
        enqueue: async (numbers) =>
          void queue.addMany(
            'bench',
            numbers.map((number) => ({ number })),
          ),
        enqueueOne: async (number) => void queue.add('bench', { number }),
        async work(ran) {
          const handler = (job: { data: string }): void => ran((JSON.parse(job.data) as JobData).number);
          const worker = defineWorker('bench', handler, { queue, pollIntervall, logger: silent });
          const ended = worker.start();
          return {
            async stop() {
              await worker.stop();
              await ended;
            },
          };
        },
        isDrained: async () =>
          queue.countJobs({ status: JobStatus.Pending }) === 0 &&
          queue.countJobs({ status: JobStatus.Processing }) === 0,
        close: async () => close(),
      };
    },
  };
}
