import assert from 'node:assert/strict';
import { z } from 'zod';
import { CriticizerError } from '../../../foundation/errors.js';
import type { JobKind } from '../../../worker/run/stage.js';
import { createQueueWorker } from '../../../worker/wiring/queue-worker.js';
import { newJob, one } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

const minute = 60_000;

/** A worker that is not started runs what is due on these stores, whose clock the case moves. */
export function runDueCases<Tx>(it: ContractCase<Tx>): void {
  it('INT-1: runDue runs each stage that is due, and what waits once the clock is there', async ({ stores, clock }) => {
    let isOut = true;
    const kind: JobKind<unknown> = {
      kind: 'review',
      payload: z.unknown(),
      stages: [
        { name: 'fetch', run: async () => ({ kind: 'next' }) },
        {
          name: 'send',
          async run() {
            if (isOut) throw new CriticizerError('VENDOR_DOWN', 'no answer', { category: 'upstream' });
            return { kind: 'done', result: {} };
          },
        },
      ],
    };
    const worker = createQueueWorker({ stores, kinds: [kind], redactText: String });
    const [first] = await stores.jobs.enqueue([newJob()]);
    const [later] = await stores.jobs.enqueue([newJob({ delayMs: minute })]);
    const ends = async () => {
      const { jobs } = await worker.runDue({ until: 'idle' });
      return jobs.map(({ jobId, stage, outcome }) => `${jobId === first?.job.id ? 1 : 2} ${stage} ${outcome}`).sort();
    };
    assert.deepEqual(await ends(), ['1 fetch next', '1 send retry']);
    assert.deepEqual(await ends(), []);
    isOut = false;
    await clock.advance(10 * minute);
    assert.deepEqual(await ends(), ['1 send done', '2 fetch next', '2 send done']);
    assert.equal(one(await stores.jobs.get([later?.job.id ?? '']))?.status, 'completed');
    await worker.stop();
  });
}
