import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Random } from '../../foundation/time/random.js';
import { createSeededRandom } from '../../testing/support/seeded-random.js';
import { backoffMs, defaultBackoff, retryAfterCeilingMs, retryDelayMs } from './backoff.js';

const always = (value: number): Random => ({ ...createSeededRandom(1), next: () => value });
const almostOne = 1 - Number.EPSILON;

describe('backoff', () => {
  it('ERR-2: the ceiling doubles from 1 s to 60 s and the draw covers all of [0, ceiling]', () => {
    const ceilings = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((n) => backoffMs(defaultBackoff, n, always(almostOne)));
    expect(ceilings).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(backoffMs(defaultBackoff, 5, always(0))).toBe(0);
  });

  it('ERR-2: draws are uniform (Kolmogorov-Smirnov, 20,000 draws)', () => {
    const random = createSeededRandom(7);
    const draws = Array.from({ length: 20_000 }, () => backoffMs(defaultBackoff, 4, random) / 8_001).sort(
      (a, b) => a - b,
    );
    const distance = Math.max(...draws.map((x, i) => Math.abs(x - (i + 0.5) / draws.length)));
    expect(distance).toBeLessThan(1.63 / Math.sqrt(draws.length)); // p = 0.01
  });

  it('ERR-3: waits at least what the server asked and never more than five minutes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 10 ** 12 }),
        fc.integer(),
        (attempt, askedMs, seed) => {
          const delay = retryDelayMs(defaultBackoff, attempt, askedMs, createSeededRandom(seed));
          expect(delay).toBeGreaterThanOrEqual(Math.min(askedMs, retryAfterCeilingMs));
          expect(delay).toBeLessThanOrEqual(retryAfterCeilingMs);
        },
      ),
    );
  });

  it('ERR-3: peers told the same instant are spread by up to 10 % after it, but not at the ceiling', () => {
    expect(retryDelayMs(defaultBackoff, 1, 100_000, always(almostOne))).toBe(109_999);
    expect(retryDelayMs(defaultBackoff, 1, 300_000, always(almostOne))).toBe(300_000);
  });

  it('ERR-3: nonsense from the server falls back to the own back-off', () => {
    for (const bad of [Number.NaN, -5, 0, undefined])
      expect(retryDelayMs(defaultBackoff, 1, bad, always(0.5))).toBe(500);
  });
});
