import { describe, expect, it } from 'vitest';
import { openJobs, putJob } from '../../../memory/jobs/memory-job-rows.js';
import { convictions, type PlantedFault, storable } from '../../support/planted-fault.js';
import { describeJobStoreContract } from './job-store-contract.js';

// NOT-1, NOT-2, WQ-1: what enqueue, cancel, reads, pruning and wake-ups may get wrong.
const faults: readonly PlantedFault[] = [
  {
    name: 'a transaction that commits what it should roll back',
    convictedBy: [
      'NOT-1: a rolled back enqueue',
      'WQ-2: a job of a transaction',
      'AUD-2: a settlement in the caller’s',
      'WQ-1: a cancel in a transaction',
    ],
    plant: (stores) => ({
      transaction: async (work) => {
        const outcome = await stores.transaction(async (tx) =>
          work(tx).then(
            (value) => ({ value }),
            (error: unknown) => ({ error }),
          ),
        );
        if ('error' in outcome) throw outcome.error;
        return outcome.value;
      },
    }),
  },
  {
    name: 'enqueue that looks first and inserts later',
    convictedBy: ['NOT-1: fifty concurrent submits'],
    plant: ({ jobs }, database) => ({
      jobs: {
        enqueue: async (wanted, options) => {
          if (options?.tx) return jobs.enqueue(wanted, options);
          const unknown = await database.read(undefined, ({ tables }) =>
            wanted.filter((job) => tables.jobKeys.get(job.idempotencyKey) === undefined),
          );
          // Not awaited: what was read before is acted on now, whatever happened since.
          void database.write(undefined, ({ tables }) => {
            for (const job of unknown) tables.jobKeys.remove(job.idempotencyKey);
          });
          return jobs.enqueue(wanted);
        },
      },
    }),
  },
  {
    name: 'versions that are not compared',
    convictedBy: [
      'NOT-2: the same change and version',
      'NOT-2: a strictly higher version',
      'NOT-2: twenty concurrent submits',
    ],
    plant: ({ jobs }, database) => ({
      jobs: {
        enqueue: (wanted, options) => {
          void database.write(options?.tx, ({ tables }) => {
            for (const { changelistId } of wanted)
              if (changelistId !== undefined) tables.jobsOfChange.remove(changelistId);
          });
          return jobs.enqueue(wanted, options);
        },
      },
    }),
  },
  {
    name: 'a cancel that stops running jobs',
    convictedBy: ['WQ-1: cancel flags running'],
    plant: ({ jobs }, database) => ({
      jobs: {
        cancel: async (ids, reason, options) => {
          await database.write(options?.tx, (session) => {
            for (const { job } of openJobs(session))
              if (ids.includes(job.id)) putJob(session, { job: { ...job, status: 'queued' }, token: null });
          });
          return jobs.cancel(ids, reason, options);
        },
      },
    }),
  },
  {
    name: 'a cancel that its owner never hears of',
    convictedBy: ['WQ-1 OPS-1: a heartbeat renews a lease whose job'],
    plant: ({ jobs }) => ({
      jobs: {
        heartbeat: async (...args) =>
          (await jobs.heartbeat(...args)).map((outcome) => (outcome === 'cancel-requested' ? 'renewed' : outcome)),
      },
    }),
  },
  {
    name: 'a priority that is set without comparing',
    convictedBy: ['WQ-3 OPS-1: setPriority moves'],
    plant: ({ jobs }) => ({
      jobs: {
        async setPriority(id, priority, options) {
          const [job] = await jobs.get([id]);
          return jobs.setPriority(id, { ...priority, expected: job?.priority ?? 0 }, options);
        },
      },
    }),
  },
  {
    name: 'pages that skip jobs of the same instant',
    convictedBy: ['WQ-1: list pages newest first'],
    plant: ({ jobs }) => ({
      jobs: {
        list: async ({ before, limit = 100, ...filter }) => {
          const all = await jobs.list({ ...filter, limit: 1000 });
          if (limit > 1000 || limit < 1) throw new TypeError('filter.limit');
          const last = all.find(({ id }) => id === before);
          return all.filter((job) => last === undefined || job.createdAt < last.createdAt).slice(0, limit);
        },
      },
    }),
  },
  {
    name: 'pruning of jobs with an open dead letter',
    convictedBy: ['WQ-1: prune deletes old', 'ERR-9: a failed job may be pruned'],
    plant: ({ jobs }, database) => ({
      jobs: {
        prune: async (options) => {
          await database.write(undefined, ({ tables }) => {
            for (const { id } of tables.deadLetters.rows()) tables.deadLetters.remove(id);
          });
          return jobs.prune(options);
        },
      },
    }),
  },
  {
    name: 'text that is normalized',
    convictedBy: ['WQ-1: text is kept to the character'],
    plant: ({ jobs }) => ({
      jobs: {
        enqueue: (wanted, options) =>
          jobs.enqueue(
            wanted.map((job) => ({ ...job, idempotencyKey: job.idempotencyKey.normalize() })),
            options,
          ),
      },
    }),
  },
  {
    name: 'jobs whose odd text is replaced without a word',
    convictedBy: ['NOT-1: a call with one bad job'],
    plant: ({ jobs }) => ({ jobs: { enqueue: (wanted, options) => jobs.enqueue(storable(wanted), options) } }),
  },
  {
    name: 'a depth that ages jobs from their creation',
    convictedBy: ['WQ-1: depth counts'],
    plant: ({ jobs }, database) => ({
      jobs: {
        depth: async () => {
          const depth = await jobs.depth();
          const ages = await database.read(undefined, (session) =>
            openJobs(session).map(({ job }) => session.now.getTime() - job.createdAt.getTime()),
          );
          return { ...depth, oldestDueMs: depth.due === 0 ? 0 : Math.max(...ages) };
        },
      },
    }),
  },
  {
    name: 'a depth that overlooks expired leases',
    convictedBy: ['WQ-1: depth counts'],
    plant: ({ jobs }, database) => ({
      jobs: {
        depth: async () => {
          const depth = await jobs.depth();
          const expired = await database.read(undefined, (session) =>
            openJobs(session).filter(({ job }) => job.leaseExpiresAt !== null && job.leaseExpiresAt <= session.now),
          );
          return { ...depth, running: depth.running - expired.length };
        },
      },
    }),
  },
  {
    name: 'rows that are the store’s own',
    convictedBy: ['INV-1: rows handed out are copies'],
    plant: ({ jobs }, database) => ({
      jobs: {
        enqueue: async (wanted, options) => {
          const results = await jobs.enqueue(wanted, options);
          return database.read(options?.tx, ({ tables }) =>
            results.map((result) => ({ ...result, job: tables.jobs.get(result.job.id)?.job ?? result.job })),
          );
        },
      },
    }),
  },
  {
    name: 'a wake-up lost after the first',
    convictedBy: ['WQ-11: where subscribe is offered'],
    plant: ({ jobs }) => ({
      jobs: {
        subscribe: async (listener) => {
          let told = false;
          const once = (): void => {
            if (!told) listener();
            told = true;
          };
          return jobs.subscribe ? jobs.subscribe(once) : async () => undefined;
        },
      },
    }),
  },
];

describe('the job store contract convicts rows', () => {
  for (const fault of faults) {
    it(fault.name, async () => {
      const convicted = await convictions(describeJobStoreContract, fault, fault.convictedBy);
      for (const title of fault.convictedBy) expect(convicted.filter((name) => name.startsWith(title))).not.toEqual([]);
    });
  }
});
