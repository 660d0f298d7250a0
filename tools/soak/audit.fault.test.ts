// The short soak of the audit delivery: `npm run soak:audit` is the long one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runAuditSoak } from './run-audit-soak.js';
import { bundleProcess, type WorkerBundle } from './worker-bundle.js';

let bundle: WorkerBundle;
beforeAll(async () => {
  bundle = await bundleProcess('audit-worker.ts');
});
afterAll(() => bundle.remove());

describe('audit workers killed while one sink is dead for 72 simulated hours', () => {
  for (const store of ['pg', 'sqlite'] as const)
    it(`AUD-4 AUD-15: ${store}: no event is lost, every repeat has the same key, the outage spends no attempt`, {
      timeout: 120_000,
    }, async () => {
      const config = { store, events: 100, kills: 2, hours: 72, seed: 20_281, idleLimitMs: 20_000 };
      const report = await runAuditSoak(config, bundle);
      expect(report).toMatchObject({ lost: 0, stuck: 0, otherKeys: 0, deadLetters: 0, kills: 2, deliveries: 300 });
      expect(report.repeats).toBeGreaterThan(0); // answers were lost
      // A process that died while it probed could not give its attempt back.
      expect(report.deadSinkAttempts).toBeLessThanOrEqual(2);
      expect(report.databaseRestarts).toBe(store === 'pg' ? 1 : 0);
    });
});
