import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { isBusy } from './sqlite-errors.js';

/** How long SQLite itself may block the thread for a lock; longer waits leave the thread free. */
export const busyBlockMs = 20;
const longestPauseMs = 50;

/**
 * Runs `work` again while another connection's lock stands in its way, for `busyTimeoutMs` at most;
 * then it rejects with SQLite's own error. `work` must be one that may be repeated.
 */
export async function untilFree<T>(busyTimeoutMs: number, work: () => T | Promise<T>): Promise<T> {
  const startedMs = performance.now();
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() - startedMs >= busyTimeoutMs) throw error;
    }
    await delay(pauseMs);
  }
}
