// The short soak of the operator's verbs: `npm run soak:operate` is the long one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOperateSoak } from './run-operate-soak.js';
import { bundleProcess, type WorkerBundle } from './worker-bundle.js';

const bundles: WorkerBundle[] = [];
beforeAll(async () => {
  for (const entry of ['operate-worker.ts', 'operate-script.ts']) bundles.push(await bundleProcess(entry));
});
afterAll(() => {
  for (const bundle of bundles) bundle.remove();
});

describe('two operators replay the letters of seven causes while workers and an operator are killed', () => {
  for (const store of ['pg', 'sqlite'] as const)
    it(`ERR-9 OPS-1: ${store}: none is lost, none is replayed twice, every action is in the trail`, {
      timeout: 120_000,
    }, async () => {
      const config = { store, letters: 42, kills: 3, seed: 20_281, idleLimitMs: 20_000 };
      const report = await runOperateSoak(config, bundles as [WorkerBundle, WorkerBundle]);
      const good = { lost: 0, replayedTwice: 0, notResolved: 0, notInTrail: 0, failedAgain: 0, causes: 7 };
      expect(report).toMatchObject({ ...good, workerKills: 2, operatorKills: 1 });
      expect(Object.values(report.replaysBy).reduce((sum, count) => sum + count, 0)).toBe(42);
    });
});
