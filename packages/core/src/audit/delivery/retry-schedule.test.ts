import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLatencyWindow, maxAttempts, retryDelayMs } from './retry-schedule.js';

const at = (next: number) => ({ next: () => next });

describe('the schedule of audit deliveries', () => {
  it('AUD-12: waits min(3600, 2^(n-1) * 5) seconds and 0 to 3 more, for 12 attempts', () => {
    const seconds = [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600];
    expect(maxAttempts).toBe(seconds.length);
    for (const [i, wanted] of seconds.entries()) {
      expect(retryDelayMs(i + 1, at(0))).toBe(wanted * 1_000);
      expect(retryDelayMs(i + 1, at(1 - Number.EPSILON))).toBe(wanted * 1_000 + 3_000);
    }
  });

  it('AUD-13: never comes before Retry-After, nor later than an hour and its jitter', () => {
    const cases = fc.property(
      fc.integer({ min: 1, max: 12 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.integer({ min: -5, max: 1e9 }),
      (attempt, next, retryAfterMs) => {
        const delayMs = retryDelayMs(attempt, at(next), retryAfterMs);
        expect(delayMs).toBeGreaterThanOrEqual(Math.min(retryAfterMs, 3_600_000));
        expect(delayMs).toBeGreaterThanOrEqual(retryDelayMs(attempt, at(0)));
        expect(delayMs).toBeLessThanOrEqual(3_603_000);
      },
    );
    fc.assert(cases, { numRuns: 100 });
  });

  it('AUD-14: the lease is three times the 95th percentile of that destination, within 30 s and 5 min', () => {
    const fast = createLatencyWindow();
    const slow = createLatencyWindow();
    expect([fast.p95Ms(), fast.leaseMs()]).toEqual([0, 30_000]);
    for (let ms = 1; ms <= 100; ms++) fast.add(ms);
    expect([fast.p95Ms(), fast.leaseMs()]).toEqual([95, 30_000]);
    for (let n = 0; n < 100; n++) slow.add(n < 94 ? 10 : 20_000);
    expect([slow.p95Ms(), slow.leaseMs()]).toEqual([20_000, 60_000]);
    for (let n = 0; n < 300; n++) slow.add(200_000);
    expect(slow.leaseMs()).toBe(300_000);
    for (let n = 0; n < 256; n++) slow.add(10); // what is older than the window is forgotten
    expect(slow.leaseMs()).toBe(30_000);
  });
});
