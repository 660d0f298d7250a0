import type { Random } from '../../foundation/time/random.js';

/** ERR-2. All in milliseconds but the multiplier. */
export interface BackoffPolicy {
  initialMs: number;
  multiplier: number;
  maxMs: number;
}

/** The specification's numbers (ERR-2). */
export const defaultBackoff: BackoffPolicy = { initialMs: 1_000, multiplier: 2, maxMs: 60_000 };

/** No server makes us wait longer than this (ERR-3). */
export const retryAfterCeilingMs = 300_000;

/**
 * The ceiling of the back-off before it is drawn: what a single caller waits that shares its wait
 * with nobody. `attempt` counts from 1.
 */
export function growingDelayMs(policy: BackoffPolicy, attempt: number): number {
  return Math.min(policy.maxMs, policy.initialMs * policy.multiplier ** (attempt - 1));
}

/**
 * Full jitter: uniform in [0, min(max, initial * multiplier^(attempt-1))], drawn anew for each
 * attempt (ERR-2). `attempt` counts from 1.
 */
export function backoffMs(policy: BackoffPolicy, attempt: number, random: Random): number {
  const ceiling = growingDelayMs(policy, attempt);
  return Math.floor(random.next() * (ceiling + 1));
}

/**
 * The larger of back-off and the server's wish, at most 5 minutes (ERR-3). A wish is spread by up
 * to 10 % upwards, never below the server's instant, so that peers told the same do not return
 * together; at the ceiling there is no room for a spread (ruling R10).
 */
export function retryDelayMs(
  policy: BackoffPolicy,
  attempt: number,
  retryAfterMs: number | undefined,
  random: Random,
): number {
  const own = backoffMs(policy, attempt, random);
  if (retryAfterMs === undefined || !(retryAfterMs > 0)) return Math.min(own, retryAfterCeilingMs);
  const base = Math.max(own, Math.ceil(retryAfterMs));
  return Math.min(retryAfterCeilingMs, base + Math.floor(random.next() * base * 0.1));
}
