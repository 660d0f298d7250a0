// The short soak: `npm run soak:queue` is the long one. Prints its table, since the figures are the point.
import { describe, expect, it } from 'vitest';
import { crimes, fenceConfig, mutantConfig } from './mutants.js';
import { plantedFences } from './planted-fences.js';
import { plantedQueueFaults } from './planted-queue-faults.js';
import { runSoak } from './run-soak.js';
import { soakConfig } from './soak-arguments.js';
import { safetyTargets, tableOf } from './soak-report.js';

describe('worker processes killed, frozen, blocked and cut off', () => {
  for (const store of ['pg', 'sqlite'] as const)
    it(`WQ-6 WQ-8 WQ-9 INV-2 INV-3 NOT-1: ${store}: 1,500 jobs and 15 kills, none lost, no effect twice, late writes refused`, {
      timeout: 240_000,
    }, async ({ onTestFinished }) => {
      const ended = new AbortController();
      onTestFinished(() => ended.abort());
      const report = await runSoak(soakConfig({ store, jobs: 1_500, kills: 15, seed: 20_261 }), ended.signal);
      console.log(tableOf(report));
      expect(safetyTargets(report).filter(({ pass }) => !pass)).toEqual([]);
      // Every way to settle was gone, and every kind of fault made.
      for (const kind of ['advance', 'checkpoint', 'done', 'retry', 'wait', 'dead-letter'])
        expect(report.verdict.settled[kind], kind).toBeGreaterThan(0);
      expect(report.done).toEqual(report.config.faults);
      expect(report.verdict.recovered).toBeGreaterThan(0);
      expect(report.feed.duplicates).toBeGreaterThan(0);
    });

  it('INV-2 INV-3: the same harness convicts a bad queue of each kind', { timeout: 240_000 }, async () => {
    const reports = await Promise.all(plantedQueueFaults.map((planted) => runSoak(mutantConfig(planted, 20_262))));
    const found = reports.map(
      ({ config, verdict }) =>
        `${config.planted}: ${crimes[config.planted ?? 'unfenced']} ${verdict[crimes[config.planted ?? 'unfenced']]}`,
    );
    console.log(found.join('\n'));
    for (const { config, verdict } of reports)
      if (config.planted !== null) expect(verdict[crimes[config.planted]], config.planted).toBeGreaterThan(0);
  });

  it('INV-3: the same harness convicts a settlement without its fence', { timeout: 240_000 }, async () => {
    // All of them, in both stores: npm run soak:queue -- --mutants
    const fences = plantedFences.filter(({ name }) => /^complete_jobs without its fence$/.test(name));
    // How many late settlements meet a running row is a matter of time: one run may have none.
    const convicts = async (fence: (typeof fences)[number]): Promise<boolean> => {
      for (const seed of [20_263, 20_264, 20_265])
        if ((await runSoak(fenceConfig(fence.store, fence, seed))).verdict.unfenced > 0) return true;
      return false;
    };
    const found = await Promise.all(
      fences.map(async (fence) => ({ fence: fence.name, isConvicted: await convicts(fence) })),
    );
    expect(found).toEqual(fences.map(({ name }) => ({ fence: name, isConvicted: true })));
    expect(found).toHaveLength(1);
  });
});
