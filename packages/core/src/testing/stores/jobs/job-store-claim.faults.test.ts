import { describe, expect, it } from 'vitest';
import { openJobs, putJob, sweepExpired } from '../../../memory/jobs/memory-job-rows.js';
import type { MemoryTx } from '../../../memory/shared/memory-database.js';
import { checkClaimRequest } from '../../../stores/input/new-job.js';
import type { Job } from '../../../stores/job.js';
import { claimedJob } from '../../../stores/job-transitions.js';
import type { Stores } from '../../../stores/stores.js';
import { convictions, type PlantedFault } from '../../support/planted-fault.js';
import { describeJobStoreContract } from './job-store-contract.js';

type MemoryStores = Stores<MemoryTx>;

interface ClaimBug {
  order?: (a: Job, b: Job) => number;
  limitOff?: number;
  anyKind?: boolean;
  early?: boolean;
  attemptFree?: boolean;
  noSweep?: boolean;
}

function claimWith(bug: ClaimBug): PlantedFault['plant'] {
  const honestOrder = (a: Job, b: Job): number =>
    b.priority - a.priority || a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);
  return (_, database) => ({
    jobs: {
      claim: (request) =>
        database.write(undefined, (session) => {
          checkClaimRequest(request);
          if (bug.noSweep !== true) sweepExpired(session, 1000);
          const open = openJobs(session).map(({ job }) => job);
          const most = session.tables.limits.get('running');
          const running = open.filter((job) => job.status === 'running').length;
          const room = most === undefined ? request.limit : most + (bug.limitOff ?? 0) - running;
          const due = open.filter(
            (job) =>
              job.status === 'queued' &&
              (bug.early === true || job.runAt <= session.now) &&
              (bug.anyKind === true || request.kinds.includes(job.kind)),
          );
          const taken = due.sort(bug.order ?? honestOrder).slice(0, Math.max(0, Math.min(request.limit, room)));
          return taken.map((queued) => {
            const claimed = claimedJob(queued, session.now, request.owner, request.leaseMs);
            const job = bug.attemptFree === true ? { ...claimed, attempts: queued.attempts } : claimed;
            putJob(session, { job, token: request.token });
            return { job: structuredClone(job), lease: { jobId: job.id, owner: request.owner, token: request.token } };
          });
        }),
    },
  });
}

// WQ-2, WQ-3, WQ-8, WQ-10: what a claim and a sweep may get wrong.
const faults: readonly PlantedFault[] = [
  {
    name: 'two claims at once read the same rows',
    convictedBy: ['WQ-2: thirty concurrent claims', 'WQ-9: twenty concurrent claims'],
    plant: ({ jobs }) => {
      let reading: ReturnType<MemoryStores['jobs']['claim']> | undefined;
      return {
        jobs: {
          claim: (request) => {
            reading ??= jobs.claim(request).finally(() => {
              reading = undefined;
            });
            return reading;
          },
        },
      };
    },
  },
  {
    name: 'a sweep that requeues a completed job',
    convictedBy: ['WQ-8: a sweep touches no job that is completed'],
    plant: ({ jobs }, database) => ({
      jobs: {
        requeueExpired: async (options) => {
          const honest = await jobs.requeueExpired(options);
          const wrong = await database.write(undefined, (session) => {
            const ended = session.tables.jobs.rows().filter(({ job }) => job.status === 'completed');
            for (const { job } of ended) putJob(session, { job: { ...job, status: 'queued' }, token: null });
            return ended.map(({ job }) => ({ id: job.id, kind: job.kind, lostLeases: job.lostLeases }));
          });
          return [...honest, ...wrong];
        },
      },
    }),
  },
  {
    name: 'claims in the order of ids',
    convictedBy: ['WQ-3: claims follow priority'],
    plant: claimWith({ order: (a, b) => (a.id < b.id ? -1 : 1) }),
  },
  {
    name: 'the limit off by one',
    convictedBy: ['WQ-10: one claim never', 'WQ-10: concurrent claims together'],
    plant: claimWith({ limitOff: 1 }),
  },
  { name: 'claims of any kind', convictedBy: ['WQ-3: only the kinds'], plant: claimWith({ anyKind: true }) },
  {
    name: 'claims before runAt',
    convictedBy: ['WQ-3: a delayed job', 'ERR-5: retry queues'],
    plant: claimWith({ early: true }),
  },
  {
    name: 'claims that count no attempt',
    convictedBy: ['WQ-4:', 'ERR-5: retry queues'],
    plant: claimWith({ attemptFree: true }),
  },
  {
    name: 'expired leases that no claim takes',
    convictedBy: ['WQ-8: a claim takes', 'WQ-10: expired leases do not count'],
    plant: claimWith({ noSweep: true }),
  },
  {
    name: 'leases by the clock of a host ten minutes ahead',
    convictedBy: ['WQ-4:', 'WQ-8: a claim takes an expired lease at its instant', 'WQ-9:'],
    plant: ({ jobs }) => ({
      jobs: { claim: async (request) => jobs.claim({ ...request, leaseMs: request.leaseMs + 600_000 }) },
    }),
  },
  {
    name: 'claims in no order among jobs of one instant',
    convictedBy: ['WQ-3: claims follow priority'],
    plant: claimWith({
      order: (a, b) =>
        b.priority - a.priority || a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? 1 : -1),
    }),
  },
  {
    name: 'claims that forget the last failure',
    convictedBy: ['WQ-4: a claim gives each job'],
    plant: ({ jobs }) => ({
      jobs: {
        claim: async (request) =>
          (await jobs.claim(request)).map(({ job, lease }) => ({ job: { ...job, lastFailure: null }, lease })),
      },
    }),
  },
  {
    name: 'claims that cut a long payload',
    convictedBy: ['WQ-2: a claim of jobs with much payload'],
    plant: ({ jobs }) => ({
      jobs: {
        claim: async (request) =>
          (await jobs.claim(request)).map(({ job, lease }) => {
            const payload = typeof job.payload === 'string' ? job.payload.slice(0, 65_536) : job.payload;
            return { job: { ...job, payload }, lease };
          }),
      },
    }),
  },
  {
    name: 'the limit one too low',
    convictedBy: ['WQ-10: one claim never'],
    plant: claimWith({ limitOff: -1 }),
  },
  {
    name: 'delays counted by the clock of the host',
    convictedBy: ['WQ-3: a delayed job'],
    plant: ({ jobs }) => ({
      jobs: {
        enqueue: (wanted, options) =>
          jobs.enqueue(
            wanted.map((job) =>
              job.delayMs === undefined ? job : { ...job, runAt: job.runAt ?? new Date(Date.now() + job.delayMs) },
            ),
            options,
          ),
      },
    }),
  },
];

describe('the job store contract convicts claims', () => {
  for (const fault of faults) {
    it(fault.name, async () => {
      const convicted = await convictions(describeJobStoreContract, fault, fault.convictedBy);
      for (const title of fault.convictedBy) expect(convicted.filter((name) => name.startsWith(title))).not.toEqual([]);
    });
  }

  it('no store whose claim is merely rewritten', async () => {
    const plant: PlantedFault['plant'] = (...given) => claimWith({})(...given);
    expect(await convictions(describeJobStoreContract, { plant })).toEqual([]);
  });
});
