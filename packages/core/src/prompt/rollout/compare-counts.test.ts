import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  binomialLowerTail,
  binomialUpperTail,
  chanceOfFewer,
  chanceOfMore,
  hypergeometricUpperTail,
  poissonLowerTail,
  poissonUpperTail,
} from './compare-counts.js';

/** n over k by Pascal's triangle: exact while it is below 2^53. */
function choose(n: number, k: number): number {
  let row = [1];
  for (let size = 0; size < n; size++) row = [1, ...row.map((one, at) => one + (row[at + 1] ?? 0))];
  return row[k] ?? 0;
}

const sumUp = (from: number, to: number, read: (k: number) => number): number => {
  let sum = 0;
  for (let k = from; k <= to; k++) sum += read(k);
  return sum;
};
const within = (measured: number, exact: number): void =>
  expect(Math.abs(measured - exact)).toBeLessThanOrEqual(1e-9 + 1e-6 * exact);

describe('exact tails', () => {
  it('PR-5: the tails of the binomial are the sums of its terms', () => {
    const trials = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(trials, fc.nat(41), fc.double({ min: 0.001, max: 0.999, noNaN: true }), (n, hits, p) => {
        const term = (k: number): number => choose(n, k) * p ** k * (1 - p) ** (n - k);
        within(binomialUpperTail(hits, n, p), sumUp(hits, n, term));
        within(binomialLowerTail(hits, n, p), sumUp(0, Math.min(hits, n), term));
      }),
      { numRuns: 100 },
    );
  });

  it('PR-5: the tails of the Poisson distribution are the sums of its terms', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.double({ min: 0.01, max: 30, noNaN: true }), (hits, mean) => {
        let term = Math.exp(-mean);
        let below = 0;
        for (let k = 0; k < hits; k++) {
          below += term;
          term *= mean / (k + 1);
        }
        within(poissonUpperTail(hits, mean), Math.max(0, 1 - below));
        within(poissonLowerTail(hits - 1, mean), below);
      }),
      { numRuns: 100 },
    );
  });

  it("PR-5: Fisher's tail is the share of the draws that have so many marked", () => {
    const shape = fc.record({ total: fc.integer({ min: 1, max: 40 }), drawn: fc.nat(40), marked: fc.nat(40) });
    fc.assert(
      fc.property(shape, fc.nat(41), ({ total, ...of }, hits) => {
        const [drawn, marked] = [Math.min(of.drawn, total), Math.min(of.marked, total)];
        const ways = (k: number): number => choose(marked, k) * choose(total - marked, drawn - k);
        const exact = sumUp(hits, Math.min(drawn, marked), ways) / choose(total, drawn);
        within(hypergeometricUpperTail(hits, drawn, marked, total), exact);
      }),
      { numRuns: 100 },
    );
  });

  it('PR-5: large counts stay within 0 and 1, and more events are never likelier', () => {
    const large = fc.integer({ min: 1, max: 50_000 });
    fc.assert(
      fc.property(large, large, large, large, (events, exposure, other, otherExposure) => {
        const side = { events: Math.min(events, exposure), exposure };
        const usual = { events: Math.min(other, otherExposure), exposure: otherExposure };
        const more = chanceOfMore(side, usual, 1);
        const fewer = chanceOfFewer(side, usual, 1);
        for (const chance of [more, fewer]) {
          expect(chance).toBeGreaterThanOrEqual(0);
          expect(chance).toBeLessThanOrEqual(1);
        }
        expect(more + fewer).toBeGreaterThan(0.999_999);
        expect(chanceOfMore({ ...side, events: side.events + 1 }, usual, 1)).toBeLessThanOrEqual(more + 1e-9);
      }),
      { numRuns: 30 },
    );
  });
});
