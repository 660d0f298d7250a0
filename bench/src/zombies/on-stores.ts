import { setTimeout as sleep } from 'node:timers/promises';
import type { Stores } from '@criticizer/core';
import { newJob } from '../contenders/criticizer.ts';
import type { Ending } from './zombie.ts';

/** The same for each of our stores, by their public calls. */
export async function playOnStores<Tx>(stores: Stores<Tx>): Promise<Ending> {
  const { jobs } = stores;
  await jobs.enqueue([newJob(0)]);
  const claim = async (owner: string, leaseMs: number) => {
    const [claimed] = await jobs.claim({ kinds: ['bench'], owner, token: `token of ${owner}`, leaseMs, limit: 1 });
    if (claimed === undefined) throw new Error(`${owner} got no job`);
    return claimed;
  };
  const late = await claim('A', 20);
  await sleep(100);
  await jobs.requeueExpired(); // what every worker's sweeper does; a claim does not look for expired leases each time
  const held = await claim('B', 60_000);
  if (held.job.id !== late.job.id) throw new Error('B did not claim the job of A');
  const done = { kind: 'done', result: {}, requireNotified: false } as const;
  const [outcome] = await jobs.settle([{ lease: late.lease, ...done }]);
  const [between] = await jobs.get([held.job.id]);
  const [last] = await jobs.settle([{ lease: held.lease, ...done }]);
  const isRefused = outcome === 'lease-lost' && between?.status === 'running' && last === 'settled';
  return {
    isRefused,
    told: `A is told ${outcome}; the job is ${between?.status} under B, whose own completion is ${last}`,
  };
}
