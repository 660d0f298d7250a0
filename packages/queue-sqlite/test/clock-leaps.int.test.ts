import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createStoresOnSqlite } from '../src/sqlite-stores.js';

const dayMs = 86_400_000;
const artifact = {
  id: 'a',
  namespace: 'raw',
  purpose: 'change',
  storageKey: 'k'.repeat(48),
  contentType: 'text/plain',
  changelistId: null,
  jobId: null,
  ttlMs: 7 * dayMs,
  redaction: null,
  kekId: 'k',
  wrappedKey: 'w',
  bytes: 1,
  digest: 'a'.repeat(64),
} as const;

/** Stores on clocks that only move as told. */
async function open() {
  const startMs = Date.UTC(2026, 0, 1);
  let wallMs = startMs;
  let monotonicMs = 1_000_000;
  const stores = createStoresOnSqlite(
    { file: ':memory:', migrate: 'auto' },
    { hostMs: () => wallMs, monotonicMs: () => monotonicMs },
  );
  const sweep = async (leaseMs = 1_000): Promise<number> => {
    const claim = { owner: 'o', token: randomUUID(), leaseMs, limit: 10, orphanMs: 30 * dayMs };
    return (await stores.artifactManifest.claimExpired(claim)).length;
  };
  await stores.artifactManifest.reserve([artifact]);
  const unnamed = { key: 'u'.repeat(48), writtenAt: new Date(startMs) };
  return {
    stores,
    sweep,
    findUnknown: () => stores.artifactManifest.findUnknown('raw', [unnamed], 7 * dayMs),
    step(ms: number) {
      wallMs += ms;
    },
    restart() {
      monotonicMs = 0;
    },
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        wallMs += 1_000;
        monotonicMs += 1_000;
        await stores.jobs.requeueExpired(); // some process looks once a second
      }
    },
    aheadMs: async () => (await stores.now()).getTime() - wallMs,
  };
}

it('ART-7: a leap that lasts is followed after a minute, and expires nothing for ten more', async () => {
  const given = await open();
  given.step(8 * dayMs);
  await given.pass(59);
  expect(await given.aheadMs()).toBe(-8 * dayMs);
  await given.pass(3);
  expect(await given.aheadMs()).toBe(0);
  expect([await given.sweep(), await given.stores.artifactManifest.countExpired()]).toEqual([
    0,
    { raw: 0, redacted: 0 },
  ]);
  expect(await given.findUnknown()).toEqual([]);
  await given.pass(590);
  expect(await given.sweep()).toBe(0);
  await given.pass(15);
  expect(await given.stores.artifactManifest.countExpired()).toEqual({ raw: 1, redacted: 0 });
  expect(await given.sweep()).toBe(1);
  expect(await given.findUnknown()).toHaveLength(1);
  await given.stores.close();
});

it('ART-7: leaps one upon the other are not taken for one that lasts', async () => {
  const given = await open();
  for (let leap = 0; leap < 20; leap++) {
    given.step(dayMs);
    await given.pass(10);
    expect(await given.sweep()).toBe(0);
  }
  expect(await given.aheadMs()).toBe(-20 * dayMs);
  await given.pass(70);
  expect([await given.aheadMs(), await given.sweep()]).toEqual([0, 0]);
  await given.stores.close();
});

it('ART-7: a host that starts with a wrong clock destroys nothing, and one that was off for long catches up', async () => {
  const given = await open();
  given.restart();
  given.step(8 * dayMs);
  await given.pass(6);
  expect(await given.sweep()).toBe(0);
  given.step(-8 * dayMs);
  await given.pass(6);
  expect([await given.sweep(), Math.abs(await given.aheadMs()) < 2_000]).toEqual([0, true]);
  given.restart();
  given.step(8 * dayMs);
  await given.pass(70);
  expect(await given.aheadMs()).toBe(0);
  await given.stores.close();
});

it('INV-6: leases move with a leap that is followed, and end after their own length', async () => {
  const given = await open();
  await given.stores.artifactManifest.reserve([{ ...artifact, id: 'b', storageKey: 'j'.repeat(48), ttlMs: 1_000 }]);
  await given.stores.jobs.enqueue([{ kind: 'k', payload: {}, stage: 's', idempotencyKey: 'j' }]);
  await given.pass(2);
  const leaseMs = 120_000;
  expect(await given.sweep(leaseMs)).toBe(1);
  const [claimed] = await given.stores.jobs.claim({ owner: 'o', token: randomUUID(), kinds: ['k'], limit: 1, leaseMs });
  const isRunning = async (): Promise<boolean> =>
    (await given.stores.jobs.get([claimed?.job.id ?? '']))[0]?.status === 'running';
  given.step(dayMs / 24);
  await given.pass(70);
  expect([await given.aheadMs(), await given.sweep(), await isRunning()]).toEqual([0, 0, true]);
  await given.pass(55);
  expect([await given.sweep(), await isRunning()]).toEqual([1, false]);
  await given.stores.close();
});

it('INV-6: a clock that is set right by a second is followed at once', async () => {
  const given = await open();
  given.step(1_000);
  await given.pass(1);
  expect(await given.aheadMs()).toBe(0);
  await given.stores.close();
});
