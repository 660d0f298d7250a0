import type { Random } from '../../foundation/time/random.js';

/** Attempts for one destination (AUD-12). */
export const maxAttempts = 12;

const longestDelayMs = 3_600_000;
const firstDelayMs = 5_000;
const jitterMs = 3_000;

/**
 * Milliseconds from attempt `n`, counted from 1, to the next (AUD-12):
 * `min(3600, 2^(n-1) * 5) + jitter(0..3)` seconds. A destination that asks for longer is waited for,
 * an hour at most; the jitter comes on top, so that rows with the same delay do not return together.
 */
export function retryDelayMs(attempt: number, random: Pick<Random, 'next'>, retryAfterMs = 0): number {
  const backoff = Math.min(longestDelayMs, 2 ** (attempt - 1) * firstDelayMs);
  const asked = Math.min(longestDelayMs, Math.max(0, retryAfterMs));
  return Math.max(backoff, Math.ceil(asked)) + Math.floor(random.next() * (jitterMs + 1));
}

/** The shortest and the longest lease of a delivery, in milliseconds (AUD-14). */
export const shortestLeaseMs = 30_000;
const longestLeaseMs = 300_000;

/** Sends of one destination whose durations are remembered. */
const windowSize = 256;

/** How long the sends of one destination took, and the lease that follows from it. */
export interface LatencyWindow {
  /** Adds the duration of one send, in milliseconds, however it ended. */
  add(ms: number): void;
  /** The 95th percentile of the last 256 sends; 0 before the first. */
  p95Ms(): number;
  /** `max(30 s, 3 * p95)`, at most 5 minutes (AUD-14). */
  leaseMs(): number;
}

/** Remembers the last 256 durations of one destination; a window for each, since they differ. */
export function createLatencyWindow(): LatencyWindow {
  const durations: number[] = [];
  let next = 0;
  let known: number | undefined;

  function p95Ms(): number {
    if (known !== undefined) return known;
    const sorted = [...durations].sort((a, b) => a - b);
    known = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
    return known;
  }

  return {
    add(ms) {
      durations[next] = ms;
      next = (next + 1) % windowSize;
      known = undefined;
    },
    p95Ms,
    leaseMs: () => Math.min(longestLeaseMs, Math.max(shortestLeaseMs, Math.ceil(3 * p95Ms()))),
  };
}
