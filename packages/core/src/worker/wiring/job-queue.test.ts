import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { createMemoryStores } from '../../memory/memory-stores.js';
import { createJobQueue, defineJobKind } from './job-queue.js';
import { createQueueWorker } from './queue-worker.js';

const next = async () => ({ kind: 'next' }) as const;
const invoices = defineJobKind({
  kind: 'invoices',
  payload: z.strictObject({ month: z.string(), copies: z.number().default(1) }),
  stages: [
    {
      name: 'collect',
      run: async ({ payload }) => {
        expectTypeOf(payload).toEqualTypeOf<{ month: string; copies: number }>();
        return { kind: 'next' };
      },
    },
    { name: 'send', run: next },
  ],
});
const reminders = defineJobKind({
  kind: 'reminders',
  payload: z.strictObject({ user: z.string() }),
  stages: [{ name: 'remind', run: next }],
});

function setUp() {
  const stores = createMemoryStores();
  const queue = createJobQueue({ jobs: stores.jobs, kinds: [invoices, reminders] });
  return { stores, queue };
}
type Queue = ReturnType<typeof setUp>['queue'];
type Job = Parameters<Queue['enqueue']>[0][number];

describe('createJobQueue', () => {
  it('stores what fits, at the first stage or at the one that is named', async () => {
    const { queue, stores } = setUp();
    const results = await queue.enqueue([
      { kind: 'invoices', payload: { month: '2026-11' }, idempotencyKey: 'a' },
      { kind: 'invoices', payload: { month: '2026-12', copies: 2 }, stage: 'send', idempotencyKey: 'b', priority: 3 },
      { kind: 'reminders', payload: { user: 'ada' }, idempotencyKey: 'c' },
    ]);
    expect(results.map(({ outcome, job: { kind, stage, payload } }) => [outcome, kind, stage, payload])).toEqual([
      ['enqueued', 'invoices', 'collect', { month: '2026-11' }],
      ['enqueued', 'invoices', 'send', { month: '2026-12', copies: 2 }],
      ['enqueued', 'reminders', 'remind', { user: 'ada' }],
    ]);
    expect(() => createQueueWorker({ stores, kinds: [invoices, reminders], redactText: (text) => text })).not.toThrow();
  });

  it('takes a wrong kind, payload or stage for no job of its kinds, when it is compiled', () => {
    type Key = { idempotencyKey: string };
    expectTypeOf<Key & { kind: 'invoices'; payload: { month: string } }>().toExtend<Job>();
    expectTypeOf<Key & { kind: 'invoices'; payload: { month: string }; stage: 'send' }>().toExtend<Job>();
    expectTypeOf<Key & { kind: 'invoices'; payload: { month: number } }>().not.toExtend<Job>();
    expectTypeOf<Key & { kind: 'invoices'; payload: { user: string } }>().not.toExtend<Job>();
    expectTypeOf<Key & { kind: 'reminders'; payload: { month: string } }>().not.toExtend<Job>();
    expectTypeOf<Key & { kind: 'invoices'; payload: { month: string }; stage: 'remind' }>().not.toExtend<Job>();
    expectTypeOf<Key & { kind: 'letters'; payload: { month: string } }>().not.toExtend<Job>();
    expectTypeOf<{ kind: 'invoices'; payload: { month: string } }>().not.toExtend<Job>();
  });

  it.each([
    ['kind', { kind: 'letters' }, /^jobs\[1\]\.kind: expected one of invoices, reminders$/],
    ['stage', { stage: 'remind' }, /^jobs\[1\]\.stage: expected one of collect, send$/],
    ['payload', { payload: { month: 7 } }, /^jobs\[1\]\.payload: .*"invoices".*"path":"month","code":"invalid_type"/],
    ['payload that is none', { payload: undefined }, /^jobs\[1\]\.payload: expected a JSON value/],
    ['option', { delayMS: 5 }, /^jobs\[1\]\.delayMS: unknown option; did you mean delayMs\?/],
  ])('refuses a wrong %s of a caller without types, and stores nothing', async (_what, over, message) => {
    const { queue, stores } = setUp();
    const job = { kind: 'invoices', payload: { month: '2026-11' }, idempotencyKey: 'a' } as const;
    const jobs: unknown = [job, { ...job, idempotencyKey: 'b', ...over }];
    const refused = Reflect.apply(queue.enqueue, queue, [jobs]) as Promise<unknown>;
    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow(message);
    expect(await stores.jobs.list({})).toEqual([]);
  });

  it('quotes no value of a payload', async () => {
    const { queue } = setUp();
    const user = ['sec', 'ret'].join('');
    const jobs: unknown = [{ kind: 'reminders', payload: { user: [user] }, idempotencyKey: 'a' }];
    const refused = Reflect.apply(queue.enqueue, queue, [jobs]) as Promise<unknown>;
    expect(String(await refused.catch((error: unknown) => error))).not.toContain(user);
  });

  it('enqueues in the transaction of the caller', async () => {
    const { queue, stores } = setUp();
    const work = stores.transaction(async (tx) => {
      await queue.enqueue([{ kind: 'reminders', payload: { user: 'ada' }, idempotencyKey: 'a' }], { tx });
      throw new Error('rolled back');
    });
    await expect(work).rejects.toThrow('rolled back');
    expect(await stores.jobs.list({})).toEqual([]);
  });
});
