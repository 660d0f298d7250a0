import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender, OpenQueue } from '../contender.ts';

const mostMs = 180_000;

/** Fills, drains, checks that each job ran once. Gives jobs per second. */
export async function drainOnce(contender: Contender, target: string, jobs: number): Promise<number> {
  const queue = await contender.open(target);
  try {
    await fill(queue, jobs);
    return await drainFilled(queue, jobs);
  } finally {
    await queue.close();
  }
}

export async function fill(queue: OpenQueue, jobs: number, first = 0): Promise<void> {
  for (let from = first; from < first + jobs; from += 1_000) {
    const count = Math.min(1_000, first + jobs - from);
    await queue.enqueue(Array.from({ length: count }, (_, i) => from + i));
  }
}

/**
 * From the first handler, so that what a library does to start is not counted, to the commit of the
 * last completion.
 */
async function drainFilled(queue: OpenQueue, jobs: number): Promise<number> {
  const runs = new Uint8Array(jobs);
  let count = 0;
  let first = 0;
  let onAll = (): void => undefined;
  const all = new Promise<'all'>((resolve) => {
    onAll = () => resolve('all');
  });
  const worker = await queue.work((number) => {
    if (count === 0) first = performance.now();
    runs[number] = (runs[number] ?? 0) + 1;
    if (++count === jobs) onAll();
  });
  const over = new AbortController();
  try {
    const end = await Promise.race([all, sleep(mostMs, 'timeout', { signal: over.signal })]);
    if (end !== 'all') throw new Error(`${count} of ${jobs} jobs ran in ${mostMs / 1000} s`);
    while (!(await queue.isDrained())) {
      if (performance.now() - first > mostMs) throw new Error('all jobs ran, but not all were completed');
      await sleep(1);
    }
    const ms = performance.now() - first;
    const doubled = runs.filter((n) => n > 1).length;
    const lost = runs.filter((n) => n === 0).length;
    if (doubled + lost > 0) throw new Error(`${doubled} jobs ran more than once, ${lost} never`);
    return (jobs / ms) * 1000;
  } finally {
    over.abort();
    await worker.stop();
  }
}
