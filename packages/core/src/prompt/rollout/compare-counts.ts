// Exact tails of two distributions, by their sums: counts of a slice are small, where a normal curve is wrong.

const stirling = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680] as const;

/** The natural logarithm of n!, for whole n from 0. Within 1e-9 of it. */
function logFactorial(n: number): number {
  if (n < 16) {
    let product = 1;
    for (let k = 2; k <= n; k++) product *= k;
    return Math.log(product);
  }
  const x = n + 1;
  const series = stirling.reduce((sum, term, k) => sum + term / x ** (2 * k + 1), 0);
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
}

/** The sum of terms that go on from `first` by the factor of each step, until they no longer count. */
function sumTerms(first: number, from: number, to: number, factor: (k: number) => number): number {
  let term = first;
  let sum = first;
  const step = to >= from ? 1 : -1;
  for (let k = from; k !== to; k += step) {
    term *= factor(k);
    sum += term;
    if (term < sum * 1e-12) break;
  }
  return Math.min(1, sum);
}

/** P(X >= hits), X the successes among `trials` that each succeed with `p`. Whole numbers; 0 <= p <= 1. */
export function binomialUpperTail(hits: number, trials: number, p: number): number {
  if (hits <= 0) return 1;
  if (hits > trials || p <= 0) return 0;
  if (p >= 1) return 1;
  if (hits <= trials * p) return 1 - binomialLowerTail(hits - 1, trials, p);
  const log = logFactorial(trials) - logFactorial(hits) - logFactorial(trials - hits);
  const first = Math.exp(log + hits * Math.log(p) + (trials - hits) * Math.log1p(-p));
  return sumTerms(first, hits, trials, (k) => ((trials - k) / (k + 1)) * (p / (1 - p)));
}

/** P(X <= hits) of the same. */
export function binomialLowerTail(hits: number, trials: number, p: number): number {
  if (hits >= trials) return 1;
  return binomialUpperTail(trials - hits, trials, 1 - p);
}

/** P(X >= hits), X with the Poisson distribution of `mean`. */
export function poissonUpperTail(hits: number, mean: number): number {
  if (hits <= 0) return 1;
  if (mean <= 0) return 0;
  if (hits <= mean) return 1 - poissonLowerTail(hits - 1, mean);
  const first = Math.exp(hits * Math.log(mean) - mean - logFactorial(hits));
  return sumTerms(first, hits, Number.POSITIVE_INFINITY, (k) => mean / (k + 1));
}

/** P(X <= hits) of the same. */
export function poissonLowerTail(hits: number, mean: number): number {
  if (hits < 0) return 0;
  if (mean <= 0) return 1;
  if (hits > mean) return 1 - poissonUpperTail(hits + 1, mean);
  const first = Math.exp(hits * Math.log(mean) - mean - logFactorial(hits));
  return sumTerms(first, hits, 0, (k) => k / mean);
}

/** Logarithm of the ways to choose `k` of `n`. */
const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k);

/**
 * P(X >= hits), X the marked ones among `drawn` of `total` things of which `marked` are marked: Fisher's
 * exact test. Whole numbers.
 */
export function hypergeometricUpperTail(hits: number, drawn: number, marked: number, total: number): number {
  const most = Math.min(drawn, marked);
  const least = Math.max(0, drawn + marked - total);
  if (hits <= least) return 1;
  if (hits > most) return 0;
  const others = total - marked;
  const first = Math.exp(logChoose(marked, hits) + logChoose(others, drawn - hits) - logChoose(total, drawn));
  if (hits < (drawn * marked) / total) {
    const below = (k: number): number => (k / (marked - k + 1)) * ((others - drawn + k) / (drawn - k + 1));
    return Math.max(0, 1 - (sumTerms(first, hits, least, below) - first));
  }
  return sumTerms(first, hits, most, (k) => ((marked - k) / (k + 1)) * ((drawn - k) / (others - drawn + k + 1)));
}

/** Events of one side, and how much it had the chance to have them in: responses, or jobs. */
export interface Counted {
  events: number;
  exposure: number;
}

/**
 * The chance of at least so many events on the first side, had it `ratio` times the rate of the second:
 * given the sum of both, the first side's share of it is binomial, whatever the rate itself is.
 */
export function chanceOfMore(one: Counted, other: Counted, ratio: number): number {
  const share = (ratio * one.exposure) / (ratio * one.exposure + other.exposure);
  return binomialUpperTail(Math.floor(one.events), Math.floor(one.events) + Math.ceil(other.events), share);
}

/**
 * The chance of at least so many events on the first side, had both the same rate, where one chance gives
 * no more than one event.
 */
export function chanceOfHigherShare(one: Counted, other: Counted): number {
  const [hits, drawn] = [Math.floor(one.events), Math.round(one.exposure)];
  const marked = hits + Math.ceil(other.events);
  return hypergeometricUpperTail(hits, drawn, marked, Math.max(marked, drawn + Math.round(other.exposure)));
}

/** The chance of at most so many, of `chanceOfMore`. */
export function chanceOfFewer(one: Counted, other: Counted, ratio: number): number {
  const share = (ratio * one.exposure) / (ratio * one.exposure + other.exposure);
  return binomialLowerTail(Math.ceil(one.events), Math.ceil(one.events) + Math.floor(other.events), share);
}
