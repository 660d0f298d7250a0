// Bad queues, made of the good one inside the worker process: a harness that does not convict them proves nothing.
import type { JobStore, Settlement, SettleOutcome } from '@criticizer/core/ports';
import type { SoakStore } from './soak-store.js';

/**
 * - `unfenced`: settles whatever it was told, whoever holds the job by now.
 * - `ack-first`: completes a job when it is claimed, and makes the effect afterwards.
 * - `host-clock`: leases end by the worker's clock, not by the database's.
 */
export const plantedQueueFaults = ['unfenced', 'ack-first', 'host-clock'] as const;
export type PlantedQueueFault = (typeof plantedQueueFaults)[number];

function unfenced<Tx>(store: SoakStore<Tx>, jobs: JobStore<Tx>): JobStore<Tx> {
  return {
    ...jobs,
    async settle(settlements, options) {
      const tx = options?.tx;
      if (tx === undefined) throw new TypeError('unfenced: settles inside a transaction alone');
      const outcomes: SettleOutcome[] = [];
      for (const settlement of settlements) {
        const lease = await store.leaseOf(tx, settlement.lease.jobId);
        // Nobody's any more: an UPDATE by id alone would have written all the same.
        if (lease !== undefined) await jobs.settle([{ ...settlement, lease }], { tx });
        outcomes.push('settled');
      }
      return outcomes;
    },
  };
}

function ackFirst<Tx>(jobs: JobStore<Tx>): JobStore<Tx> {
  return {
    ...jobs,
    async claim(request) {
      const claimed = await jobs.claim(request);
      await jobs.settle(
        claimed.map(({ lease }): Settlement => ({ lease, kind: 'done', result: {}, requireNotified: false })),
      );
      return claimed;
    },
    heartbeat: async (leases) => leases.map(() => 'renewed'),
    settle: async (settlements) => settlements.map(() => 'settled'),
  };
}

function hostClock<Tx>(store: SoakStore<Tx>, jobs: JobStore<Tx>): JobStore<Tx> {
  /** The lease as the host would have written it. */
  const byHost = async (leaseMs: number): Promise<number> =>
    Math.max(1, Math.round(leaseMs + Date.now() - (await store.stores.now()).getTime()));
  return {
    ...jobs,
    claim: async (request) => jobs.claim({ ...request, leaseMs: await byHost(request.leaseMs) }),
    heartbeat: async (leases, leaseMs) => jobs.heartbeat(leases, await byHost(leaseMs)),
  };
}

export function plantQueueFault<Tx>(fault: PlantedQueueFault | null, store: SoakStore<Tx>): JobStore<Tx> {
  const { jobs } = store.stores;
  switch (fault) {
    case null:
      return jobs;
    case 'unfenced':
      return unfenced(store, jobs);
    case 'ack-first':
      return ackFirst(jobs);
    case 'host-clock':
      return hostClock(store, jobs);
  }
}
