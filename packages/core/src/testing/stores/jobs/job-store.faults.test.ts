import { describe, expect, it } from 'vitest';
import { putJob } from '../../../memory/jobs/memory-job-rows.js';
import type { MemoryDatabase, MemoryTx } from '../../../memory/shared/memory-database.js';
import type { Job } from '../../../stores/job.js';
import type { Settlement } from '../../../stores/job-store.js';
import type { Stores } from '../../../stores/stores.js';
import { convictions, type PlantedFault, storable } from '../../support/planted-fault.js';
import { sampleDeadLetter } from '../sample-rows.js';
import { describeJobStoreContract } from './job-store-contract.js';

type MemoryStores = Stores<MemoryTx>;

/** A settle that rewrites its settlements first. */
function settleWith(
  change: (settlement: Settlement, database: MemoryDatabase) => Promise<Settlement>,
): PlantedFault['plant'] {
  return ({ jobs }, database) => ({
    jobs: {
      settle: async (settlements, options) => {
        const changed: Settlement[] = [];
        for (const settlement of settlements)
          changed.push(options?.tx ? settlement : await change(settlement, database));
        return jobs.settle(changed, options);
      },
    },
  });
}

/** A settle whose settled jobs are changed in a second write. */
function afterSettle(change: (job: Job, settlement: Settlement) => Partial<Job> | undefined): PlantedFault['plant'] {
  return ({ jobs }, database) => ({
    jobs: {
      settle: async (settlements, options) => {
        const outcomes = await jobs.settle(settlements, options);
        await database.write(options?.tx, (session) => {
          for (const [n, settlement] of settlements.entries()) {
            const held = session.tables.jobs.get(settlement.lease.jobId);
            const changes = held && outcomes[n] === 'settled' ? change(held.job, settlement) : undefined;
            if (held && changes) putJob(session, { ...held, job: { ...held.job, ...changes } });
          }
        });
        return outcomes;
      },
    },
  });
}

/** The lease of whoever holds the job now: what an unfenced statement matches. */
async function holderOf(database: MemoryDatabase, lease: Settlement['lease']): Promise<Settlement['lease']> {
  const held = await database.read(undefined, ({ tables }) => tables.jobs.get(lease.jobId));
  return { jobId: lease.jobId, owner: held?.job.claimedBy ?? lease.owner, token: held?.token ?? lease.token };
}

const noMail =
  ({ jobs }: MemoryStores): MemoryStores['jobs']['settle'] =>
  (settlements, options) =>
    jobs.settle(
      settlements.map((settlement) =>
        settlement.kind === 'done' ? { ...settlement, requireNotified: false } : settlement,
      ),
      options,
    );

// INV-3, WQ-5..7, NOT-3, NOT-10, ERR-5..7: what heartbeat and settle may get wrong.
const faults: readonly PlantedFault[] = [
  {
    name: 'settle without a fence',
    convictedBy: [
      'WQ-6: every kind of settlement',
      'WQ-8: a claim takes an expired lease',
      'INV-3: nothing of a settlement remains',
    ],
    plant: settleWith(async (settlement, database) => ({
      ...settlement,
      lease: await holderOf(database, settlement.lease),
    })),
  },
  {
    name: 'settle that takes a repeated settlement for a new one',
    convictedBy: ['INV-3: a settlement that keeps its lease'],
    plant: ({ jobs }) => ({
      jobs: {
        settle: (settlements, options) =>
          jobs.settle(
            settlements.map((one) =>
              one.kind === 'advance' || one.kind === 'checkpoint' ? { ...one, id: undefined } : one,
            ),
            options,
          ),
      },
    }),
  },
  {
    name: 'settle fenced by owner, not by token',
    convictedBy: ['INV-3: the same owner under a new token'],
    plant: settleWith(async (settlement, database) => {
      const holder = await holderOf(database, settlement.lease);
      return holder.owner === settlement.lease.owner ? { ...settlement, lease: holder } : settlement;
    }),
  },
  {
    name: 'settle of many that takes the owner of one for the owner of all',
    convictedBy: ['WQ-7 INV-3: of the ends of one claim'],
    plant: ({ jobs }) => ({
      jobs: {
        settle: (settlements, options) => {
          const owner = settlements[0]?.lease.owner ?? '';
          return jobs.settle(
            settlements.length < 2
              ? settlements
              : settlements.map((one) => ({ ...one, lease: { ...one.lease, owner } })),
            options,
          );
        },
      },
    }),
  },
  {
    name: 'heartbeat without a fence',
    convictedBy: ['WQ-5: wrong owner, wrong token', 'INV-3: the same owner under a new token'],
    plant: ({ jobs }, database) => ({
      jobs: {
        heartbeat: async (leases, ms) =>
          jobs.heartbeat(await Promise.all(leases.map((lease) => holderOf(database, lease))), ms),
      },
    }),
  },
  {
    name: 'acknowledge before the effects, which a crash then loses',
    convictedBy: ['NOT-3: every kind of settlement commits'],
    plant: settleWith(async (settlement) => ({ ...settlement, effects: undefined })),
  },
  {
    name: 'effects written before the fence is checked',
    convictedBy: ['INV-3: nothing of a settlement remains'],
    plant: ({ jobs, outbox }) => ({
      jobs: {
        settle: async (settlements, options) => {
          for (const { effects } of settlements) if (!options?.tx && effects?.outbox) await outbox.add(effects.outbox);
          return jobs.settle(settlements, options);
        },
      },
    }),
  },
  {
    name: 'a wait that spends the attempt',
    convictedBy: ['ERR-5: wait gives the attempt back'],
    plant: afterSettle((job, { kind }) =>
      kind === 'wait' ? { attempts: { ...job.attempts, [job.stage]: 1 } } : undefined,
    ),
  },
  {
    name: 'an advance that counts no attempt',
    convictedBy: ['ERR-5: advance keeps'],
    plant: afterSettle((job, { kind }) =>
      kind === 'advance' ? { attempts: { ...job.attempts, [job.stage]: 0 } } : undefined,
    ),
  },
  {
    name: 'an advance that keeps the lost leases',
    convictedBy: ['WQ-9: lost leases add up'],
    plant: afterSettle((_, { kind }) => (kind === 'advance' ? { lostLeases: 3 } : undefined)),
  },
  {
    name: 'a transition number that stands still',
    convictedBy: ['INV-1: transitionNo strictly grows'],
    plant: afterSettle((job) => ({ transitionNo: job.transitionNo - 1 })),
  },
  {
    name: 'done without the mail guard',
    convictedBy: ['NOT-10: done is refused', 'NOT-10: in a mixture'],
    plant: (stores) => ({ jobs: { settle: noMail(stores) } }),
  },
  {
    name: 'publishing that overlooks what a sweeper took',
    convictedBy: ['ART-7: what a sweeper has taken'],
    plant: settleWith(async (settlement, database) => {
      const publish = await database.read(undefined, ({ tables }) =>
        settlement.effects?.publish?.filter(
          (id) => tables.artifacts.get(id)?.lease === null && tables.artifacts.get(id)?.row.status !== 'deleted',
        ),
      );
      return { ...settlement, effects: { ...settlement.effects, publish } };
    }),
  },
  {
    name: 'a dead letter that leaves the failure of its job as it was',
    convictedBy: ['ERR-7: the failure that ends a job', 'ERR-7: a dead letter without an earlier failure'],
    plant: ({ jobs }, database) => ({
      jobs: {
        settle: async (settlements, options) => {
          const before = await jobs.get(settlements.map(({ lease }) => lease.jobId));
          const outcomes = await jobs.settle(settlements, options);
          await database.write(options?.tx, (session) => {
            for (const [n, { lease, kind }] of settlements.entries()) {
              const held = session.tables.jobs.get(lease.jobId);
              if (!held || kind !== 'dead-letter' || outcomes[n] !== 'settled') continue;
              putJob(session, { ...held, job: { ...held.job, lastFailure: before[n]?.lastFailure ?? null } });
            }
          });
          return outcomes;
        },
      },
    }),
  },
  {
    name: 'a fail that leaves a dead letter',
    convictedBy: [
      'WQ-1 ERR-6: fail ends a job',
      'WQ-1: a job that ended by fail is pruned',
      'ERR-9: a replay that ends by fail',
    ],
    plant: settleWith(async (settlement) =>
      settlement.kind === 'fail'
        ? { lease: settlement.lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() }
        : settlement,
    ),
  },
  {
    name: 'a fail that completes',
    convictedBy: ['WQ-1 ERR-6: fail ends a job'],
    plant: settleWith(async (settlement) => {
      if (settlement.kind !== 'fail') return settlement;
      const { lease, effects, result = {} } = settlement;
      return { lease, effects, kind: 'done', result, requireNotified: false };
    }),
  },
  {
    name: 'a fail whose code is lost',
    convictedBy: ['WQ-1 ERR-6: fail ends a job', 'ERR-9: a replay that ends by fail'],
    plant: afterSettle((_, { kind }) => (kind === 'fail' ? { lastFailure: null } : undefined)),
  },
  {
    name: 'a last failure that holds the whole stack',
    convictedBy: ['ERR-7: the failure that ends a job', 'ERR-7: a dead letter without an earlier failure'],
    plant: afterSettle((job, settlement) =>
      settlement.kind === 'dead-letter' && job.lastFailure !== null
        ? { lastFailure: { ...job.lastFailure, message: settlement.deadLetter.lastStack } }
        : undefined,
    ),
  },
  {
    name: 'settlements whose odd text is replaced without a word',
    convictedBy: ['WQ-7: what no store could hold'],
    plant: ({ jobs }) => ({ jobs: { settle: (settlements, options) => jobs.settle(storable(settlements), options) } }),
  },
  {
    name: 'a deleteRow that keeps the row',
    convictedBy: ['WQ-7: done with deleteRow leaves no row'],
    plant: settleWith(async (settlement) =>
      settlement.kind === 'done' ? { ...settlement, deleteRow: false } : settlement,
    ),
  },
  {
    name: 'a deleteRow that forgets whose replay a job was',
    convictedBy: ['ERR-10: a replay keeps its row'],
    plant: ({ jobs }, database) => ({
      jobs: {
        settle: async (settlements, options) => {
          const outcomes = await jobs.settle(settlements, options);
          await database.write(options?.tx, ({ tables }) => {
            for (const [n, settlement] of settlements.entries())
              if (outcomes[n] === 'settled' && settlement.kind === 'done' && settlement.deleteRow === true)
                tables.jobs.remove(settlement.lease.jobId);
          });
          return outcomes;
        },
      },
    }),
  },
];

describe('the job store contract convicts settlements', () => {
  for (const fault of faults) {
    it(fault.name, async () => {
      const convicted = await convictions(describeJobStoreContract, fault, fault.convictedBy);
      for (const title of fault.convictedBy) expect(convicted.filter((name) => name.startsWith(title))).not.toEqual([]);
    });
  }

  it('no honest store', async () => {
    expect(await convictions(describeJobStoreContract, { plant: () => ({}) })).toEqual([]);
  });
});
