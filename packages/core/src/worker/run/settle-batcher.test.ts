import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CriticizerError } from '../../foundation/errors.js';
import { createMemoryStores } from '../../memory/memory-stores.js';
import type { SettleOutcome } from '../../stores/job-store.js';
import { createQueueWorker } from '../wiring/queue-worker.js';
import type { Stage } from './stage.js';

/** Runs a job of two stages, one with a checkpoint, over a store that commits and loses the first answers. */
async function runOverLostAnswers(...names: readonly string[]) {
  const stores = createMemoryStores();
  const outcomes: SettleOutcome[] = [];
  const lost = new Set<string>();
  const jobs: typeof stores.jobs = {
    ...stores.jobs,
    async settle(settlements, options) {
      const answered = await stores.jobs.settle(settlements, options);
      outcomes.push(...answered);
      const kind = settlements[0]?.kind ?? '';
      if (lost.has(kind) || kind === 'done') return answered;
      lost.add(kind);
      throw new CriticizerError('PG_CONNECTION', 'the answer is lost', { category: 'network' });
    },
  };
  const first: Stage<unknown>['run'] = async ({ checkpoint }) => {
    await Promise.all(names.map((part) => checkpoint({ outputs: { [part]: part } })));
    return { kind: 'next' };
  };
  let isDone: () => void;
  const done = new Promise<void>((resolve) => {
    isDone = resolve;
  });
  const worker = createQueueWorker({
    stores: { ...stores, jobs },
    kinds: [
      {
        kind: 'report',
        payload: z.unknown(),
        stages: [
          { name: 'make', run: first },
          { name: 'send', run: async () => ({ kind: 'done', result: {} }) },
        ],
      },
    ],
    redactText: String,
    onEvent: (event) => event.type === 'stage.ended' && event.outcome === 'done' && isDone(),
  });
  const [enqueued] = await stores.jobs.enqueue([
    { kind: 'report', payload: null, stage: 'make', idempotencyKey: 'report:1' },
  ]);
  await worker.start();
  await done;
  await worker.stop();
  const [row] = await stores.jobs.get([enqueued?.job.id ?? '']);
  return { row, outcomes };
}

describe('settlements whose answer is lost', () => {
  it('INV-3: a checkpoint and an advance that are tried again take once, and spend no attempt', async () => {
    const { row, outcomes } = await runOverLostAnswers('one');
    expect(outcomes).toEqual(['settled', 'settled-before', 'settled', 'settled-before', 'settled']);
    expect(row).toMatchObject({ status: 'completed', attempts: { make: 1, send: 1 }, outputs: { one: 'one' } });
  });

  it('INV-3: of checkpoints that a stage makes at the same time none takes twice', async () => {
    const { row, outcomes } = await runOverLostAnswers('one', 'two', 'three');
    expect(outcomes.filter((outcome) => outcome === 'settled')).toHaveLength(5);
    expect(row).toMatchObject({ status: 'completed', outputs: { one: 'one', two: 'two', three: 'three' } });
  });
});
