import { describe, expect, it } from 'vitest';
import { isCriticizerError } from '../foundation/errors.js';
import { describeAuditRolloutContract } from '../testing/stores/audit/audit-rollout-contract.js';
import { describeHostClockContract, type HostClockStoresHarness } from '../testing/stores/host-clock-contract.js';
import { describeJobStoreModel } from '../testing/stores/jobs/job-store-model.js';
import { newJob } from '../testing/stores/sample-rows.js';
import { describeStoresContract } from '../testing/stores/stores-contract.js';
import { createManualClock } from '../testing/support/manual-clock.js';
import { createMemoryStores } from './memory-stores.js';
import type { MemoryTx } from './shared/memory-database.js';

const harness: HostClockStoresHarness<MemoryTx> = {
  async create() {
    const clock = createManualClock();
    const stores = createMemoryStores({ clock });
    return { stores, clock, dispose: () => stores.close() };
  },
};

describeStoresContract({ describe, it }, harness);
describeHostClockContract({ describe, it }, harness);
describeAuditRolloutContract(
  { describe, it },
  {
    async create() {
      const clock = createManualClock();
      const stores = createMemoryStores({ clock });
      return { before: stores, stores, another: stores, clock, dispose: () => stores.close() };
    },
  },
);
describeJobStoreModel({ describe, it }, harness, { runs: 200 });

const codeOf = async (promise: Promise<unknown>): Promise<string | undefined> => {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isCriticizerError(error) ? error.code : undefined;
};

describe('createMemoryStores', () => {
  it('refuses a write without tx inside a transaction instead of waiting for itself; reads see what is committed', async () => {
    const stores = createMemoryStores();
    await stores.transaction(async (tx) => {
      await stores.jobs.enqueue([newJob()], { tx });
      expect(await codeOf(stores.jobs.enqueue([newJob()]))).toBe('TRANSACTION_BYPASSED');
      expect(await stores.jobs.list({})).toEqual([]);
    });
    expect(await stores.jobs.list({})).toHaveLength(1);
  });

  it('refuses a transaction that has ended, and one of other stores', async () => {
    const [stores, others] = [createMemoryStores(), createMemoryStores()];
    const ended = await stores.transaction(async (tx) => tx);
    expect(await codeOf(stores.jobs.enqueue([newJob()], { tx: ended }))).toBe('TRANSACTION_ENDED');
    await others.transaction(async (tx) => {
      await expect(stores.jobs.enqueue([newJob()], { tx })).rejects.toThrow(TypeError);
    });
  });

  it('transactions and writes that wait for the same one still take turns', async () => {
    const stores = createMemoryStores();
    const move = (next: string) =>
      stores.transaction(async (tx) => {
        const before = await stores.cursors.get('c');
        await stores.cursors.advance('other', null, next, { tx });
        return stores.cursors.advance('c', before, next, { tx });
      });
    const moves = [move('1'), move('2'), move('3'), stores.jobs.enqueue([newJob()]), move('4')];
    expect(await Promise.all(moves)).toMatchObject([
      'advanced',
      'advanced',
      'advanced',
      [{ outcome: 'enqueued' }],
      'advanced',
    ]);
    expect([await stores.cursors.get('c'), await stores.cursors.get('other')]).toEqual(['4', '1']);
    expect(await stores.jobs.list({})).toHaveLength(1);
  });

  it('INV-1: instants do not fall when the clock does', async () => {
    let nowMs = 5000;
    const stores = createMemoryStores({ clock: { ...createManualClock(), nowMs: () => nowMs } });
    const first = (await stores.jobs.enqueue([newJob()]))[0]?.job.createdAt;
    nowMs = 1000;
    expect(await stores.now()).toEqual(first);
  });

  it('rejects every call after close', async () => {
    const stores = createMemoryStores();
    await stores.close();
    expect(await codeOf(stores.jobs.enqueue([newJob()]))).toBe('STORE_CLOSED');
    expect(await codeOf(stores.jobs.list({}))).toBe('STORE_CLOSED');
  });

  it('names the option that is wrong', () => {
    // @ts-expect-error a clock without time
    expect(() => createMemoryStores({ clock: {} })).toThrow(TypeError);
    // @ts-expect-error a random source without ids
    expect(() => createMemoryStores({ random: {} })).toThrow(TypeError);
  });
});
