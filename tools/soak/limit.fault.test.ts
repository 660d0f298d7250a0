// The short proof of the global limit; `npm run soak:limit` is the long one.
import { expect, it } from 'vitest';
import { type LimitConfig, limitLine, runLimitRounds } from './limit-rounds.js';
import { plantedLimitFaults } from './planted-limit-faults.js';

const config: LimitConfig = { limit: 8, rounds: 8, processes: 4, claimers: 16, seed: 20_263, planted: null };

it('WQ-10: 4 processes of 16 claimers, clocks up to 1 h off, leases expiring: never more than W run, and W do', {
  timeout: 120_000,
}, async () => {
  const report = await runLimitRounds(config);
  console.log(limitLine(report));
  expect(report.most).toBe(config.limit);
  expect(report.atLimit).toBeGreaterThan(0);
  expect(report.expired).toBeGreaterThan(0);
});

it('WQ-10: the same trigger convicts a limit that is off by one and one that is counted without its lock', {
  timeout: 120_000,
}, async () => {
  const reports = await Promise.all(
    plantedLimitFaults.map((planted) => runLimitRounds({ ...config, rounds: 4, planted })),
  );
  for (const report of reports) expect(report.most, report.config.planted ?? '').toBeGreaterThan(config.limit);
});
