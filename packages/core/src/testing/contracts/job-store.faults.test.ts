import { describe, expect, it } from 'vitest';
import type { Job } from '../../jobs/job.js';
import type { Settlement } from '../../jobs/job-store.js';
import { claimedJob } from '../../jobs/job-transitions.js';
import { openJobs, putJob, sweepExpired } from '../../jobs/memory-job-rows.js';
import { checkClaimRequest } from '../../jobs/new-job.js';
import type { MemoryDatabase, MemoryTx } from '../../memory-database.js';
import { storableText } from '../../storable-text.js';
import type { Stores } from '../../stores.js';
import { describeJobStoreContract } from './job-store-contract.js';
import { convictions, type PlantedFault } from './planted-fault.js';

type MemoryStores = Stores<MemoryTx>;

/** A settle that rewrites its settlements first. */
function settleWith(change: (settlement: Settlement, database: MemoryDatabase) => Promise<Settlement>): PlantedFault['plant'] {
  return ({ jobs }, database) => ({
    jobs: {
      settle: async (settlements, options) => {
        const changed: Settlement[] = [];
        for (const settlement of settlements) changed.push(options?.tx ? settlement : await change(settlement, database));
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

/** The lease of whoever holds the job now: what an unfenced statement matches. */
async function holderOf(database: MemoryDatabase, lease: Settlement['lease']): Promise<Settlement['lease']> {
  const held = await database.read(undefined, ({ tables }) => tables.jobs.get(lease.jobId));
  return { jobId: lease.jobId, owner: held?.job.claimedBy ?? lease.owner, token: held?.token ?? lease.token };
}

/** The same value with its text made storable, as a driver does that encodes what it is given. */
function storable<T>(value: T): T {
  const made = (inner: unknown): unknown => {
    if (typeof inner === 'string') return storableText(inner);
    if (Array.isArray(inner)) return inner.map(made);
    if (typeof inner !== 'object' || inner === null || inner instanceof Date) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, one]) => [storableText(key), made(one)]));
  };
  return made(value) as T;
}

const noMail =
  ({ jobs }: MemoryStores): MemoryStores['jobs']['settle'] =>
  (settlements, options) =>
    jobs.settle(
      settlements.map((settlement) => (settlement.kind === 'done' ? { ...settlement, requireNotified: false } : settlement)),
      options,
    );

const faults: readonly PlantedFault[] = [
  {
    name: 'settle without a fence',
    convictedBy: ['WQ-6: every kind of settlement', 'WQ-8: a claim takes an expired lease', 'INV-3: nothing of a settlement remains'],
    plant: settleWith(async (settlement, database) => ({ ...settlement, lease: await holderOf(database, settlement.lease) })),
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
    name: 'heartbeat without a fence',
    convictedBy: ['WQ-5: wrong owner, wrong token', 'INV-3: the same owner under a new token'],
    plant: ({ jobs }, database) => ({
      jobs: { heartbeat: async (leases, ms) => jobs.heartbeat(await Promise.all(leases.map((lease) => holderOf(database, lease))), ms) },
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
    name: 'leases by the clock of a host ten minutes ahead',
    convictedBy: ['WQ-4:', 'WQ-8: a claim takes an expired lease at its instant', 'WQ-9:'],
    plant: ({ jobs }) => ({ jobs: { claim: async (request) => jobs.claim({ ...request, leaseMs: request.leaseMs + 600_000 }) } }),
  },
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
  { name: 'claims before runAt', convictedBy: ['WQ-3: a delayed job', 'ERR-5: retry queues'], plant: claimWith({ early: true }) },
  { name: 'claims that count no attempt', convictedBy: ['WQ-4:', 'ERR-5: retry queues'], plant: claimWith({ attemptFree: true }) },
  {
    name: 'expired leases that no claim takes',
    convictedBy: ['WQ-8: a claim takes', 'WQ-10: expired leases do not count'],
    plant: claimWith({ noSweep: true }),
  },
  {
    name: 'a wait that spends the attempt',
    convictedBy: ['ERR-5: wait gives the attempt back'],
    plant: afterSettle((job, { kind }) => (kind === 'wait' ? { attempts: { ...job.attempts, [job.stage]: 1 } } : undefined)),
  },
  {
    name: 'an advance that counts no attempt',
    convictedBy: ['ERR-5: advance keeps'],
    plant: afterSettle((job, { kind }) => (kind === 'advance' ? { attempts: { ...job.attempts, [job.stage]: 0 } } : undefined)),
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
    name: 'a last failure that holds the whole stack',
    convictedBy: ['ERR-7: the failure that ends a job', 'ERR-7: a dead letter without an earlier failure'],
    plant: afterSettle((job, settlement) =>
      settlement.kind === 'dead-letter' && job.lastFailure !== null
        ? { lastFailure: { ...job.lastFailure, message: settlement.deadLetter.lastStack } }
        : undefined,
    ),
  },
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
    convictedBy: ['NOT-2: the same change and version', 'NOT-2: a strictly higher version', 'NOT-2: twenty concurrent submits'],
    plant: ({ jobs }, database) => ({
      jobs: {
        enqueue: (wanted, options) => {
          void database.write(options?.tx, ({ tables }) => {
            for (const { changelistId } of wanted) if (changelistId !== undefined) tables.jobsOfChange.remove(changelistId);
          });
          return jobs.enqueue(wanted, options);
        },
      },
    }),
  },
  {
    name: 'a cancel that stops running jobs',
    convictedBy: ['WQ-1: cancel refuses running'],
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
    name: 'pages that skip jobs of the same instant',
    convictedBy: ['WQ-1: list pages newest first'],
    plant: ({ jobs }) => ({
      jobs: {
        list: async ({ before, limit = 100, ...filter }) => {
          const all = await jobs.list({ ...filter, limit: 1000 });
          if (limit > 1000 || limit < 1) throw new TypeError('filter.limit');
          return all.filter((job) => before === undefined || job.createdAt < before.createdAt).slice(0, limit);
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
    name: 'settlements whose odd text is replaced without a word',
    convictedBy: ['WQ-7: what no store could hold'],
    plant: ({ jobs }) => ({ jobs: { settle: (settlements, options) => jobs.settle(storable(settlements), options) } }),
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

describe('the job store contract convicts', () => {
  for (const fault of faults) {
    it(fault.name, async () => {
      const convicted = await convictions(describeJobStoreContract, fault, fault.convictedBy);
      for (const title of fault.convictedBy) expect(convicted.filter((name) => name.startsWith(title))).not.toEqual([]);
    });
  }

  it('no honest store', async () => {
    expect(await convictions(describeJobStoreContract, { plant: () => ({}) })).toEqual([]);
  });

  it('no store whose claim is merely rewritten', async () => {
    const plant: PlantedFault['plant'] = (stores, database) => claimWith({})(stores, database);
    expect(await convictions(describeJobStoreContract, { plant })).toEqual([]);
  });
});
