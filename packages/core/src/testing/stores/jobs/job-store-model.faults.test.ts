import { describe, expect, it } from 'vitest';
import { convictions, type PlantedFault } from '../../support/planted-fault.js';
import { describeJobStoreModel } from './job-store-model.js';

const faults: readonly Omit<PlantedFault, 'convictedBy'>[] = [
  {
    name: 'settle by owner and status alone',
    plant: ({ jobs }, database) => ({
      jobs: {
        settle: async (settlements, options) => {
          const unfenced = settlements.map(async (settlement) => {
            const held = await database.read(undefined, ({ tables }) => tables.jobs.get(settlement.lease.jobId));
            const { jobId, owner, token } = settlement.lease;
            return {
              ...settlement,
              lease: { jobId, owner: held?.job.claimedBy ?? owner, token: held?.token ?? token },
            };
          });
          return jobs.settle(await Promise.all(unfenced), options);
        },
      },
    }),
  },
  {
    name: 'a wait that spends the attempt',
    plant: ({ jobs }) => ({
      jobs: {
        settle: (settlements, options) =>
          jobs.settle(
            settlements.map((settlement) =>
              settlement.kind === 'wait'
                ? { ...settlement, kind: 'retry', failure: { code: 'X', category: 'network', message: 'm' } }
                : settlement,
            ),
            options,
          ),
      },
    }),
  },
  {
    name: 'a limit that is not looked at',
    plant: ({ limits }) => ({
      limits: { set: (name, value, options) => limits.set(name, value === null ? null : 1000, options) },
    }),
  },
  {
    name: 'leases that are longer than asked',
    plant: ({ jobs }) => ({ jobs: { claim: (request) => jobs.claim({ ...request, leaseMs: request.leaseMs + 1 }) } }),
  },
  {
    name: 'a job lost by a sweep',
    plant: ({ jobs }, database) => ({
      jobs: {
        requeueExpired: async (options) => {
          const swept = await jobs.requeueExpired(options);
          await database.write(undefined, ({ tables }) => {
            for (const { id } of swept) tables.jobs.remove(id);
          });
          return swept;
        },
      },
    }),
  },
];

const suite: Parameters<typeof convictions>[0] = (runner, harness) =>
  describeJobStoreModel(runner, harness, { runs: 150, seed: 20_260_101 });

describe('the job store model convicts', () => {
  for (const fault of faults) {
    it(fault.name, async () => {
      expect(await convictions(suite, fault)).toHaveLength(1);
    });
  }

  it('no honest store', async () => {
    expect(await convictions(suite, { plant: () => ({}) })).toEqual([]);
  });
});
