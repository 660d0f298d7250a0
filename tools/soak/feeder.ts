// The enqueuer: batches of any size, some twice at once, each repeated until it is acknowledged,
// through the same faults as the workers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewJob } from '@criticizer/core';
import type { JobStore, Random } from '@criticizer/core/ports';
import { keyOf } from './ledger.js';
import { type SoakPayload, soakKinds } from './soak-job.js';

export interface Feed {
  acked: Set<number>;
  /** Answers that named an existing job. */
  duplicates: number;
  /** Batches whose acknowledgement did not come and that were sent again. */
  resent: number;
  /** Answers that are no answer to what was asked. */
  wrong: string[];
}

export const isDeletedKind = (n: number): boolean => n % 2 === 1;

function newJob(payload: SoakPayload, random: Random): NewJob {
  const kind = isDeletedKind(payload.n) ? soakKinds.deleted : soakKinds.kept;
  const delayMs = random.next() < 0.05 ? Math.floor(random.next() * 300) : 0;
  return {
    kind,
    payload,
    stage: 'prepare',
    idempotencyKey: keyOf(payload.n),
    priority: random.next() < 0.1 ? 1 : 0,
    delayMs,
  };
}

async function enqueueUntilAcked(jobs: JobStore<never>, batch: readonly NewJob[], feed: Feed, signal: AbortSignal) {
  for (;;) {
    try {
      return await jobs.enqueue(batch);
    } catch {
      signal.throwIfAborted();
      feed.resent++;
      await sleep(20);
    }
  }
}

/** Enqueues the jobs 0 to `count` - 1; `room` resolves to how many may be added now, at least 1. */
export async function feedJobs(options: {
  jobs: JobStore<never>;
  count: number;
  payloadOf(n: number): SoakPayload;
  room(enqueued: number): Promise<number>;
  random: Random;
  feed: Feed;
  signal: AbortSignal;
}): Promise<void> {
  const { jobs, count, feed, random } = options;
  for (let next = 0; next < count; ) {
    const size = Math.min(count - next, await options.room(next), 1 + Math.floor(random.next() * 200));
    const numbers = Array.from({ length: size }, (_, i) => next + i);
    const batch = numbers.map((n) => newJob(options.payloadOf(n), random));
    const times = random.next() < 0.1 ? 2 : 1;
    const answers = await Promise.all(
      Array.from({ length: times }, () => enqueueUntilAcked(jobs, batch, feed, options.signal)),
    );
    for (const [i, n] of numbers.entries()) {
      const own = answers.flatMap((results) => results[i] ?? []);
      const several = new Set(own.map(({ job }) => job.id)).size !== 1 && !isDeletedKind(n); // a deletion frees the key
      if (several || own.some(({ job }) => job.idempotencyKey !== keyOf(n)))
        feed.wrong.push(`${n}: one key, several jobs`);
      feed.duplicates += own.filter(({ outcome }) => outcome === 'duplicate').length;
      feed.acked.add(n);
    }
    next += size;
  }
}
