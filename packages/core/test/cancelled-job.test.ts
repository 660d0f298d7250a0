import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JobEvent, JobKind } from '../src/worker/run/stage.js';
import { queueHarness, stageOf } from './queue-harness.js';

/** A kind whose stage runs until its signal aborts; `began` resolves when the first does. */
function endless(onAbort: (reason: unknown, reject: (reason: unknown) => void) => void) {
  let begin = (): void => undefined;
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const make = stageOf(
    'make',
    ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => onAbort(signal.reason, reject));
        begin();
      }),
  );
  const kind: JobKind<unknown> = { kind: 'report', payload: z.unknown(), stages: [make] };
  return { began, kind };
}

describe('a cancelled job', () => {
  it('WQ-1 OPS-1: a running one and one that waits for its slot end at the next heartbeat, without a dead letter', async () => {
    const h = queueHarness();
    const reasons: unknown[] = [];
    const { began, kind } = endless((reason, reject) => {
      reasons.push(reason);
      reject(new Error('what an aborted call throws'));
    });
    const ended: string[] = [];
    const onEvent = (event: JobEvent): void => {
      if (event.type === 'stage.ended') ended.push(`${event.outcome} ${event.code}`);
    };
    const settings = { worker: { concurrency: 1, prefetch: 2, leaseMs: 30_000 } };
    const ids = [await h.enqueue('report'), await h.enqueue('report', null, 'make', 'report:2')];
    const worker = h.worker([kind], { settings, onEvent });
    await worker.start();
    await began;
    const running = async () => (await h.stores.jobs.stats()).running;
    expect(await running()).toBe(2);
    expect(await h.stores.jobs.cancel(ids, 'not wanted')).toEqual(['cancel-requested', 'cancel-requested']);
    await h.clock.advance(10_000); // a third of the lease
    const jobs = await h.stores.jobs.get(ids);
    const cancelled = { status: 'failed', result: { cancelled: true, reason: 'not wanted' }, attempts: { make: 0 } };
    expect(jobs).toMatchObject([cancelled, cancelled]);
    expect(reasons).toMatchObject([{ code: 'CANCELLED' }]);
    expect(ended).toEqual(['failed CANCELLED', 'failed CANCELLED']);
    expect(await h.stores.deadLetters.list({})).toEqual([]);
    await worker.stop();
  });

  it('WQ-1 OPS-1: one whose handler ignores its signal ends when its lease expires', async () => {
    const h = queueHarness();
    const { began, kind } = endless(() => undefined);
    const id = await h.enqueue('report');
    const worker = h.worker([kind], { settings: { worker: { leaseMs: 30_000, shutdownGraceMs: 0 } } });
    await worker.start();
    await began;
    await h.stores.jobs.cancel([id], 'not wanted');
    await h.clock.advance(10_000);
    expect(await h.job(id)).toMatchObject({ status: 'running', cancelReason: 'not wanted' });
    await h.clock.advance(40_000);
    await h.stores.jobs.requeueExpired();
    expect(await h.job(id)).toMatchObject({ status: 'failed', lostLeases: 1 });
    const stopped = worker.stop();
    await h.clock.advance(6_000);
    await stopped;
  });
});
